/**
 * Extracts the settings that deciding needs from a configuration.
 * Invariant: the same configuration always gives the same settings.
 */
import type { Config } from '../config/schema/config.js';
import { hoursOf, QUIET_EXCEPT } from '../config/schema/notify.js';
import { type TrackerConfig, trackerOf, writesTo } from '../config/schema/tracker.js';
import type { RemoteRecord } from '../git/delivery/remote.js';
import type { AlertSettings } from '../protocol/alerts.js';
import type { DeliverySettings } from '../protocol/delivery.js';
import type { RunSettings } from '../protocol/run-settings.js';
import type { TrackerSettings } from '../protocol/tracker.js';
import type { Ladder } from '../protocol/warnings.js';
import type { WaveSettings } from '../protocol/waves.js';
import type { RunFile } from './shapes.js';

const MOST_AHEAD = 16;

/** `remote`: of the run, where it pushes. */
export function settingsOf(config: Config, remote?: Pick<RemoteRecord, 'name' | 'branch'>): RunSettings {
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
    stepsQueue: true,
    ownTrouble: true,
    unblocksThroughParents: true,
    bluesByChildren: true,
    pointsAddUp: true,
    gatesBeside: config.gate.parallel ?? 0,
    settlesBeside: true,
    pausesBeside: true,
    times: {
      setupMs: config.setup.timeoutMinutes * 60_000,
      gateMs: config.gate.commands.reduce((sum, command) => sum + mostMs(command, config.slots), 0),
      ...aheadOf(config),
    },
    budget: { ...config.budget, during: true },
    warnings: config.warnings,
    ...alertsOf(config),
    ...deliveryOf(config, remote),
  };
}

/** Gates of other ideas may have its lock first. */
const mostMs = ({ timeoutMinutes, locks }: Config['gate']['commands'][number], slots: number): number =>
  timeoutMinutes * 60_000 * (locks ? 1 + Math.min(slots, MOST_AHEAD) : 1);

/** Runs of older versions lack both settings. */
const aheadOf = ({ gate, landing }: Config): { ahead?: number } =>
  (landing.parallel ?? 1) > 1 && gate.reuse !== false ? { ahead: Math.min(landing.parallel, MOST_AHEAD) } : {};

function deliveryOf(
  { landing }: Config,
  remote: Pick<RemoteRecord, 'name' | 'branch'> | undefined,
): { delivery?: DeliverySettings } {
  if (!remote) return {};
  const pollMs = landing.mode === 'pr' ? { pollMs: landing.pr.pollSeconds * 1000 } : {};
  return {
    delivery: {
      ...pollMs,
      ...(landing.mode === 'pr' && landing.stack === true ? { stack: true as const } : {}),
      mode: landing.mode === 'pr' ? 'pr' : 'push',
      to: `${remote.name}/${remote.branch}`,
      retryMs: landing.retrySeconds * 1000,
    },
  };
}

/** In waves, failed ideas in a row are the matter of the breakers: a pause would wait for a person between two waves. */
export const waveSettings = (waves: WaveSettings | undefined): Pick<RunSettings, 'waves'> & { errorThreshold?: 0 } =>
  waves ? { waves, errorThreshold: 0 } : {};

/** Absent where the run writes to no tracker, and in runs of 0.1. */
export const trackerSettings = (tracker: TrackerConfig | undefined): { tracker?: TrackerSettings } =>
  tracker && writesTo(tracker) ? { tracker: { name: tracker.tracker } } : {};

/** The tracker that a run's ideas come from, whatever the configuration names now; its repository is that of the start. */
export function trackerOfRun({ config, backlog }: Pick<RunFile, 'config' | 'backlog'>): TrackerConfig | undefined {
  const tracker = backlog.from === undefined ? undefined : trackerOf(config);
  return tracker && { ...tracker, ...(backlog.repository === undefined ? {} : { repository: backlog.repository }) };
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
      // Configurations that older runs stored do not have it.
      urgent: notify.quietExcept ?? [...QUIET_EXCEPT],
      timeZone: notify.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(quiet ? { quiet } : {}),
    },
  };
}
