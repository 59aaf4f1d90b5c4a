/**
 * The source of a run with waves: a tracker, or a backlog file.
 * Invariant: only reads. Reports are those of the tracker; the entries of a backlog are a person's own, and nobody
 * judges them.
 */
import { readBacklog } from '../../backlog/index.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { BugReport } from '../../protocol/triage.js';
import type { LoadedRun } from '../../run-files/run.js';
import { trackerOfRun } from '../../run-files/settings.js';
import { heldOf, ideasOf } from '../../trackers/ideas.js';
import { openTracker } from '../../trackers/open.js';
import { reportsOf } from '../../trackers/report.js';
import type { WorkDeps } from '../job.js';

export interface WaveSource {
  /** With epics, which others may depend on. */
  ideas: Idea[];
  /** All open reports, also those without an idea, and closed ones. Absent: the ideas are a person's own. */
  reports?: BugReport[];
  /** Ids of reports that a person's label keeps back. */
  held?: string[];
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
  return { ideas, reports: await reportsOf(opened, items), held: heldOf(items), leftOut: leftOut.length };
}
