import { workflowInfo } from '@temporalio/workflow';

/** Whether a workflow should continue as new. `maxHistory`: after this many events, for tests. */
export function wantsRollover({ maxHistory = Number.POSITIVE_INFINITY }: { maxHistory?: number | undefined }): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength >= maxHistory;
}
