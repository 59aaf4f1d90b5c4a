/** Three-way merges in the object database: no worktree, no index, nothing to abort. Invariant: moves no ref. */
import type { Git } from './git.js';

export type Merged =
  | { kind: 'clean'; tree: string }
  /** `tree` has conflict markers in it. */
  | { kind: 'conflict'; tree: string; files: string[]; messages: string[] };

/** Merges two commits over their merge base; one process. */
export async function mergeTrees(repo: Git, ours: string, theirs: string): Promise<Merged> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const got = await repo.result(args, { ok: [0, 1] });
  return parseMergeTree(got.code, got.stdout);
}

export function parseMergeTree(code: number, text: string): Merged {
  const fields = text.split('\0');
  const tree = fields[0] ?? '';
  if (code === 0) return { kind: 'clean', tree };
  const end = fields.indexOf('', 1);
  const files = [...new Set(fields.slice(1, end))];
  const messages: string[] = [];
  // Each message: number of paths, the paths, the type, the text.
  for (let at = end + 1; at < fields.length && fields[at] !== ''; ) {
    const paths = Number(fields[at]);
    const type = fields[at + paths + 1] ?? '';
    if (type.startsWith('CONFLICT')) messages.push((fields[at + paths + 2] ?? '').trim());
    at += paths + 3;
  }
  return { kind: 'conflict', tree, files, messages };
}
