/** A worker that ends again and again, in the words of all commands. Reads only. */
import { join } from 'node:path';
import { projectDir } from '../../config/paths.js';
import { clean } from '../../screen/text/text.js';
import { clock } from '../../screen/text/time.js';
import { type Ends, runningWorker } from '../../worker/record.js';

/** `the worker ended 10 times in a row since 22:30 (exit code 1): cannot find the bundle. Log: /…/logs` */
export function endsText(ends: Ends, root: string, project: string): string {
  const error = ends.error === undefined ? '' : `: ${clean(ends.error)}`;
  return `${endsWords(ends)}${error}. Log: ${workerLogs(root, project)}`;
}

const endsWords = ({ times, since, how }: Ends): string =>
  `the worker ended ${times} times in a row since ${clock(Date.parse(since), Date.now())} (${clean(how)})`;

export const workerLogs = (root: string, project: string): string => join(projectDir(root, project), 'logs');

/** Whether a worker runs here, and why it does not come up. */
export async function workerNow(root: string, project: string): Promise<{ worker: boolean; crashes?: string }> {
  const worker = await runningWorker(root, project);
  return { worker: worker !== undefined, ...(worker?.ends ? { crashes: endsText(worker.ends, root, project) } : {}) };
}
