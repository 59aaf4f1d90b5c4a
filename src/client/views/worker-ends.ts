/** A worker that ends again and again, or is halted, in the words of all commands. Reads only. */
import { join } from 'node:path';
import { projectDir } from '../../config/paths.js';
import { haltedWith } from '../../process/halted.js';
import type { Identity } from '../../process/identity.js';
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

/** `the worker is halted … (processes 12, 13)`, and the command that helps; undefined: it is not. */
export async function haltedWorker(keeper: Identity): Promise<{ what: string; command: string } | undefined> {
  const pids = (await haltedWith(keeper)).map(({ pid }) => pid);
  if (pids.length === 0) return undefined;
  const which = `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
  const what = `the worker is halted by a signal or by its terminal (${which})`;
  return { what, command: `kill -CONT ${pids.join(' ')}` };
}

/** Whether a worker runs here, and why it does not work: it does not come up, or is halted. */
export async function workerNow(root: string, project: string): Promise<{ worker: boolean; crashes?: string }> {
  const worker = await runningWorker(root, project);
  if (!worker) return { worker: false };
  const halted = worker.ends ? undefined : await haltedWorker(worker.keeper);
  const stands = halted && `${halted.what}. Let it go on: ${halted.command}`;
  const crashes = worker.ends ? endsText(worker.ends, root, project) : stands;
  return { worker: true, ...(crashes === undefined ? {} : { crashes }) };
}
