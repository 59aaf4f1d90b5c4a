/** What activities are given: no globals, so tests pass their own. */
import type { WorkflowClient } from '@temporalio/client';

export interface ActivityDeps {
  /** State root; everything an activity may touch outside a worktree lies below it. */
  root: string;
  /** Part of the host queue names. */
  host: string;
  env: NodeJS.ProcessEnv;
  client: WorkflowClient;
}
