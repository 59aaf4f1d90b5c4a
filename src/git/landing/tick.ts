/**
 * Writes the backlog's tick into the tree that lands.
 * Invariant: changes regular files of the backlog only, in the object database only.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { git } from '../runner.js';

export interface TickedFile {
  path: string;
  text: string;
}

/**
 * Gets a reader for files of the tree (undefined: no regular text file there), and names files with their new text.
 */
export type Tick = (
  read: (path: string) => Promise<string | undefined>,
) => Promise<TickedFile | readonly TickedFile[] | undefined>;

/** The tree with the tick; the same tree when there is nothing to tick. Paths are relative to the top. */
export async function tickTree(dir: string, tree: string, tick: Tick): Promise<string> {
  const changes = await tick(async (path) => (await textFile(dir, tree, path))?.text);
  let ticked = tree;
  for (const change of [changes ?? []].flat()) ticked = await withFile(dir, ticked, change);
  return ticked;
}

async function withFile(dir: string, tree: string, change: TickedFile): Promise<string> {
  const before = await textFile(dir, tree, change.path);
  if (before?.text === change.text) return tree;
  const { run } = git(dir);
  const hashed = run(['hash-object', '-w', '--stdin'], { input: change.text });
  hashed.catch(() => undefined);
  return withTree(dir, tree, async (env) => {
    const blob = await hashed;
    await run(['update-index', '--add', '--cacheinfo', `${before?.mode ?? '100644'},${blob},${change.path}`], { env });
  });
}

/** A tree derived from another one in a separate index; `change` gets the environment of that index. */
export async function withTree(
  dir: string,
  tree: string,
  change: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<string> {
  const scratch = await makeTemporary('tree');
  try {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    await git(dir).run(['read-tree', tree], { env });
    await change(env);
    return await git(dir).run(['write-tree'], { env });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface TextFile {
  mode: string;
  text: string;
}

async function textFile(dir: string, tree: string, path: string): Promise<TextFile | undefined> {
  const found = await fileIn(dir, tree, path);
  return found && 'text' in found ? found : undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  '120000': 'a symbolic link',
  '160000': 'a submodule',
  '040000': 'a folder',
};

/** Undefined: nothing is there. `problem`: why what is there is no regular text file, as a clause. */
export async function fileIn(
  dir: string,
  tree: string,
  path: string,
): Promise<TextFile | { problem: string } | undefined> {
  const listed = await git(dir).result(['ls-tree', '-z', '--full-tree', tree, '--', path], {
    ok: [0, 128],
    read: true,
  });
  const [, mode, blob] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(listed.stdout) ?? [];
  if (mode === undefined || blob === undefined) return undefined;
  if (mode !== '100644' && mode !== '100755') return { problem: `it is ${KINDS[mode] ?? 'no file'} there` };
  const { stdout: text } = await git(dir).result(['cat-file', 'blob', blob], { read: true });
  return text.includes('\uFFFD') ? { problem: 'it is not UTF-8 text there' } : { mode, text };
}
