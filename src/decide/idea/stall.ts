/**
 * Whether an iteration made progress: the one measure for warnings and for the escalation.
 * Invariant: judged by content (the tree and the gate), never by the agent's words or by the number of commits.
 * May import protocol only.
 */
import { noProgressFor } from '../../protocol/advice.js';
import type { AgentSignal, Feedback, RunAgentResult } from '../../protocol/agent-run.js';
import type { GateResult } from '../../protocol/gate.js';
import type { Cause } from '../../protocol/idea-run.js';
import type { Ladder, Rung, Stall, Warning, WarningAnswer, WarningSettings, Watch } from '../../protocol/warnings.js';
import { took } from '../duration.js';
import { clip } from '../text.js';

/** How many states are remembered. Returning to one of them is no progress, so going back and forth is none either. */
const REMEMBERED = 6;

/** The result of an iteration. */
export interface Left {
  /** The tree and the gate's result, as one short text. */
  fingerprint: string;
  /** Of a gate that ran: its failure if it was red, '' if it was green. Of a COMPLETE that was turned down: why. */
  red?: string;
  /** The branch differs from its base. */
  changed: boolean;
}

/** `step`: of a plan. `turnedDown`: why its COMPLETE does not count. */
export function leftBy(
  run: Pick<RunAgentResult, 'changed'> & { tree: string },
  gate: GateResult | undefined,
  step?: number,
  turnedDown?: string,
): Left {
  const { tree, changed } = run;
  const at = step === undefined ? tree : `${tree} step ${step}`;
  const where = step === undefined ? '' : `step ${step} `;
  if (!gate)
    return {
      fingerprint: at,
      changed,
      ...(turnedDown === undefined ? {} : { red: `${where}turned down: ${turnedDown}` }),
    };
  const said = verdictOf(gate);
  return { fingerprint: `${at} ${said}`, red: gate.pass ? '' : where + said, changed };
}

/** The gate's result without times and paths: the command, its exit and its tests. */
function verdictOf({ pass, failure, tests }: GateResult): string {
  const counts = tests ? `${tests.passed}/${tests.failed}/${tests.skipped}` : '';
  return `${pass ? 'green' : 'red'} ${failure?.command ?? ''} ${failure?.exitCode ?? ''} ${counts}`.trimEnd();
}

/**
 * Counts an iteration. It made no progress when it left a recent state, when its gate failed exactly as the last one,
 * or when its COMPLETE was turned down for the reason of the last one.
 */
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

/** Counts as runs did that began without an escalation: a new state is the first of its row. */
export function countAsBefore(watch: Watch, { fingerprint }: Left): Watch {
  return { ...watch, fingerprint, same: watch.fingerprint === fingerprint ? watch.same + 1 : 1 };
}

/*
 * What ralphctl does when an idea stops making progress: the rungs of the escalation, one after another.
 * Invariant: only the first part of this file counts iterations without progress. Progress resets the escalation. A
 * rung that would change nothing is skipped for the next one.
 * May import protocol only.
 */

export const noStall = (): Stall => ({ taken: 0 });

/** `idle`: iterations in a row without progress. `rung` is set when the next one is due. */
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
  // A person's answer starts the escalation over.
  if (rung.do === 'ask') return { stall: noStall(), rung };
  return { stall: { taken: index + 1, skipped: skipped + index - taken }, rung };
}

/**
 * Whether a stronger run is possible: the agent has one, and the idea does not use it and has not used it. `stronger`
 * as in the idea's state.
 */
export function couldBeStronger(ladder: Ladder, agent: string | undefined, stronger: boolean | undefined): boolean {
  return stronger === undefined && agent !== undefined && ladder.stronger?.includes(agent) === true;
}

const DONE: Readonly<Record<Rung['do'], string>> = {
  nudge: 'it was asked for another way',
  fresh: 'it was asked for a fresh start',
  stronger: 'it got a stronger model or effort',
  other: 'another agent took it',
  ask: 'it asks you',
};

/**
 * The rung that was taken last, this iteration's included: the end of the warning's text. It has no rung that is to come,
 * because the text stays as it is once that rung was taken.
 */
export function rungsText(before: Stall, idle: number, ladder: Ladder, able?: (rung: Rung) => boolean): string {
  const { stall, rung } = climb(before, idle, ladder, able);
  if (rung?.do === 'ask') return `; ${DONE.ask}`;
  const last = ladder.rungs[stall.taken - 1];
  return last ? `; ${DONE[last.do]}` : '';
}

/** The text for the next prompt; for the rung that asks, the question to the person. */
export function wordsOf(idea: string, rung: Rung, idle: number, feedback?: Feedback): string {
  const count = noProgressFor(idle);
  switch (rung.do) {
    case 'nudge':
      return `${count}. Do not repeat an approach that failed. Name the real obstacle first, then try another approach.`;
    case 'fresh':
      return `${count}. Look at the task and the files as if for the first time. Undo changes that do not help, and start again with a different approach.`;
    case 'stronger':
      return `${count}. You are a stronger model, called in for this reason. First find out why the work so far does not reach the goal. Keep only the parts of it that are right.`;
    case 'other':
      return `${count}. Another agent worked on it until now. Judge its work for yourself, and keep only the parts that are right.`;
    case 'ask':
      return `${count}.${isRedWithoutCode(feedback) ? ` The last time ${causeOf(feedback, undefined)}.` : ''} What should change? Your answer goes into the next prompt. To give the idea up in this run: ralphctl skip ${idea}; in later runs, too: ralphctl abandon ${idea}`;
  }
}

/*
 * Warnings of one idea (B6).
 * Invariant: a warning stops nothing. Each cause warns once and is answered once.
 * May import protocol and decide only.
 */

/** Defaults for runs of a version without these settings. */
export const DEFAULT_WARNINGS: WarningSettings = { stuckAfter: 5, iterationsAt: 0.8 };
/** With fewer iterations than this, a share of them is meaningless. */
const FEWEST_ITERATIONS = 5;
/** Iterations without progress before the prompt asks for another approach. */
export const NUDGE_AFTER = 2;

export const nothingWatched = (): Watch => ({ same: 0, told: [], open: [] });

/**
 * Records the result of an iteration. `old`: in a run that began without an escalation, so that its history replays.
 */
export function observe(watch: Watch, left: Left, old = false): Watch {
  const counted = old ? countAsBefore(watch, left) : count(watch, left);
  const moved = counted.same === (old ? 1 : 0);
  if (!moved) return counted;
  // The idea makes progress again, which answers the warning.
  return {
    ...counted,
    open: watch.open.filter(({ kind }) => kind !== 'stuck'),
    told: watch.told.filter((cause) => cause !== 'stuck'),
  };
}

/** Gives the warnings that are due. `budget`: texts of budgets that are nearly used, by their dimension. */
export function warn(
  watch: Watch,
  at: {
    iteration: number;
    most: number;
    now: number;
    settings: WarningSettings;
    budget?: Record<string, string>;
    /** What follows on being stuck. */
    rungs?: string;
  },
): { watch: Watch; given: Warning[] } {
  const { iteration, most, now, settings, budget = {}, rungs = '' } = at;
  const due: [cause: string, Omit<Warning, 'since'>][] = Object.entries(budget).map(([dimension, text]) => [
    `budget ${dimension}`,
    { kind: 'budget', text },
  ]);
  if (watch.same >= settings.stuckAfter) {
    due.push(['stuck', { kind: 'stuck', text: `the last ${watch.same} iterations made no progress${rungs}` }]);
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

/** A person has answered: closes the warnings. A stuck idea can warn again after the same time. */
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

/*
 * Why an idea made no progress, for the reason that it shows when it runs out of iterations: how its last iterations
 * ended, and how many in a row ended that way.
 * May import protocol and decide only.
 */

const MAX_CAUSE = 160;

const isRedWithoutCode = (feedback: Feedback | undefined): boolean =>
  feedback?.kind === 'gate-failed' && feedback.why !== undefined;

/** How an iteration ended when another one follows. */
export function causeOf(feedback: Feedback | undefined, signal: AgentSignal | undefined): string | undefined {
  switch (feedback?.kind) {
    case 'claimed-but-empty':
      return 'the agent reported COMPLETE but changed nothing';
    case 'gate-failed':
    case 'landing-red':
      if ('why' in feedback) return `the gate was red: ${feedback.command} ${feedback.why}`;
      return `the gate was red: ${feedback.command}${feedback.exitCode === null ? '' : ` (exit code ${feedback.exitCode})`}`;
    case 'no-signal':
      return 'the agent ended without a signal';
    case 'iteration-timeout':
      return `the agent timed out after ${took(feedback.ms ?? feedback.minutes * 60_000)}`;
    case 'run-failed':
      return feedback.message;
    case 'review':
      return feedback.about === 'checks'
        ? `checks of its pull request are red: ${feedback.what}`
        : 'changes were requested';
    case 'landing-conflict':
      return `its landing hit a conflict in ${feedback.files.join(', ')}`;
    case undefined:
      return signal?.kind === 'progress' ? `the agent reported PROGRESS ${signal.percent} %` : undefined;
  }
}

/** The same cause again adds one; another cause starts at one. */
export function nextCause(before: Cause | undefined, text: string | undefined): Cause | undefined {
  if (text === undefined) return undefined;
  const cut = clip(text, MAX_CAUSE);
  return { text: cut, times: before?.text === cut ? before.times + 1 : 1 };
}

/** The limit that the idea reached, and the cause that used it up. */
export function exhaustedText(reached: string, cause: Cause | undefined): string {
  if (!cause) return reached;
  return cause.times > 1
    ? `${reached}; ${cause.times} times in a row ${cause.text}`
    : `${reached}; the last time ${cause.text}`;
}
