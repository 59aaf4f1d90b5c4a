/**
 * Replace refs show other content than a commit holds, except to ralphctl: to a gate's own git, and to the user.
 * Invariant: removes only refs that are new.
 */
import { join } from 'node:path';
import { namesIn, textAt } from '../regular.js';
import { git } from '../runner.js';

const PREFIX = 'refs/replace/';

/** Replace refs with their commits. With `before`: new or changed ones, which this removes or restores. */
export async function takeReplacements(
  root: string,
  commonDir: string,
  before?: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const [loose, packed] = await Promise.all([namesIn(join(commonDir, PREFIX)), textAt(join(commonDir, 'packed-refs'))]);
  if (loose.length === 0 && !packed?.includes(` ${PREFIX}`)) return {};
  const format = '--format=%(objectname) %(refname)';
  const text = await git(root).run(['for-each-ref', format, PREFIX], { read: true });
  const found = Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.split(' ', 2))
      .flatMap(([commit, ref]) => (commit && ref && before?.[ref] !== commit ? [[ref, commit] as const] : [])),
  );
  if (!before) return found;
  for (const [ref, commit] of Object.entries(found)) {
    const was = before[ref];
    const args = was ? ['update-ref', ref, was, commit] : ['update-ref', '-d', ref, commit];
    await git(root).result(args, { ok: [0, 1, 128] });
  }
  return found;
}
