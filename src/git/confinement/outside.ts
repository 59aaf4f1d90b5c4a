/**
 * What of a repository an agent has no business changing, read as files: no process, unless refs are kept in tables.
 * Invariant: reads only. The idea's branches (`ralph/`), remote branches and ralphctl's own refs are not part of it.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../runner.js';
import { exists } from '../worktrees/list.js';

export interface Outside {
  /** Text of HEAD of the user's checkout. */
  head: string;
  /** Branches and tags. */
  refs: Record<string, string>;
  /** Text of the repository's configuration. */
  config: string;
  /** Commits on the stash list, oldest first, with what the list says of them. */
  stashes: Array<{ commit: string; text: string }>;
  /** Names of the private folders of linked worktrees. */
  worktrees: string[];
  /** Changes when the index of the user's checkout is written. */
  index: string;
}

export interface OutsidePlace {
  /** Root of the user's checkout. */
  root: string;
  /** Its own git directory, and the one that all worktrees share. */
  gitDir: string;
  commonDir: string;
}

const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

export async function readOutside({ root, gitDir, commonDir }: OutsidePlace): Promise<Outside> {
  const [head, refs, config, stashes, worktrees, index] = await Promise.all([
    text(join(gitDir, 'HEAD')),
    readRefs(root, commonDir),
    text(join(commonDir, 'config')),
    readStashes(commonDir),
    readdir(join(commonDir, 'worktrees')).catch(() => []),
    stat(join(gitDir, 'index')).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => '',
    ),
  ]);
  return { head: head.trim(), refs, config, stashes, worktrees, index };
}

const PREFIXES = ['refs/heads/', 'refs/tags/'] as const;
const watched = (name: string): boolean =>
  PREFIXES.some((prefix) => name.startsWith(prefix)) && !name.startsWith('refs/heads/ralph/');

async function readRefs(root: string, commonDir: string): Promise<Record<string, string>> {
  const refs: Record<string, string> = {};
  if (await exists(join(commonDir, 'reftable'))) {
    const listed = await git(root).run(['for-each-ref', '--format=%(objectname) %(refname)', ...PREFIXES], {
      read: true,
    });
    for (const line of listed.split('\n')) add(refs, line);
    return refs;
  }
  for (const line of (await text(join(commonDir, 'packed-refs'))).split('\n')) add(refs, line);
  // A loose ref wins over a packed one.
  for (const prefix of PREFIXES) await readLoose(commonDir, prefix, refs);
  return refs;
}

function add(refs: Record<string, string>, line: string): void {
  const [, commit, name] = /^([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
  if (commit && name && watched(name)) refs[name] = commit;
}

async function readLoose(commonDir: string, prefix: string, refs: Record<string, string>): Promise<void> {
  const entries = await readdir(join(commonDir, prefix), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) return watched(`${name}/x`) ? readLoose(commonDir, `${name}/`, refs) : undefined;
      if (!entry.name.endsWith('.lock')) add(refs, `${(await text(join(commonDir, name))).trim()} ${name}`);
      return undefined;
    }),
  );
}

async function readStashes(commonDir: string): Promise<Outside['stashes']> {
  const lines = (await text(join(commonDir, 'logs/refs/stash'))).split('\n').filter(Boolean);
  return lines.map((line) => ({ commit: line.split(' ')[1] ?? '', text: line.slice(line.indexOf('\t') + 1) }));
}

/** One line of a reflog. */
export interface RefMove {
  from: string;
  to: string;
  /** epoch seconds */
  at: number;
  text: string;
  line: string;
}

/** The moves that a reflog has, oldest first; empty where there is none. */
export async function readMoves(gitDir: string, ref: string): Promise<RefMove[]> {
  const moves: RefMove[] = [];
  for (const line of (await text(join(gitDir, 'logs', ref))).split('\n')) {
    const [, from, to, at, said = ''] = /^([0-9a-f]+) ([0-9a-f]+) .*?> (\d+) [+-]\d{4}(?:\t(.*))?$/.exec(line) ?? [];
    if (from && to) moves.push({ from, to, at: Number(at), text: said, line });
  }
  return moves;
}
