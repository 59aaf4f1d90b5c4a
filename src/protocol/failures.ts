/**
 * Failure types and kinds: one vocabulary for whoever throws, the workflow that matches and the CLI that explains.
 * Must not import anything.
 */

/** `ApplicationFailure.type` values. */
export const FAILURE = {
  /** The workflow was started with something it cannot run. */
  badInput: 'ralph.BadInput',
  /** The pinned run files are missing or unreadable on this host. */
  runFilesMissing: 'ralph.RunFilesMissing',
  /** Repository state that only a person can mend (target branch gone, worktree not ours …). */
  repository: 'ralph.Repository',
  /** A disk is (nearly) full. Nothing was started or charged; it goes on once there is room. */
  diskFull: 'ralph.DiskFull',
  /** The setup command of a worktree failed. */
  setup: 'ralph.SetupFailed',
  /** The worker that ran an activity went away; nothing was charged. */
  workerLost: 'ralph.WorkerLost',
  /** The machine has run out of something (disk, memory, file handles): nothing was charged, it is tried again. */
  machine: 'ralph.Machine',
  /** A request that is not legal now (update validators). */
  refused: 'ralph.Refused',
} as const;

/** In the details of `workerLost`: the worker was told to stop, and handed its work back. */
export const WORKER_STOPPED = 'the worker was told to stop';

/**
 * Why an agent run did not end well. `agent`, `context` and `budget` cost an iteration: the agent had its turn.
 * transient: worth retrying soon · limited: a usage limit · auth: needs a login · config: wrong flags or model ·
 * context: the conversation grew too long for the model · budget: it used up the money that one run may cost ·
 * killed: we or the machine ended it · launch: it ended in seconds without a turn · agent: the agent itself failed.
 */
export type FailureKind =
  | 'transient'
  | 'limited'
  | 'auth'
  | 'config'
  | 'context'
  | 'budget'
  | 'killed'
  | 'launch'
  | 'agent';

/**
 * What a `limited` run ran into. rate: requests or tokens a minute, over in minutes · usage: the quota of a plan, over
 * at its reset · credit: no money, over when somebody pays.
 */
export type LimitScope = 'rate' | 'usage' | 'credit';
