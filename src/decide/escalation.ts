/**
 * What is done when an idea goes on without getting anywhere: the rungs of a ladder, one after another.
 * Invariant: judged on content (the diff and the gate), never on the agent's words; progress brings an idea back to the
 * ground; no rung is skipped. May import protocol only.
 */

import type { GateResult, RunAgentResult } from '../protocol/activities.js';
import type { Ladder, Rung, Stall } from '../protocol/escalation.js';

export const noStall = (): Stall => ({ idle: 0, taken: 0 });

/** Whether an iteration got anywhere: it changed something, and the gate is not red exactly as before. */
export function madeProgress(
  run: Pick<RunAgentResult, 'commits'>,
  gate: GateResult | undefined,
  before: GateResult | undefined,
): boolean {
  if (run.commits === 0) return false;
  if (!gate || gate.pass || !before || before.pass) return true;
  return verdictOf(gate) !== verdictOf(before);
}

/** What a red gate says, without times and paths: the command, how it ended and its tests. */
function verdictOf({ failure, tests }: GateResult): string {
  return JSON.stringify([failure?.command, failure?.exitCode, tests?.passed, tests?.failed, tests?.skipped]);
}

/** Counts an iteration; `rung` is set when it is time for the next one. */
export function climb(stall: Stall, progressed: boolean, ladder: Ladder): { stall: Stall; rung?: Rung } {
  if (progressed) return { stall: noStall() };
  const idle = stall.idle + 1;
  const rung = ladder.rungs[stall.taken];
  if (!rung || idle < ladder.after + stall.taken * ladder.every) return { stall: { idle, taken: stall.taken } };
  // A person's answer is a new beginning.
  if (rung.do === 'ask') return { stall: noStall(), rung };
  return { stall: { idle, taken: stall.taken + 1 }, rung };
}

/** What the next prompt says of it; a rung that asks says it to the person instead. */
export function wordsOf(rung: Rung, idle: number): string {
  const count = `${idle} iterations in a row have not got this task any further`;
  switch (rung.do) {
    case 'nudge':
      return `${count}. Do not repeat what did not work: say to yourself what the real obstacle is, and try another way.`;
    case 'fresh':
      return `${count}. Look at the task and at what is there as if for the first time. Undo what does not help and begin again from a different idea.`;
    case 'ask':
      return `${count}. What should change? An answer goes into the next prompt; "stop" the idea to give it up.`;
  }
}
