/**
 * Failure types and kinds: one vocabulary for code that throws, the workflow that matches and the CLI that explains.
 * Must not import anything.
 */

/** `ApplicationFailure.type` values. */
export const FAILURE = {
  /** The input of the workflow is invalid. */
  badInput: 'ralph.BadInput',
  /** The pinned run files are missing or unreadable on this host. */
  runFilesMissing: 'ralph.RunFilesMissing',
  /** A state of the repository that only a person can fix (target branch gone, foreign worktree …). */
  repository: 'ralph.Repository',
  /** A disk is (nearly) full. Nothing was started or charged; the work resumes when there is space. */
  diskFull: 'ralph.DiskFull',
  /** The setup command of a worktree failed. */
  setup: 'ralph.SetupFailed',
  /** The worker of an activity was lost; nothing was charged. */
  workerLost: 'ralph.WorkerLost',
  /** The machine ran out of a resource (disk, memory, file handles): nothing was charged, and ralphctl retries. */
  machine: 'ralph.Machine',
  /** An alert could not be delivered. */
  alert: 'ralph.AlertNotDelivered',
  /** The request is not legal now (update validators). */
  refused: 'ralph.Refused',
} as const;

/** Why an idea waits whose agent, gate or landing lost its worker. Also in events, where the report counts it. */
export const WORKER_LOST = 'the worker was lost';

/** Why a run refuses commands in its first moments; a client asks again. */
export const STILL_OPENING = 'the run is still opening; try again in a moment';

/** In the details of `workerLost`: the worker was shut down and returned its work. */
export const WORKER_STOPPED = 'the worker was told to stop';

/**
 * Why an agent run failed. `agent`, `context` and `budget` cost an iteration: the agent had its turn.
 * transient: worth retrying soon · limited: a usage limit · auth: needs a login · config: wrong flags or model ·
 * context: the conversation is too long for the model · budget: it used up the money for one run · killed: ralphctl or
 * the machine ended it · launch: it ended in seconds without a turn · agent: the agent itself failed.
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
 * The cause of a `limited` run. rate: requests or tokens a minute, over in minutes · usage: the quota of a plan, over
 * at its reset · credit: no money, over after a payment.
 */
export type LimitScope = 'rate' | 'usage' | 'credit';
