/**
 * Whether an iteration got anywhere: the one measure for warnings and for the ladder.
 * Invariant: judged on content (the tree and the gate), never on the agent's words or the number of its commits.
 * May import protocol only.
 */
import type { RunAgentResult } from '../../protocol/activities.js';
import type { Ladder, Rung, Stall } from '../../protocol/escalation.js';
import type { GateResult } from '../../protocol/gate.js';
import type { Warning, WarningAnswer, WarningSettings, Watch } from '../../protocol/warnings.js';

/** States that are remembered: one that was left before is no progress, so that going back and forth is none either. */
const REMEMBERED = 6;

/** What an iteration left. */
export interface Left {
  /** The tree and what the gate said of it, in one short text. */
  fingerprint: string;
  /** Of a gate that ran: what it said if it was red, '' if it was green. */
  red?: string;
  /** The branch differs from its base. */
  changed: boolean;
}

/** `step`: of a plan. */
export function leftBy(
  run: Pick<RunAgentResult, 'changed'> & { tree: string },
  gate: GateResult | undefined,
  step?: number,
): Left {
  const { tree, changed } = run;
  const at = step === undefined ? tree : `${tree} step ${step}`;
  if (!gate) return { fingerprint: at, changed };
  const said = verdictOf(gate);
  const where = step === undefined ? '' : `step ${step} `;
  return { fingerprint: `${at} ${said}`, red: gate.pass ? '' : where + said, changed };
}

/** What a gate says, without times and paths: the command, how it ended and its tests. */
function verdictOf({ pass, failure, tests }: GateResult): string {
  const counts = tests ? `${tests.passed}/${tests.failed}/${tests.skipped}` : '';
  return `${pass ? 'green' : 'red'} ${failure?.command ?? ''} ${failure?.exitCode ?? ''} ${counts}`.trimEnd();
}

/** Counts an iteration. It got nowhere when it left what was there lately, or its gate is red exactly as the last one. */
export function count(watch: Watch, left: Left): Watch {
  const { fingerprint, red } = left;
  const seen = watch.seen ?? (watch.fingerprint === undefined ? [] : [watch.fingerprint]);
  const again = seen.length > 0 ? seen.includes(fingerprint) : !left.changed;
  const redAgain = red !== undefined && red !== '' && red === watch.red;
  return {
    ...watch,
    fingerprint,
    same: again || redAgain ? watch.same + 1 : 0,
    seen: [fingerprint, ...seen.filter((one) => one !== fingerprint)].slice(0, REMEMBERED),
    ...(red === undefined ? {} : { red }),
  };
}

/** As runs that began without a ladder count: what is left for the first time is the first of a row. */
export function countAsBefore(watch: Watch, { fingerprint }: Left): Watch {
  return { ...watch, fingerprint, same: watch.fingerprint === fingerprint ? watch.same + 1 : 1 };
}

/*
 * What is done when an idea goes on without getting anywhere: the rungs of a ladder, one after another.
 * Invariant: how long it has got nowhere is counted in `progress.ts` alone; progress brings an idea back to the ground; a
 * rung is passed over only when it would change nothing, and the next one is taken in its place.
 * May import protocol only.
 */

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

/*
 * Warnings of one idea (B6). Stuck is what `progress.ts` counts.
 * Invariant: a warning stops nothing; each is given once for its cause, and answered once.
 * May import protocol and decide only.
 */

/** For runs of a version that had no such settings. */
export const DEFAULT_WARNINGS: WarningSettings = { stuckAfter: 5, iterationsAt: 0.8 };
/** Below so many iterations a part of them says nothing. */
const FEWEST_ITERATIONS = 5;
/** Iterations that got nowhere after which the agent is told to try another way. */
export const NUDGE_AFTER = 2;

export const nothingWatched = (): Watch => ({ same: 0, told: [], open: [] });

/** Takes note of what an iteration left. `old`: in a run that began without a ladder, whose history says otherwise. */
export function observe(watch: Watch, left: Left, old = false): Watch {
  const counted = old ? countAsBefore(watch, left) : count(watch, left);
  const moved = counted.same === (old ? 1 : 0);
  if (!moved) return counted;
  // Work goes on: the warning has answered itself.
  return {
    ...counted,
    open: watch.open.filter(({ kind }) => kind !== 'stuck'),
    told: watch.told.filter((cause) => cause !== 'stuck'),
  };
}

/** Gives the warnings that are due. `budget`: texts of budgets that are nearly used, by their dimension. */
export function warn(
  watch: Watch,
  at: { iteration: number; most: number; now: number; settings: WarningSettings; budget?: Record<string, string> },
): { watch: Watch; given: Warning[] } {
  const { iteration, most, now, settings, budget = {} } = at;
  const due: [cause: string, Omit<Warning, 'since'>][] = Object.entries(budget).map(([dimension, text]) => [
    `budget ${dimension}`,
    { kind: 'budget', text },
  ]);
  if (watch.same >= settings.stuckAfter) {
    due.push(['stuck', { kind: 'stuck', text: `the last ${watch.same} iterations got it no further` }]);
  }
  if (most >= FEWEST_ITERATIONS && iteration < most && iteration >= most * settings.iterationsAt) {
    due.push([`iterations of ${most}`, { kind: 'iterations', text: `${iteration} of ${most} iterations used` }]);
  }
  const fresh = due.filter(([cause]) => !watch.told.includes(cause));
  const given = fresh.map(([, warning]) => ({ ...warning, since: now }));
  const kinds = new Set(given.map(({ kind }) => kind));
  const open = [...watch.open.filter(({ kind }) => !kinds.has(kind)), ...given];
  return { watch: { ...watch, open, told: [...watch.told, ...fresh.map(([cause]) => cause)] }, given };
}

/** A person has answered: the warnings are closed. What is stuck may be warned of again after as long a time. */
export function answered(watch: Watch): Watch {
  return { ...watch, same: 0, open: [], told: watch.told.filter((cause) => cause !== 'stuck') };
}

/** `continue`, `stop`, `+5`; undefined for anything else. */
export function readWarningAnswer(said: unknown): WarningAnswer | undefined {
  const text = typeof said === 'string' ? said.trim().toLowerCase() : undefined;
  if (text === 'continue' || text === 'stop') return { do: text };
  const by = text === undefined ? undefined : /^\+(\d{1,4})$/.exec(text)?.[1];
  return by !== undefined && Number(by) > 0 ? { do: 'more', by: Number(by) } : undefined;
}
