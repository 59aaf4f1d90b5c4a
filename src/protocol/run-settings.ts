/**
 * The numbers that deciding needs, pinned when a run starts.
 * Invariant: plain JSON; fields are only ever added, never changed in meaning. Must import types only.
 */
import type { AlertSettings } from './alerts.js';
import type { BudgetSettings } from './budget.js';
import type { RunMode } from './command.js';
import type { DeliverySettings } from './delivery.js';
import type { TrackerSettings } from './tracker.js';
import type { Ladder, WarningSettings } from './warnings.js';
import type { WaveSettings } from './waves.js';

export interface Weights {
  unblocks: number;
  critical: number;
  quickWin: number;
  /** For each step of the backlog's priority. Absent in runs of 0.1. */
  priority?: number;
  nearComplete: number;
  retry: number;
}

/** The numbers that deciding needs, pinned when the run starts. */
export interface RunSettings {
  slots: number;
  stepDelayMs: number;
  weights: Weights;
  gateWhen: 'claim' | 'always';
  /** Failed landings that go back to the agent before a person is asked. */
  maxLandingRounds: number;
  /** New ideas wait while this many are in the landing queue; 0: twice the slots. Absent in runs of 0.1: none wait. */
  maxWaiting?: number;
  /** Consecutive failed ideas that pause the run (A7). */
  errorThreshold: number;
  errorStrategy: 'retry' | 'skip' | 'abort';
  maxRetries: number;
  retryBaseMs: number;
  maxRateLimitRetries: number;
  rateLimitBackoffMs: number;
  rateLimitFactor: number;
  /** Absent in runs of a version without it. */
  ladder?: Ladder;
  /** The mode at the start (A6); `autopilot` when absent. */
  mode?: RunMode;
  /** In mode step landings also wait for an approval. Absent in runs of 0.1, where only iterations did. */
  stepLanding?: true;
  /** A change to mode step holds what already waits to land, too. Absent in older runs, where it landed. */
  stepsQueue?: true;
  /**
   * A provider outage closes its account, and ralphctl tells an idea's own problem from its agent's. Absent in runs of
   * 0.1, where an outage failed the idea and launches of one idea closed the agent.
   */
  ownTrouble?: true;
  /**
   * An idea also unblocks ideas that wait for a Blue above it (A2). Absent in runs of 0.1, where only direct names
   * counted.
   */
  unblocksThroughParents?: true;
  /** A Blue that the source ticks has not landed while a child of it is open (A4). Absent in runs of 0.1, where the tick counted. */
  bluesByChildren?: true;
  /** Points of `score` and the first place of `bump` add up (A2). Absent in older runs, where points took the place of both. */
  pointsAddUp?: true;
  /**
   * Ideas that give their slot back for their gate, at a time; 0: as many as slots. Absent in older runs: an idea holds
   * its slot while its gate runs.
   */
  gatesBeside?: number;
  /**
   * An idea whose agent says that it is done gives its slot back before the run is settled. Absent in older runs, and
   * without effect where `gatesBeside` is absent.
   */
  settlesBeside?: true;
  /**
   * A paused idea gives its slot back, and asks for one when it resumes. Absent in older runs, and without effect where
   * `gatesBeside` is absent.
   */
  pausesBeside?: true;
  /**
   * Time limits of a set-up, and of all commands of a gate together. Absent in runs of 0.1: their activities end after
   * four hours, and wait for a worker for ever.
   */
  times?: {
    setupMs: number;
    gateMs: number;
    /** Most gates on what will land at a time, each of which waits for those ahead of it; absent: none waits. */
    ahead?: number;
    /** How long an activity may wait for a worker before a warning; for tests. */
    untakenMs?: number;
  };
  /** Return to an idea's first agent as soon as its account is open; absent: yes. */
  recoverPrimary?: boolean;
  /** Absent: none. */
  budget?: BudgetSettings;
  warnings?: WarningSettings;
  /** Absent: nobody is alerted. */
  alerts?: AlertSettings;
  /** Absent: landed work stays in the local repository. */
  delivery?: DeliverySettings;
  /** Absent where the run writes to no tracker. */
  tracker?: TrackerSettings;
  /** Absent in a run of a plain backlog. */
  waves?: WaveSettings;
}
