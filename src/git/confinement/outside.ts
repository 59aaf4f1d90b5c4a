/**
 * Reads the parts of a repository that an agent must not change. It reads files and starts no process. A repository
 * that stores refs in tables is refused before.
 * Invariant: reads only. What nobody can read now is an error, and never counts as gone. Excludes the ideas' branches
 * (`ralph/`) and ralphctl's own refs.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { eachOf, isDenied, orNone, readFolder, readRegular } from '../regular.js';

export interface Outside {
  /** Text of HEAD of the user's checkout. */
  head: string;
  /** Branches and tags. */
  refs: Record<string, string>;
  /** Other refs: remote branches, notes, the stash. Absent in files of 0.1. */
  more?: Record<string, string>;
  /** Text of the repository's configuration. */
  config: string;
  /** Commits on the stash list, oldest first, with their messages. */
  stashes: Array<{ commit: string; text: string }>;
  /** Names of the private folders of linked worktrees. */
  worktrees: string[];
  /** Changes with each write to the index of the user's checkout. */
  index: string;
  /** Patterns of a sparse checkout; empty without. Absent in files of earlier versions. */
  sparse?: string;
}

/** Below the checkout's own git directory. A landing writes the files that its patterns name. */
export const SPARSE = 'info/sparse-checkout';

export interface OutsidePlace {
  /** Root of the user's checkout. */
  root: string;
  /** Its own git directory, and the one that all worktrees share. */
  gitDir: string;
  commonDir: string;
}

const text = async (path: string): Promise<string> => (await readRegular(path).catch(noneOr(path))) ?? '';
const entries = async (path: string) => (await readFolder(path).catch(noneOr(path))) ?? [];

/** A file that only others may read is there all the same. */
const noneOr =
  (path: string) =>
  (error: unknown): undefined => {
    if (isDenied(error))
      throw new RepositoryError(
        `ralphctl may not read ${path}, so it cannot tell what an agent changes there.`,
        `Give yourself the right: sudo chown "$(id -u)" ${shellQuoted(path)} && chmod u+rwX ${shellQuoted(path)}`,
      );
    return orNone(error);
  };

export async function readOutside({ gitDir, commonDir }: OutsidePlace): Promise<Outside> {
  const [head, all, config, stashes, worktrees, index, sparse] = await Promise.all([
    text(join(gitDir, 'HEAD')),
    readRefs(commonDir),
    text(join(commonDir, 'config')),
    readStashes(commonDir),
    entries(join(commonDir, 'worktrees')).then((found) => found.map(({ name }) => name)),
    stat(join(gitDir, 'index')).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      (error: unknown) => orNone(error) ?? '',
    ),
    text(join(gitDir, SPARSE)),
  ]);
  const names = Object.keys(all).sort();
  const pick = (wanted: boolean) =>
    Object.fromEntries(names.flatMap((name) => (isBranchOrTag(name) === wanted ? [[name, all[name] ?? '']] : [])));
  return { head: head.trim(), refs: pick(true), more: pick(false), config, stashes, worktrees, index, sparse };
}

const isBranchOrTag = (name: string): boolean => /^refs\/(?:heads|tags)\//.test(name);
/** Refs of ralphctl, refs of a single worktree, and replace refs, which the wall watches. */
const NOT_WATCHED = /^refs\/(?:heads\/ralph|ralphctl|bisect|worktree|rewritten|replace)\//;
const watched = (name: string): boolean => name.startsWith('refs/') && !NOT_WATCHED.test(name);

async function readRefs(commonDir: string): Promise<Record<string, string>> {
  const refs: Record<string, string> = {};
  for (const line of (await text(join(commonDir, 'packed-refs'))).split('\n')) add(refs, line);
  // A loose ref wins over a packed one.
  await readLoose(commonDir, 'refs/', refs);
  return refs;
}

function add(refs: Record<string, string>, line: string): void {
  const [, commit, name] = /^([0-9a-f]{40,64}) ([^ ]+)$/.exec(line) ?? [];
  if (commit && name && watched(name)) refs[name] = commit;
}

async function readLoose(commonDir: string, prefix: string, refs: Record<string, string>): Promise<void> {
  const found = await entries(join(commonDir, prefix));
  await eachOf(found, async (entry) => {
    const name = `${prefix}${entry.name}`;
    if (!entry.isDirectory() && !entry.name.endsWith('.lock'))
      add(refs, `${(await text(join(commonDir, name))).trim()} ${name}`);
  });
  for (const entry of found)
    if (entry.isDirectory() && watched(`${prefix}${entry.name}/x`))
      await readLoose(commonDir, `${prefix}${entry.name}/`, refs);
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

/** Without `s` the dot does not match U+2028 and U+2029, which a name or a subject may contain. */
const MOVE = /^([0-9a-f]+) ([0-9a-f]+) .*?> (\d+) [+-]\d{4}(?:\t(.*))?$/s;

/** The moves in a reflog, oldest first; empty without a reflog. */
export async function readMoves(gitDir: string, ref: string): Promise<RefMove[]> {
  const moves: RefMove[] = [];
  for (const line of (await text(join(gitDir, 'logs', ref))).split('\n')) {
    const [, from, to, at, said = ''] = MOVE.exec(line) ?? [];
    if (from && to) moves.push({ from, to, at: Number(at), text: said, line });
  }
  return moves;
}
