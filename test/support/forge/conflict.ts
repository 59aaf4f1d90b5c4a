/** A conflict of a pull request with its base: somebody merges the same file meanwhile. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { yaml } from '../program.js';
import type { Delivering } from './delivering.js';

/** Later runs of the idea's agent resolve the conflict in its file. */
export async function scriptResolves({ held: { box } }: Delivering, id: string): Promise<void> {
  const path = join(box.repo, '.ralph-script.yaml');
  const script = parse(await readFile(path, 'utf8')) as { ideas: Record<string, { do: object[] }[]> };
  for (const entry of script.ideas[id]?.slice(1) ?? []) entry.do.push({ run: `printf 'both\\n' > ${id}.txt` });
  await box.write({ '.ralph-script.yaml': yaml(script) });
  await box.commit('script');
  await box.git('push', '--quiet');
}

/** Another person merges a branch of theirs that has the idea's file. Returns the merge. */
export async function somebodyMerges({ held: { box }, bare, inBare }: Delivering, id: string): Promise<string> {
  const other = join(dirname(box.repo), 'other');
  await box.git('clone', '--quiet', bare, other);
  const inOther = (...args: string[]): Promise<string> =>
    box.git('-C', other, '-c', 'user.name=O', '-c', 'user.email=o@localhost', ...args);
  await inOther('switch', '--quiet', '--create', 'theirs');
  await writeFile(join(other, `${id}.txt`), 'theirs\n');
  await inOther('add', '--all');
  await inOther('commit', '--quiet', '--message', 'theirs');
  await inOther('switch', '--quiet', 'main');
  await inOther('merge', '--quiet', '--no-ff', '--message', 'Merge theirs', 'theirs');
  await inOther('push', '--quiet');
  await rm(other, { recursive: true });
  return inBare('rev-parse', 'main');
}
