/**
 * Extracts the settings that deciding needs from a configuration.
 * Invariant: the same configuration always gives the same settings.
 */
import type { Config } from '../config/schema/config.js';
import { hoursOf } from '../config/schema/notify.js';
import type { AlertSettings } from '../protocol/alerts.js';
import type { RunSettings } from '../protocol/run-settings.js';
import type { Ladder } from '../protocol/warnings.js';

export function settingsOf(config: Config): RunSettings {
  return {
    slots: config.slots,
    stepDelayMs: config.stepDelayMs,
    weights: config.weights,
    gateWhen: config.gate.when,
    maxLandingRounds: config.landing.maxRounds,
    maxWaiting: config.landing.maxWaiting ?? 0,
    ladder: ladderOf(config),
    errorThreshold: config.errors.threshold,
    errorStrategy: config.errors.strategy,
    maxRetries: config.errors.maxRetries,
    retryBaseMs: config.errors.retryBaseMs,
    maxRateLimitRetries: config.limits.maxRateLimitRetries,
    rateLimitBackoffMs: config.limits.backoffMs,
    rateLimitFactor: config.limits.factor,
    recoverPrimary: config.limits.recoverPrimary,
    stepLanding: true,
    ownTrouble: true,
    unblocksThroughParents: true,
    bluesByChildren: true,
    times: {
      setupMs: config.setup.timeoutMinutes * 60_000,
      gateMs: config.gate.commands.reduce((sum, { timeoutMinutes }) => sum + timeoutMinutes * 60_000, 0),
    },
    budget: { ...config.budget, during: true },
    warnings: config.warnings,
    ...alertsOf(config),
  };
}

/** Drops steps that could never have an effect. */
function ladderOf({ escalation, agents, fallback }: Config): Ladder {
  const { after, every, steps } = escalation;
  const stronger = Object.keys(agents).filter((name) => agents[name]?.stronger);
  const useless = (step: (typeof steps)[number]): boolean =>
    (step === 'stronger' && stronger.length === 0) || (step === 'other' && fallback.length === 0);
  const rungs = steps.filter((step) => !useless(step)).map((step) => ({ do: step }));
  return { after, every, rungs, stronger: stronger.length > 0 ? stronger : undefined };
}

/**
 * Copies rows by name only: addresses and secrets stay in the configuration and the environment. The time zone is the
 * starting machine's, unless the configuration names one. Absent without rows, and in runs of 0.1.
 */
function alertsOf({ notify }: Config): { alerts?: AlertSettings } {
  if (!notify || notify.rows.length === 0) return {};
  const quiet = notify.quiet === undefined ? undefined : hoursOf(notify.quiet);
  return {
    alerts: {
      rows: notify.rows.map(({ name, events, to }) => ({ name, events, ...(to === 'bell' ? { bell: true } : {}) })),
      groupMs: notify.groupSeconds * 1000,
      urgent: notify.urgent,
      timeZone: notify.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(quiet ? { quiet } : {}),
    },
  };
}
