import { workflowInfo } from '@temporalio/workflow';

/** Whether a workflow should continue as new. `maxHistory`: after this many events, for tests. */
export function wantsRollover({ maxHistory = Number.POSITIVE_INFINITY }: { maxHistory?: number | undefined }): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength >= maxHistory;
}

const MOST_EVENTS = 16_000;
const MOST_TIMES = 8;

/** It has wanted to for so long that nothing puts it off any more. */
export function isOverdue({ maxHistory }: { maxHistory?: number | undefined }): boolean {
  return workflowInfo().historyLength >= (maxHistory === undefined ? MOST_EVENTS : maxHistory * MOST_TIMES);
}
