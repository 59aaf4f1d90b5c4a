/** Which ideas landed on the same files after another one. Reads only. */
import type { Target } from './brought-back.js';
import { readLine } from './first-parents.js';
import { landedCommits } from './landed.js';
import { takenBack } from './taken-back.js';

/** Ideas still on the target whose landing changed one of these files after `idea` had landed, newest first. */
export async function landedAfter(about: Target, idea: string, files: readonly string[]): Promise<string[]> {
  const { repo, target, backlogPath } = about;
  const landed = await landedCommits(repo, target, backlogPath);
  const from = landed.get(idea);
  if (from === undefined) return [];
  const [line, gone] = await Promise.all([readLine(repo, target, from), takenBack({ ...about, whole: true })]);
  const off = new Set(gone.map((one) => one.idea));
  const found = new Set<string>();
  for (const commit of line) {
    if (commit.landed.includes(idea)) break;
    if (!files.some((path) => commit.files.has(path))) continue;
    for (const id of commit.landed) if (landed.has(id) && !off.has(id)) found.add(id);
  }
  return [...found];
}
