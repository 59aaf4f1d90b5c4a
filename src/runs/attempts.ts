/**
 * Marks of agent attempts on disk, one file each while an agent runs.
 * Invariant: written before the agent starts and removed after nothing of it is left; what a dead worker left behind is
 * ended by the next one, which also tells the server at once instead of letting the heartbeat run out.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { attemptsDir } from '../config/paths.js';
import { writeAtomically } from './run-files.js';

export interface AttemptMark {
  token: string;
  /** base64 of the activity's task token. */
  taskToken: string;
  idea: string;
  serial: number;
  startedAt: string;
}

const fileOf = (root: string, project: string, idea: string): string =>
  join(attemptsDir(root, project), `${idea}.json`);

export async function markAttempt(root: string, project: string, mark: AttemptMark): Promise<void> {
  await mkdir(attemptsDir(root, project), { recursive: true });
  await writeAtomically(fileOf(root, project, mark.idea), JSON.stringify(mark));
}

export async function unmarkAttempt(root: string, project: string, mark: AttemptMark): Promise<void> {
  const path = fileOf(root, project, mark.idea);
  const now = await readFile(path, 'utf8').catch(() => '');
  // A later attempt may own the file by now.
  if (now.includes(mark.token)) await rm(path, { force: true });
}

export async function leftAttempts(root: string, project: string): Promise<AttemptMark[]> {
  const names = await readdir(attemptsDir(root, project)).catch(() => []);
  const marks: AttemptMark[] = [];
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    try {
      marks.push(JSON.parse(await readFile(join(attemptsDir(root, project), name), 'utf8')) as AttemptMark);
    } catch {
      // A mark that cannot be read names no one to end; the token search at boot still finds its processes.
    }
  }
  return marks;
}
