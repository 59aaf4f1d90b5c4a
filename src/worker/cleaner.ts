/**
 * The cleanings of a worker, at the start and at the end of a run, in its job process for the repository.
 * Invariant: nothing waits for them, and they fail nothing. They begin after the run has been opened, so that its first
 * agent is not behind them.
 */
import { cleanedLine } from '../decide/retention/words.js';
import type { DoWork } from '../jobs/job.js';
import { lastRevision } from '../run-files/revisions.js';
import { listRuns, loadRun } from '../run-files/run.js';
import { DEFAULT_DAYS, keepHistory } from '../server/history.js';
import type { Target } from '../server/target.js';
import type { WorkerLog } from './log.js';

interface Cleaner {
  root: string;
  project: string;
  target: Target;
  doWork: DoWork;
  log: WorkerLog;
  signal: AbortSignal;
}

export const cleanerOf =
  ({ root, project, target, doWork, log, signal }: Cleaner) =>
  async (moment: 'start' | 'end'): Promise<void> => {
    try {
      const cleaned = await doWork(
        'cleanUp',
        { project, moment, measures: moment === 'end' },
        { signal, taskToken: '', abandoned: () => signal.aborted },
      );
      if (cleaned) log.event('cleaned', { moment, freed: cleanedLine(cleaned) });
      if (moment === 'start' && target.kind === 'embedded' && !signal.aborted)
        await keepHistory(root, project, await daysOf(root, project), target.address);
    } catch (error) {
      if (!signal.aborted) log.problem('the cleaning was cut off', error);
    }
  };

async function daysOf(root: string, project: string): Promise<number> {
  const [runId = ''] = await listRuns(root, project);
  const ref = { project, runId };
  const config = await lastRevision(root, ref);
  const { file } = await loadRun(root, { ...ref, ...(config > 0 ? { config } : {}) });
  // A run of an older version has none.
  return (file.config.retention as { serverHistoryDays?: number } | undefined)?.serverHistoryDays ?? DEFAULT_DAYS;
}
