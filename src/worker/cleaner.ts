/**
 * The cleanings of a worker, at the start and at the end of a run, in its job process for the repository.
 * Invariant: nothing waits for them, and they fail nothing. The one at the start begins when an agent works, so that
 * no agent is behind it.
 */
import { retentionOf } from '../config/schema/retention.js';
import { cleanedLine } from '../decide/retention/words.js';
import type { DoWork } from '../jobs/job.js';
import { listRuns, loadNewest } from '../run-files/run.js';
import { keepHistory } from '../server/history.js';
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

export function cleanerOf({ root, project, target, doWork, log, signal }: Cleaner): {
  /** An agent has begun: the first call for each run counts. */
  begun: () => void;
  ended: () => Promise<void>;
} {
  const clean = async (moment: 'start' | 'end'): Promise<void> => {
    const input = { project, moment, measures: moment === 'end' };
    const cleaned = await doWork('cleanUp', input, { signal, taskToken: '', abandoned: () => signal.aborted });
    if (cleaned) log.event('cleaned', { moment, freed: cleanedLine(cleaned) });
  };
  const logged = (error: unknown): void => {
    if (!signal.aborted) log.problem('the cleaning was cut off', error);
  };
  let begun = false;
  const start = async (): Promise<void> => {
    await clean('start');
    if (target.kind === 'embedded' && !signal.aborted)
      await keepHistory(root, project, await daysOf(root, project), target.address);
  };
  return {
    begun: () => {
      if (!begun) void start().catch(logged);
      begun = true;
    },
    ended: () => {
      begun = false;
      return clean('end').catch(logged);
    },
  };
}

async function daysOf(root: string, project: string): Promise<number> {
  const [runId = ''] = await listRuns(root, project);
  return retentionOf((await loadNewest(root, { project, runId })).file.config).serverHistoryDays;
}
