/**
 * The merge of a sync: landed work and the edits of a checkout that lags.
 * Invariant: works in the object database only.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { git } from '../runner.js';
import { exists } from '../worktrees/list.js';
import { type Merged, mergeTrees } from './merge.js';
import { withTree } from './tick.js';

export interface Edited {
  /** Trees: of the present files and of the merged ones. */
  tree: string;
  next: string;
  /** Of the present index and of the merged one. */
  staged: string;
  index: string;
  /** Files with conflicts. */
  conflicts: string[];
  /** The other version of such a file, beside it: a link cannot have conflict markers. */
  beside: string[];
}

/** `refuse` gets the files with conflicts, and may throw. */
export async function mergeEdits(
  checkout: string,
  { base, tip, target }: { base: string; tip: string; target: string },
  env: Readonly<Record<string, string>>,
  refuse: (conflicts: string[]) => void,
): Promise<Edited> {
  const repo = git(checkout);
  const who = await identityEnv(checkout);
  // Stand-ins with one parent make the remembered commit the merge base, even if history has changed.
  const standIn = async (tree: string): Promise<string> =>
    writeCommit(repo, { tree, parents: [base], author: slotAuthor('ralphctl'), message: 'stand-in\n' }, { who });
  const landedTree = await repo.run(['rev-parse', `${tip}^{tree}`], { read: true });
  const landed = await standIn(landedTree);
  const staged = await repo.run(['write-tree'], { env });
  await repo.run(['add', '-u', '--sparse', '--', ':/'], { env, config: ['core.safecrlf=false'] });
  const tree = await repo.run(['write-tree'], { env });
  const edits = await standIn(tree);
  const merged = await mergeTrees(repo, edits, landed);
  // git sets a version aside where a file cannot have both.
  const plain = (path: string): string => path.replace(`~${edits}`, '').replace(`~${landed}`, '');
  if (merged.kind === 'conflict') refuse([...new Set(merged.files.map(plain))]);
  const named = await nameSides(checkout, merged, [
    { hash: edits, label: 'your edits', suffix: 'your-edits' },
    { hash: landed, label: target, suffix: target.replaceAll('/', '_') },
  ]);
  const index = staged === tree ? merged : await mergeTrees(repo, await standIn(staged), landed);
  return { tree, staged, ...named, index: index.kind === 'clean' ? index.tree : landedTree };
}

const AT_ONCE = 8;

interface Side {
  /** git writes it beside conflict markers, and into the name of a file that it sets aside. */
  hash: string;
  label: string;
  suffix: string;
}

type Named = Pick<Edited, 'next' | 'conflicts' | 'beside'>;

/** git labels the sides with its arguments, which must be commits. */
async function nameSides(checkout: string, merged: Merged, sides: readonly Side[]): Promise<Named> {
  if (merged.kind === 'clean') return { next: merged.tree, conflicts: [], beside: [] };
  const repo = git(checkout);
  const inConflict = new Set(merged.files);
  const { stdout } = await repo.result(['ls-tree', '-r', '-z', '--full-tree', merged.tree], { read: true });
  const there = new Set<string>();
  const entries: Entry[] = [];
  for (const line of stdout.split('\0')) {
    const [, mode = '', blob = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    there.add(path);
    if (inConflict.has(path)) entries.push({ mode, blob, path });
  }
  const files = entries.filter(({ mode }) => mode.startsWith('100')).map(({ blob }) => blob);
  const labelled = await labelBlobs(checkout, [...new Set(files)], sides);
  const lines: string[] = [];
  const beside: string[] = [];
  for (const { mode, blob, path } of entries) {
    const side = sides.find(({ hash }) => path.includes(`~${hash}`));
    const name = side ? await freeName(checkout, path.replace(`~${side.hash}`, `~${side.suffix}`), there) : path;
    if (side) {
      beside.push(name);
      lines.push(`0 ${'0'.repeat(blob.length)}\t${path}`);
    }
    lines.push(`${mode} ${labelled.get(blob) ?? blob} 0\t${name}`);
  }
  const conflicts = merged.files.filter((path) => !sides.some(({ hash }) => path.includes(`~${hash}`)));
  const next = await withTree(checkout, merged.tree, async (env) => {
    await repo.run(['update-index', '-z', '--index-info'], { env, input: `${lines.join('\0')}\0` });
  });
  return { next, conflicts, beside };
}

interface Entry {
  mode: string;
  blob: string;
  path: string;
}

async function freeName(checkout: string, wanted: string, there: Set<string>): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? wanted : `${wanted}_${n}`;
    if (there.has(name) || (await exists(join(checkout, name)))) continue;
    there.add(name);
    return name;
  }
}

/** By the old blob, the new one where there is one. latin1 preserves each byte. */
async function labelBlobs(
  checkout: string,
  blobs: readonly string[],
  sides: readonly Side[],
): Promise<Map<string, string>> {
  const scratch = await makeTemporary('sides');
  try {
    const env = { GIT_DIR: await git(checkout).run(['rev-parse', '--absolute-git-dir'], { read: true }) };
    const repo = git(scratch);
    const [changed, files]: [string[], string[]] = [[], []];
    for (let from = 0; from < blobs.length; from += AT_ONCE)
      await Promise.all(
        blobs.slice(from, from + AT_ONCE).map(async (blob) => {
          const file = join(scratch, await repo.run(['unpack-file', blob], { env }));
          const text = await readFile(file, 'latin1');
          let named = text;
          for (const { hash, label } of sides)
            named = named.replaceAll(hash, () => Buffer.from(label).toString('latin1'));
          if (named === text) return;
          await writeFile(file, named, 'latin1');
          changed.push(blob);
          files.push(file);
        }),
      );
    if (files.length === 0) return new Map();
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
    const made = (await repo.run(args, { env, input: `${files.join('\n')}\n` })).split('\n');
    return new Map(changed.map((blob, i) => [blob, made[i] ?? blob]));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
