/**
 * Marks of agent attempts on disk: one file each while an agent runs.
 * Invariant: the mark exists before the agent starts, and until no process of it is left. The next worker ends the
 * leftovers of a dead worker and tells the server at once, instead of waiting for the heartbeat timeout.
 * Activities also have notes in `taken/`. The marks add which attempt of an idea is the latest, and which run a kill
 * interrupted (decision 026).
 */
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readOwn } from '../config/own-files.js';
import { attemptsDir, iterationDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { writeAtomically } from './run.js';
import { writeUsage } from './usage.js';

export interface AttemptMark {
  token: string;
  /** base64 of the activity's task token. */
  taskToken: string;
  idea: string;
  serial: number;
  startedAt: string;
  /** Absent in marks of 0.1, and for work without an agent. */
  run?: string;
}

const shape = z.looseObject({
  token: z.string(),
  taskToken: z.string(),
  idea: z.string(),
  serial: z.number(),
  startedAt: z.string(),
  run: z.string().optional(),
}) as unknown as z.ZodType<AttemptMark>;

const read = (path: string): Promise<AttemptMark | undefined> => readNote(path, shape, 'skip').catch(() => undefined);

const fileOf = (root: string, project: string, idea: string): string =>
  join(attemptsDir(root, project), `${idea}.json`);

export const hasMark = (root: string, project: string, idea: string): Promise<boolean> =>
  access(fileOf(root, project, idea)).then(
    () => true,
    () => false,
  );

export async function markAttempt(root: string, project: string, mark: AttemptMark): Promise<void> {
  await mkdir(attemptsDir(root, project), { recursive: true });
  await writeAtomically(fileOf(root, project, mark.idea), JSON.stringify(mark));
}

/** Whether this attempt is still the idea's latest one. */
export async function holdsMark(root: string, project: string, mark: AttemptMark): Promise<boolean> {
  const now = await readOwn(fileOf(root, project, mark.idea)).catch(() => undefined);
  return now?.includes(mark.token) === true;
}

export async function unmarkAttempt(root: string, project: string, mark: AttemptMark): Promise<void> {
  // A later attempt may own the file by now.
  if (await holdsMark(root, project, mark)) await rm(fileOf(root, project, mark.idea), { force: true });
}

/** The mark of any attempt at the idea; undefined when it is missing or unreadable. */
export const markOf = (root: string, project: string, idea: string): Promise<AttemptMark | undefined> =>
  read(fileOf(root, project, idea));

/** All readable marks. For an unreadable one, the token search at boot still finds its processes. */
export async function leftAttempts(root: string, project: string): Promise<AttemptMark[]> {
  const names = await readdir(attemptsDir(root, project)).catch(() => []);
  const found = names
    .filter((one) => one.endsWith('.json'))
    .map((name) => read(join(attemptsDir(root, project), name)));
  return (await Promise.all(found)).filter((mark) => mark !== undefined);
}

/*
 * Records the usage of an agent run whose worker died, because no other code can report it.
 * Invariant: skips a run with a result. A failed write stops nothing.
 */

export async function bookCutOff(root: string, project: string, mark: AttemptMark | undefined): Promise<void> {
  if (!mark?.run || mark.serial === 0) return;
  const { run, idea, serial, token, startedAt } = mark;
  const dir = iterationDir(root, project, run, idea, serial);
  const hasResult = await access(join(dir, 'result.json')).then(
    () => true,
    () => false,
  );
  // Uses the time of the last output, because the next worker may start hours later.
  const last = await stat(join(dir, 'output.log')).catch(() => undefined);
  const began = Date.parse(startedAt);
  if (hasResult || !last || Number.isNaN(began)) return;
  const end = Math.max(began, last.mtimeMs);
  const attempt = token.slice(token.lastIndexOf('/') + 1);
  // The number of the model's replies is unknown, so the usage counts as unknown.
  const use = { durationMs: Math.round(end - began), turns: 1, outcome: 'lost' };
  const row = { at: new Date(end).toISOString(), run, idea, serial, agent: '', account: '', attempt, ...use };
  await writeUsage(root, project, row).catch(() => undefined);
}
