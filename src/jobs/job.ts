import type { AgentHeartbeat } from '../protocol/agent-run.js';
import type { FAILURE } from '../protocol/failures.js';

/** Dependencies of the work behind activities: no globals, so that tests pass their own. */
export interface WorkDeps {
  /** State root; ralphctl writes nothing outside it and the worktrees. */
  root: string;
  /** Part of the host queue names. */
  host: string;
  env: NodeJS.ProcessEnv;
}

export interface WorkContext {
  /** Aborts when the server, a person or a shutdown ends this attempt. */
  signal: AbortSignal;
  /** base64; lets the next worker return an interrupted attempt to the server. */
  taskToken: string;
  /** Reports an agent's progress; the last report counts. Absent: nobody watches. */
  say?: (progress: AgentHeartbeat) => void;
  /** True once nobody waits for the result: write nothing and leave the mark to the next worker. */
  abandoned: () => boolean;
}

/* A failure of the work itself, in the protocol's vocabulary; crosses processes as plain data. */

export type FailureType = (typeof FAILURE)[keyof typeof FAILURE];

export class WorkError extends Error {
  override readonly name = 'WorkError';

  /** @param retryable false: only a person can fix it */
  constructor(
    message: string,
    readonly type: FailureType,
    readonly retryable = false,
  ) {
    super(message);
  }
}
