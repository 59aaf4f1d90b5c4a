/**
 * The source of a run with waves: a tracker, or a backlog file.
 * Invariant: only reads. Reports are those of the tracker; the entries of a backlog are a person's own, and nobody
 * judges them.
 */
import { resolve } from 'node:path';
import { readBacklog } from '../../backlog/index.js';
import { readReports } from '../../backlog/reports/jsonl.js';
import type { TrackerConfig } from '../../config/schema/tracker.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { BugReport } from '../../protocol/triage.js';
import type { LoadedRun } from '../../run-files/run.js';
import { trackerOfRun } from '../../run-files/settings.js';
import { ideasOf } from '../../trackers/ideas.js';
import { openTracker } from '../../trackers/open.js';
import { reportOf } from '../../trackers/report.js';
import type { WorkDeps } from '../job.js';

export interface WaveSource {
  /** With epics, which others may depend on. */
  ideas: Idea[];
  /** Reports behind the ideas, and closed ones. Absent: the ideas are a person's own. */
  reports?: BugReport[];
  /** Open items that the configuration leaves out. */
  leftOut: number;
}

export async function readWaveSource(
  deps: Pick<WorkDeps, 'env'>,
  { file }: Pick<LoadedRun, 'file'>,
  { project, runId }: RunRef,
  signal: AbortSignal,
): Promise<WaveSource> {
  const tracker = trackerOfRun(file);
  if (!tracker) {
    const { ideas, leftOut } = await readBacklog(file.backlog.file, {
      format: file.backlog.format,
      command: 'ralphctl run <source>',
    });
    return {
      ideas: ideas.filter(({ done, blue }) => blue || !done),
      leftOut: leftOut.filter(({ over }) => !over).length,
    };
  }
  const place = { env: deps.env, cwd: file.repo, timeoutMs: tracker.timeoutSeconds * 1000, signal };
  const opened = openTracker(tracker, { ...place, mark: `${project}/${runId}/waves` });
  const items = await opened.list();
  const { ideas, leftOut } = ideasOf(items, tracker, opened.where);
  return { ideas, reports: [...items.map(reportOf), ...(await closedIn(file.repo, tracker))], leftOut: leftOut.length };
}

/** Forges list open issues only. */
async function closedIn(repo: string, { tracker, file }: TrackerConfig): Promise<BugReport[]> {
  if (tracker !== 'jsonl' || file === undefined) return [];
  return (await readReports(resolve(repo, file))).filter(({ state }) => state === 'closed');
}
