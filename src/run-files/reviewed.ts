/**
 * Comments, reviews and checks of an idea's pull request that its agent has had, for later runs: a stop ends the idea,
 * and the pull request stays.
 * Invariant: noted only with a commit that was made after the agent had them. Without the file the agent gets them
 * again, so nothing fails over it.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { writeAtomically } from './run.js';

const MOST_KEPT = 1000;
const shape = z.looseObject({
  seen: z.array(z.string()),
  pushed: z.string().optional(),
  answered: z.array(z.string()).optional(),
});
export type Reviewed = z.infer<typeof shape>;

const fileOf = (root: string, project: string, idea: string): string =>
  join(projectDir(root, project), 'reviewed', `${idea}.json`);

/** `pushed`: the last commit of the idea that is in review. `answered`: the comments of the last round with answers. */
export async function reviewedBefore(root: string, project: string, idea: string): Promise<Reviewed> {
  return (await readNote(fileOf(root, project, idea), shape, 'skip').catch(() => undefined)) ?? { seen: [] };
}

export async function noteReviewed(
  root: string,
  project: string,
  idea: string,
  { seen, pushed, answered }: { seen: readonly string[]; pushed: string; answered: readonly string[] },
): Promise<void> {
  const before = await reviewedBefore(root, project, idea);
  const all = [...new Set([...before.seen, ...seen])].slice(-MOST_KEPT);
  if (seen.every((key) => before.seen.includes(key)) && before.pushed === pushed) return;
  const path = fileOf(root, project, idea);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(path, JSON.stringify({ version: 1, seen: all, pushed, answered }));
  } catch {
    // The next run tells them once more.
  }
}

/** Its pull request is over. */
export const dropReviewed = (root: string, project: string, idea: string): Promise<void> =>
  rm(fileOf(root, project, idea), { force: true }).catch(() => undefined);
