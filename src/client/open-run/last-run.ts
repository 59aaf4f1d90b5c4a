/** What a start that begins a run says of the run before it, to people who only wanted to look at that one. */
import { listRuns } from '../../run-files/run.js';
import { readSummary } from '../../run-files/summary.js';
import { clock } from '../../screen/text/time.js';

/** Undefined for the first run, and where the files of the one before cannot be read. */
export async function lastRunText(
  root: string,
  { project, runId, now = Date.now() }: { project: string; runId: string; now?: number },
): Promise<string | undefined> {
  const before = (await listRuns(root, project)).find((one) => one < runId);
  const summary = before && (await readSummary(root, { project, runId: before }, () => {}).catch(() => undefined));
  if (!summary) return undefined;
  const { outcome, run } = summary;
  const at = run?.since === undefined ? '' : ` ${clock(run.since, now)}`;
  return `run ${before} has ended (${outcome}${at}); this begins another one. To see the last one: ralphctl report --run ${before}`;
}
