/**
 * The numbers that deciding needs, pinned when a run starts.
 * Invariant: plain JSON; fields are only ever added, never changed in meaning. Must import types only.
 */
import type { BudgetSettings } from './budget.js';
import type { RunMode } from './command.js';
import type { Ladder } from './escalation.js';
import type { WarningSettings } from './warnings.js';

export interface Weights {
  unblocks: number;
  critical: number;
  quickWin: number;
  nearComplete: number;
  retry: number;
}

/** The numbers that deciding needs, pinned when the run starts. */
export interface RunSettings {
  slots: number;
  stepDelayMs: number;
  weights: Weights;
  gateWhen: 'claim' | 'always';
  /** Landings given back to the agent before a person is asked. */
  maxLandingRounds: number;
  /** New ideas wait while this many stand in the landing lane; 0: twice the slots. Absent in runs of 0.1: none wait. */
  maxWaiting?: number;
  /** Consecutive failed ideas that pause the run (A7). */
  errorThreshold: number;
  errorStrategy: 'retry' | 'skip' | 'abort';
  maxRetries: number;
  retryBaseMs: number;
  maxRateLimitRetries: number;
  rateLimitBackoffMs: number;
  rateLimitFactor: number;
  /** Absent in runs of a version that had none. */
  ladder?: Ladder;
  /** How the run begins (A6); `autopilot` when absent. */
  mode?: RunMode;
  /** In mode step landings wait for an approval, too. Absent in runs of 0.1, where iterations alone did. */
  stepLanding?: true;
  /**
   * An outage of a provider closes its account, and trouble of one idea is told from its agent's. Absent in runs of 0.1,
   * where an outage failed the idea and one idea's launches closed the agent.
   */
  ownTrouble?: true;
  /** An idea unblocks also those that wait for a Blue above it (A2). Absent in runs of 0.1, where direct names alone counted. */
  unblocksThroughParents?: true;
  /** A Blue that the source ticks has not landed while a child of it is open (A4). Absent in runs of 0.1, where the tick counted. */
  bluesByChildren?: true;
  /**
   * What the configuration allows a set-up, and all commands of a gate one after another. Absent in runs of 0.1: their
   * activities end after four hours, and wait for a worker for ever.
   */
  times?: {
    setupMs: number;
    gateMs: number;
    /** How long nobody may take an activity before that is said; for tests. */
    untakenMs?: number;
  };
  /** Go back to an idea's first agent as soon as its gate is open; absent: yes. */
  recoverPrimary?: boolean;
  /** Absent: none. */
  budget?: BudgetSettings;
  warnings?: WarningSettings;
}
