/**
 * The runs of a project whose files can be read.
 * Invariant: one run with damaged files never keeps another one from being read. `unreadable` gets one sentence for each
 * run that is left out: its folder, why, and the command that moves it away.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import { EXIT, UserError } from '../protocol/user-error.js';
import { type LoadedRun, listRuns, loadRun } from './run.js';
import { moveAway } from './shapes.js';

export type Unreadable = (problem: string) => void;

/** Every run of the project is left out. */
export const noneReadable = (): UserError =>
  new UserError('no run of this repository can be read. Start one with: ralphctl start', EXIT.noRun);

/** Newest first. Reads no more of them than are asked for. */
export async function* readableRuns(
  root: string,
  project: string,
  unreadable: Unreadable = () => {},
): AsyncGenerator<LoadedRun> {
  for (const runId of await listRuns(root, project)) {
    const run = await readable(root, { project, runId }, unreadable);
    if (run) yield run;
  }
}

export async function newestRun(
  root: string,
  project: string,
  unreadable: Unreadable = () => {},
): Promise<LoadedRun | undefined> {
  for await (const run of readableRuns(root, project, unreadable)) return run;
  return undefined;
}

/** Undefined where the files cannot be read. */
export async function readable(
  root: string,
  ref: { project: string; runId: string },
  unreadable: Unreadable = () => {},
): Promise<LoadedRun | undefined> {
  try {
    return await loadRun(root, ref);
  } catch (error) {
    unreadable(await leftOut(root, ref, error));
    return undefined;
  }
}

/** For an error of another file of the run. Where the run cannot be read as a whole, that is the sentence. */
export async function tellLeftOut(
  root: string,
  ref: { project: string; runId: string },
  error: unknown,
  unreadable: Unreadable,
): Promise<void> {
  if (await readable(root, ref, unreadable)) unreadable(await leftOut(root, ref, error));
}

/** The sentence for a run whose files gave this error. */
export async function leftOut(root: string, ref: { project: string; runId: string }, error: unknown): Promise<string> {
  const head = `run ${ref.runId} is left out: `;
  const dir = runDir(root, ref.project, ref.runId);
  if (error instanceof UserError) return head + error.message;
  for (const name of ['run.json', 'backlog.json'])
    if (!(await stat(join(dir, name)).catch(() => undefined)))
      return `${head}${dir} has no ${name}: its start was cut off, or another machine began it. Move it away: ${moveAway(dir)}`;
  return `${head}${dir} cannot be read: ${String(error)}. Move it away: ${moveAway(dir)}`;
}
