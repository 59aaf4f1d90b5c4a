/**
 * Checks of values that come from outside, composed of small checks. A check answers yes or no and never throws.
 * Invariant: `shaped` needs a check for every field of its type, so that no new field is forgotten. It ignores unknown
 * fields, because a newer program may send them.
 * Must not import anything.
 */
import type { IdeaLimits } from '../../protocol/activities.js';
import type { AlertKind, AlertRow, AlertSettings } from '../../protocol/alerts.js';
import type { Amounts, BudgetSettings } from '../../protocol/budget.js';
import type { RunMode } from '../../protocol/command.js';
import type { DeliverySettings } from '../../protocol/delivery.js';
import type { RunSettings, Weights } from '../../protocol/run-settings.js';
import type { TrackerName, TrackerSettings } from '../../protocol/tracker.js';
import type { Ladder, Rung, WarningSettings } from '../../protocol/warnings.js';
import type { WaveSettings } from '../../protocol/waves.js';

export type Check<T> = (value: unknown) => value is T;

/** Longest name, id or key, in characters: the server's limit for a workflow id. */
const MAX_NAME = 1000;
/** Longest text of any kind, in characters. Far more than ralphctl sends, because a refused message is lost. */
const MAX_TEXT = 500_000;

export const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME;
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isTrue = (value: unknown): value is true => value === true;
/** A finite number, not below zero. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
export const isCount = (value: unknown): value is number => isAmount(value) && Number.isSafeInteger(value);

export const oneOf =
  <T extends string>(all: Readonly<Record<T, true>>): Check<T> =>
  (value): value is T =>
    typeof value === 'string' && Object.hasOwn(all, value);

export const listOf =
  <T>(check: Check<T>, most = 1000): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.length <= most && value.every(check);

export const maybe =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);

type Fields<T> = { readonly [Name in keyof Required<T>]: Check<T[Name]> };

export const shaped =
  <T extends object>(fields: Fields<T>): Check<T> =>
  (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = value as Record<string, unknown>;
    return Object.entries<(field: unknown) => boolean>(fields).every(([name, check]) => check(given[name]));
  };

/* Checks the run settings and idea limits in a message. May import protocol and decide only. */

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const isAmounts = shaped<Amounts>({
  ...{ iterations: maybe(isAmount), minutes: maybe(isAmount), tokens: maybe(isAmount), dollars: maybe(isAmount) },
});
const isBudget = shaped<BudgetSettings>({
  ...{ iteration: maybe(isAmounts), idea: maybe(isAmounts), run: maybe(isAmounts), day: maybe(isAmounts) },
  ...{ warnAt: isAmount, during: maybe(isTrue) },
});
const isLadder = shaped<Ladder>({
  ...{ after: isCount, every: isCount, stronger: maybe(listOf(isName)) },
  rungs: listOf(
    shaped<Rung>({ do: oneOf<Rung['do']>({ nudge: true, fresh: true, stronger: true, other: true, ask: true }) }),
  ),
});

/** A newer version may know more kinds of events. */
export const isAlertKind = isName as Check<AlertKind>;
export const isAlertSettings = shaped<AlertSettings>({
  rows: listOf(shaped<AlertRow>({ name: isName, events: listOf(isAlertKind), bell: maybe(isTrue) })),
  ...{ groupMs: isAmount, urgent: listOf(isAlertKind), timeZone: isName },
  quiet: maybe(shaped<NonNullable<AlertSettings['quiet']>>({ from: isCount, to: isCount })),
});

export const isSettings = shaped<RunSettings>({
  ...{ slots: isCount, stepDelayMs: isAmount, maxLandingRounds: isCount, maxWaiting: maybe(isCount) },
  weights: shaped<Weights>({
    ...{ unblocks: isNumber, critical: isNumber, quickWin: isNumber, nearComplete: isNumber, retry: isNumber },
    priority: maybe(isNumber),
  }),
  gateWhen: oneOf<RunSettings['gateWhen']>({ claim: true, always: true }),
  errorStrategy: oneOf<RunSettings['errorStrategy']>({ retry: true, skip: true, abort: true }),
  ...{ errorThreshold: isCount, maxRetries: isCount, retryBaseMs: isAmount, maxRateLimitRetries: isCount },
  ...{ rateLimitBackoffMs: isAmount, rateLimitFactor: isAmount, recoverPrimary: maybe(isBoolean) },
  ...{ ladder: maybe(isLadder), budget: maybe(isBudget), stepLanding: maybe(isTrue), ownTrouble: maybe(isTrue) },
  stepsQueue: maybe(isTrue),
  unblocksThroughParents: maybe(isTrue),
  ...{ bluesByChildren: maybe(isTrue), pointsAddUp: maybe(isTrue), gatesBeside: maybe(isCount) },
  settlesBeside: maybe(isTrue),
  pausesBeside: maybe(isTrue),
  times: maybe(
    shaped<NonNullable<RunSettings['times']>>({
      ...{ setupMs: isAmount, gateMs: isAmount },
      ...{ ahead: maybe(isCount), untakenMs: maybe(isAmount) },
    }),
  ),
  mode: maybe(oneOf<RunMode>({ autopilot: true, 'semi-auto': true, step: true })),
  warnings: maybe(shaped<WarningSettings>({ stuckAfter: isCount, iterationsAt: isAmount })),
  alerts: maybe(isAlertSettings),
  delivery: maybe(
    shaped<DeliverySettings>({
      ...{ mode: oneOf<DeliverySettings['mode']>({ push: true, pr: true }), to: isName, retryMs: isAmount },
      pollMs: maybe(isAmount),
      stack: maybe(isTrue),
    }),
  ),
  /** A newer version may know more trackers. */
  tracker: maybe(shaped<TrackerSettings>({ name: isName as Check<TrackerName> })),
  waves: maybe(shaped<WaveSettings>({ maxWaves: isCount, batchSize: isCount, confirm: maybe(isTrue) })),
});

export const isLimits = shaped<IdeaLimits>({
  ...{ maxIterations: isCount, timeoutMs: isAmount, iterationTimeoutMs: isAmount },
  ...{ loop: isBoolean, allowEmpty: isBoolean, attempts: maybe(isCount) },
});
