import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import type { AgentHeartbeat } from '../protocol/agent-run.js';
import type { FAILURE } from '../protocol/failures.js';
import type { Cleaned } from '../protocol/retention.js';
import type { CleanUpInput } from './clean/by-itself.js';

/** Dependencies of jobs. No globals, so that tests pass their own. */
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
  /** base64. The next worker uses it to return an interrupted attempt to the server. */
  taskToken: string;
  /** Reports an agent's progress; the last report counts. Absent: no caller listens. */
  say?: (progress: AgentHeartbeat) => void;
  /** Hears that the agent has ended and says that it is done, before its work is settled. Absent: no caller listens. */
  ended?: () => void;
  /** True once no caller waits for the result. The job then writes nothing and leaves its mark to the next worker. */
  abandoned: () => boolean;
}

/** What a worker asks for by itself; no workflow knows of it. */
interface OwnJobs {
  cleanUp(input: CleanUpInput): Promise<Cleaned | undefined>;
}

type Activities = AgentActivities & GitActivities & Omit<MainActivities, 'reconcileIdeas'> & OwnJobs;
export type WorkName = keyof Activities;
export type WorkInput<Name extends WorkName> = Parameters<Activities[Name]>[0];
export type WorkResult<Name extends WorkName> = Awaited<ReturnType<Activities[Name]>>;

/** Does the work, in this process or another. Rejects with a {@link WorkError} or any other error. */
export type DoWork = <Name extends WorkName>(
  name: Name,
  input: WorkInput<Name>,
  context: WorkContext,
) => Promise<WorkResult<Name>>;

/* A failure of the work itself, with a failure type of the protocol. Crosses processes as plain data. */

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
