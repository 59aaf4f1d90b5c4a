/** What a start that begins a run says of the run before it, to people who only wanted to look at that one. */
import { listRuns } from '../../run-files/run.js';
import { readSummary } from '../../run-files/summary.js';

/** Undefined for the first run, and where the files of the one before cannot be read. */
export async function lastRunText(
  root: string,
  { project, runId }: { project: string; runId: string },
): Promise<string | undefined> {
  const before = (await listRuns(root, project)).find((one) => one < runId);
  const summary = before && (await readSummary(root, { project, runId: before }, () => {}).catch(() => undefined));
  if (!summary) return undefined;
  return `run ${before} has ended (${summary.outcome}); this begins another one. To see the last one: ralphctl report --run ${before}`;
}
