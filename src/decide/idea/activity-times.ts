/**
 * Time limits of activities, from the time limits that the configuration sets for their commands.
 * Invariant: longer than the work can take by its own limits, so that only a hanging activity times out. The same
 * settings give the same times, because replay needs it. May import protocol only.
 */
import type { RunSettings } from '../../protocol/run-settings.js';

export type GitWork = 'prepare' | 'gate' | 'land' | 'git-task';

export interface ActivityTimes {
  startToCloseTimeout: number;
  /** Undefined: the activity waits for a worker without a limit. */
  scheduleToStartTimeout?: number;
  /** All retries together. */
  scheduleToCloseTimeout?: number;
}

const MINUTE = 60_000;
/** For git, copying, and whatever else has no limit of its own. */
const MARGIN_MS = 30 * MINUTE;
/** A gate retries a red command and may run both on the base; then it runs the base's tests on the work. */
const GATE_PASSES = 6;
/** On what is ahead of it, again without what was red of that, and then in the idea's own worktree. */
const GATES_AHEAD = 3;
/** A landing starts over when the target moves meanwhile. */
const LANDING_ROUNDS = 6;
/** Gates that an idea's gate waits for at most, in ordinary runs. */
const MOST_GATES_AHEAD = 16;
/** Retries that the server makes by itself. */
export const MOST_TRIES = 6;
const FOUR_HOURS = 4 * 60 * MINUTE;
/** How long an activity may wait for a worker before a warning. The delay grows, because each warning costs history. */
const UNTAKEN_MS = [5 * MINUTE, 15 * MINUTE, 60 * MINUTE];

/** `untaken`: how often in a row no worker took it. */
export function gitTimes(
  work: GitWork,
  { times, gatesBeside = 0 }: Pick<RunSettings, 'times' | 'gatesBeside'>,
  untaken = 0,
): ActivityTimes {
  if (!times) return { startToCloseTimeout: FOUR_HOURS };
  const gate = 2 * times.setupMs + GATE_PASSES * times.gateMs;
  const ahead = times.ahead === undefined ? gate : times.ahead * GATES_AHEAD * gate;
  // With `gate.parallel` a gate may wait for others first.
  const waits = gatesBeside > 0 ? Math.ceil(MOST_GATES_AHEAD / gatesBeside) : 0;
  const gated = ahead + waits * gate;
  const own = { prepare: 2 * times.setupMs, gate: gated, land: LANDING_ROUNDS * gate, 'git-task': 0 }[work];
  return within(own + MARGIN_MS, MOST_TRIES, waitFor(times, untaken));
}

/** `runMs`: what the agent may take. */
export function agentTimes(runMs: number, { times }: Pick<RunSettings, 'times'>, untaken = 0): ActivityTimes {
  // The activity enforces the limit itself; this is for an activity that hangs.
  const startToCloseTimeout = runMs + 5 * MINUTE;
  return times ? within(startToCloseTimeout, 1, waitFor(times, untaken)) : { startToCloseTimeout };
}

function waitFor({ untakenMs }: NonNullable<RunSettings['times']>, untaken: number): number {
  return untakenMs ?? UNTAKEN_MS[Math.min(untaken, UNTAKEN_MS.length - 1)] ?? FOUR_HOURS;
}

function within(startToCloseTimeout: number, tries: number, scheduleToStartTimeout: number): ActivityTimes {
  const scheduleToCloseTimeout = tries * (startToCloseTimeout + scheduleToStartTimeout);
  return { startToCloseTimeout, scheduleToStartTimeout, scheduleToCloseTimeout };
}
