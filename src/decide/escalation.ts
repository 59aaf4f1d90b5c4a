/**
 * What is done when an idea goes on without getting anywhere: the rungs of a ladder, one after another.
 * Invariant: how long it has got nowhere is counted in `progress.ts` alone; progress brings an idea back to the ground; a
 * rung is passed over only when it would change nothing, and the next one is taken in its place.
 * May import protocol only.
 */

import type { Ladder, Rung, Stall } from '../protocol/escalation.js';

export const noStall = (): Stall => ({ taken: 0 });

/** `idle`: iterations in a row without progress. `rung` is set when it is time for the next one. */
export function climb(
  stall: Stall,
  idle: number,
  ladder: Ladder,
  /** Whether a rung would change anything now. */
  able: (rung: Rung) => boolean = () => true,
): { stall: Stall; rung?: Rung } {
  if (idle === 0) return { stall: noStall() };
  const { taken, skipped = 0 } = stall;
  if (idle < ladder.after + (taken - skipped) * ladder.every) return { stall };
  const index = ladder.rungs.findIndex((rung, at) => at >= taken && able(rung));
  const rung = ladder.rungs[index];
  if (!rung) return { stall };
  // A person's answer is a new beginning.
  if (rung.do === 'ask') return { stall: noStall(), rung };
  return { stall: { taken: index + 1, skipped: skipped + index - taken }, rung };
}

/**
 * Whether a stronger run could be had: the agent has one, and the idea does not work, or has not worked, that way.
 * `stronger` as in the idea's state.
 */
export function couldBeStronger(ladder: Ladder, agent: string | undefined, stronger: boolean | undefined): boolean {
  return stronger === undefined && agent !== undefined && ladder.stronger?.includes(agent) === true;
}

/** What the next prompt says of it; a rung that asks says it to the person instead. */
export function wordsOf(rung: Rung, idle: number): string {
  const count = `${idle} iterations in a row have not got this task any further`;
  switch (rung.do) {
    case 'nudge':
      return `${count}. Do not repeat what did not work: say to yourself what the real obstacle is, and try another way.`;
    case 'fresh':
      return `${count}. Look at the task and at what is there as if for the first time. Undo what does not help and begin again from a different idea.`;
    case 'stronger':
      return `${count}, and you are called in because you can think harder. Find out first why the work so far does not lead there; keep of it only what is right.`;
    case 'other':
      return `${count}. It was another agent's, and now it is yours: judge what is there for yourself, and keep of it only what is right.`;
    case 'ask':
      return `${count}. What should change? An answer goes into the next prompt; "stop" the idea to give it up.`;
  }
}
