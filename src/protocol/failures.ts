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
  /** The setup command of a worktree failed. */
  setup: 'ralph.SetupFailed',
  /** A later attempt owns this worktree. */
  superseded: 'ralph.Superseded',
  /** The worker that ran an activity went away; nothing was charged. */
  workerLost: 'ralph.WorkerLost',
  /** A request that is not legal now (update validators). */
  refused: 'ralph.Refused',
} as const;

/**
 * Why an agent run did not end well. Only `agent` costs an iteration.
 * transient: worth retrying soon · limited: a usage limit · auth: needs a login · config: wrong flags or model ·
 * killed: we or the machine ended it · launch: it ended in seconds without a turn · agent: the agent itself failed.
 */
export type FailureKind = 'transient' | 'limited' | 'auth' | 'config' | 'killed' | 'launch' | 'agent';
