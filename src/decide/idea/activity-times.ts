/**
 * How long activities may take, from what the configuration allows their commands.
 * Invariant: longer than the work can take by its own limits, so that only an activity that hangs is ended by it; the same
 * for the same settings, as replay needs it. May import protocol only.
 */
import type { RunSettings } from '../../protocol/run-settings.js';

export type GitWork = 'prepare' | 'gate' | 'land' | 'errand';

export interface ActivityTimes {
  startToCloseTimeout: number;
  /** Undefined: it waits for a worker for ever. */
  scheduleToStartTimeout?: number;
  /** All tries together. */
  scheduleToCloseTimeout?: number;
}

const MINUTE = 60_000;
/** For git, copying, and whatever else has no limit of its own. */
const MARGIN_MS = 30 * MINUTE;
/** A gate runs a red command again, and both on the base; then the base's tests on the work. */
const GATE_PASSES = 6;
/** A landing begins anew when the target moved meanwhile. */
const LANDING_ROUNDS = 6;
/** Tries of an activity that the server makes by itself. */
export const MOST_TRIES = 6;
const FOUR_HOURS = 4 * 60 * MINUTE;
/** How long nobody may take an activity before that is said; longer each time, as each time costs history. */
const UNTAKEN_MS = [5 * MINUTE, 15 * MINUTE, 60 * MINUTE];

/** `untaken`: how often in a row nobody took it so far. */
export function gitTimes(work: GitWork, { times }: Pick<RunSettings, 'times'>, untaken = 0): ActivityTimes {
  if (!times) return { startToCloseTimeout: FOUR_HOURS };
  const gate = 2 * times.setupMs + GATE_PASSES * times.gateMs;
  const own = { prepare: 2 * times.setupMs, gate, land: LANDING_ROUNDS * gate, errand: 0 }[work];
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
