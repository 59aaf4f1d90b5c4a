/** Checks a run's settings and an idea's limits as they come with a message. May import protocol and decide only. */
import type { IdeaLimits } from '../protocol/activities.js';
import type { Amounts, BudgetSettings } from '../protocol/budget.js';
import type { RunMode } from '../protocol/command.js';
import type { Ladder, Rung } from '../protocol/escalation.js';
import type { RunSettings, Weights } from '../protocol/run-settings.js';
import type { WarningSettings } from '../protocol/warnings.js';
import { isAmount, isBoolean, isCount, isName, isTrue, listOf, maybe, oneOf, shaped } from './shape.js';

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

export const isSettings = shaped<RunSettings>({
  ...{ slots: isCount, stepDelayMs: isAmount, maxLandingRounds: isCount, maxWaiting: maybe(isCount) },
  weights: shaped<Weights>({
    ...{ unblocks: isNumber, critical: isNumber, quickWin: isNumber, nearComplete: isNumber, retry: isNumber },
  }),
  gateWhen: oneOf<RunSettings['gateWhen']>({ claim: true, always: true }),
  errorStrategy: oneOf<RunSettings['errorStrategy']>({ retry: true, skip: true, abort: true }),
  ...{ errorThreshold: isCount, maxRetries: isCount, retryBaseMs: isAmount, maxRateLimitRetries: isCount },
  ...{ rateLimitBackoffMs: isAmount, rateLimitFactor: isAmount, recoverPrimary: maybe(isBoolean) },
  ...{ ladder: maybe(isLadder), budget: maybe(isBudget), stepLanding: maybe(isTrue), ownTrouble: maybe(isTrue) },
  times: maybe(
    shaped<NonNullable<RunSettings['times']>>({ setupMs: isAmount, gateMs: isAmount, untakenMs: maybe(isAmount) }),
  ),
  mode: maybe(oneOf<RunMode>({ autopilot: true, 'semi-auto': true, step: true })),
  warnings: maybe(shaped<WarningSettings>({ stuckAfter: isCount, iterationsAt: isAmount })),
});

export const isLimits = shaped<IdeaLimits>({
  ...{ maxIterations: isCount, timeoutMs: isAmount, iterationTimeoutMs: isAmount },
  ...{ loop: isBoolean, allowEmpty: isBoolean, attempts: maybe(isCount) },
});
