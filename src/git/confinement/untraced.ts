/**
 * Compares the user's repository before and after agents ran: branches, tags, stashes, remotes, HEAD and sparse patterns
 * of the checkout. A git without a trace, a plain write or the user may have made a change; each comes with the command
 * that undoes it.
 * Invariant: pure. Excludes changes by landings of ralphctl, a fetch or a push. No undo removes a landing.
 */

import { join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { type Outside, type RefMove, SPARSE } from './outside.js';

export interface Untraced {
  /** Key of the change, equal for every run that sees it. */
  key: string;
  /** The changed ref, setting or file. */
  subject: string;
  /** The change, as a clause. */
  what: string;
  /** Absent where no command undoes the change alone. */
  undo?: string;
}

export interface Around {
  root: string;
  /** The checkout's own git directory. */
  gitDir: string;
  /** A copy of the earlier patterns of the checkout. Absent: none could be kept. */
  keptPatterns?: string | undefined;
  /** Reflogs of refs that changed. */
  moves: ReadonlyMap<string, readonly RefMove[]>;
  /** Whether ralphctl made this move. */
  isOurs: (ref: string, move: Pick<RefMove, 'to' | 'text'>) => boolean;
  /** A fetch or a pull ran meanwhile. */
  fetched: boolean;
  /** Branches created in a ralphctl worktree. */
  madeInWorktrees: (branch: string) => boolean;
  /** Remotes with their addresses. */
  remotes: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> };
}

const short = (commit: string): string => commit.slice(0, 10);
const ZERO = '0'.repeat(40);

export function untracedChanges(before: Outside, after: Outside, around: Around): Untraced[] {
  return [
    ...refChanges(before.refs, after.refs, after.head, around),
    ...(before.more && after.more ? refChanges(before.more, after.more, after.head, around) : []).filter(
      ({ subject }) => subject !== 'refs/stash' || sameStashes(before, after),
    ),
    ...stashChanges(before, after, around),
    ...headChange(before, after, around),
    ...remoteChanges(around),
    ...sparseChange(before, after, around),
  ];
}

/**
 * The patterns of a sparse checkout: `git sparse-checkout` of a person writes them as well as an agent may. The undo
 * copies a file: texts for people join lines, and patterns in one line empty the checkout.
 */
export function sparseChange(
  { sparse: was }: Outside,
  { sparse: is }: Outside,
  { root, gitDir, keptPatterns }: Pick<Around, 'root' | 'gitDir' | 'keptPatterns'>,
): Untraced[] {
  if (was === undefined || is === undefined || was === is) return [];
  const file = shellQuoted(join(gitDir, SPARSE));
  const back =
    keptPatterns && `cp ${shellQuoted(keptPatterns)} ${file} && git -C ${shellQuoted(root)} sparse-checkout reapply`;
  const undo = was === '' ? `rm -f ${file}` : back;
  return [
    {
      key: `sparse ${is}`,
      subject: SPARSE,
      what: `the patterns of your sparse checkout changed (.git/${SPARSE}), which name the files that a landing writes there`,
      ...(undo === undefined ? {} : { undo }),
    },
  ];
}

const sameStashes = (before: Outside, after: Outside): boolean =>
  JSON.stringify(before.stashes) === JSON.stringify(after.stashes);

type Refs = Readonly<Record<string, string>>;

function refChanges(before: Refs, after: Refs, head: string, around: Around): Untraced[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (one) => before[one] !== after[one],
  );
  return names.sort().flatMap((ref) => {
    const [from, to] = [before[ref], after[ref]];
    if (isExpected(ref, from, to, around)) return [];
    const shown =
      besideLandings(ref, from, to, { ...around, head }) ?? said(ref, from, to, { head, root: around.root });
    return [{ key: `${ref} ${to ?? '-'}`, subject: ref, ...shown }];
  });
}

function isExpected(ref: string, from: string | undefined, to: string | undefined, around: Around): boolean {
  const log = around.moves.get(ref) ?? [];
  const last = log.at(-1);
  if (ref.startsWith('refs/remotes/'))
    return (
      around.fetched || (last?.to === to && /^(?:fetch|pull|push|update by push|clone|remote)\b/.test(last?.text ?? ''))
    );
  if (from === undefined && ref.startsWith('refs/tags/')) return around.fetched;
  if (from === undefined) return around.madeInWorktrees(ref.replace('refs/heads/', ''));
  if (to === undefined) return false;
  const since = log.slice(log.findLastIndex((move) => move.to === from) + 1);
  // A move between two landings is also a change, and so is a move without a reflog line.
  if (since.length === 0) return around.isOurs(ref, { to, text: '' });
  // The reflog is read after the ref: a landing in between adds lines behind it.
  const steps = since.slice(0, since.findLastIndex((move) => move.to === to) + 1);
  return steps.length > 0 && steps.every((move) => around.isOurs(ref, move));
}

/** A commit that a revert undoes: neither a merge nor a rewritten one. */
const ONE_COMMIT = /^(?:commit|revert|cherry-pick|am):/;
const MOST_NAMED = 5;

/** A move with landings of ralphctl in it or after it. A reset to `from` would drop them. */
function besideLandings(
  ref: string,
  from: string | undefined,
  to: string | undefined,
  { head, root, moves, isOurs }: Around & { head: string },
): Pick<Untraced, 'what' | 'undo'> | undefined {
  if (!from || !to) return undefined;
  const log = moves.get(ref) ?? [];
  const known = log.findLastIndex((move) => move.to === from);
  // The line of `from` may have expired.
  const start = known < 0 ? log.findIndex((move) => move.from === from) : known + 1;
  const since = log.slice(Math.max(start, 0));
  if (!since.some((move) => isOurs(ref, move))) return undefined;
  const foreign = since
    .slice(0, since.findLastIndex((move) => move.to === to) + 1)
    .filter((move) => !isOurs(ref, move))
    .reverse();
  // Without its lines in the reflog, nothing tells which commits the move consists of.
  const isKnown = start >= 0 && foreign.length > 0;
  const commits = isKnown ? foreign.map((move) => short(move.to)) : [short(to)];
  const more = commits.length > MOST_NAMED ? ` and ${commits.length - MOST_NAMED} more` : '';
  const named = `${commits.slice(0, MOST_NAMED).join(', ')}${more}`;
  const what = `${nameOf(ref)} moved from ${short(from)} to ${short(to)}; ralphctl landed meanwhile and did not make ${named}`;
  const isRevertible = isKnown && foreign.every(({ text }) => ONE_COMMIT.test(text)) && head === `ref: ${ref}`;
  return isRevertible ? { what, undo: `git -C ${shellQuoted(root)} revert --no-edit ${commits.join(' ')}` } : { what };
}

function said(
  ref: string,
  from: string | undefined,
  to: string | undefined,
  { head, root }: { head: string; root: string },
): Pick<Untraced, 'what' | 'undo'> {
  const name = nameOf(ref);
  const git = `git -C ${shellQuoted(root)}`;
  if (from === undefined)
    return {
      what: `${name} was created at ${short(to ?? '')}`,
      undo: `${git} update-ref -d ${ref} ${short(to ?? '')}`,
    };
  if (to === undefined)
    return {
      what: `${name} was deleted, it was at ${short(from)}`,
      undo: `${git} update-ref ${ref} ${short(from)} ${ZERO}`,
    };
  const back = head === `ref: ${ref}` ? `reset --keep ${short(from)}` : `update-ref ${ref} ${short(from)} ${short(to)}`;
  return { what: `${name} moved from ${short(from)} to ${short(to)}`, undo: `${git} ${back}` };
}

function nameOf(ref: string): string {
  const [, kind, name] = /^refs\/(heads|tags|remotes)\/(.+)$/s.exec(ref) ?? [];
  const kinds: Record<string, string> = { heads: 'branch', tags: 'tag', remotes: 'remote branch' };
  return kind && name ? `the ${kinds[kind]} ${name}` : ref;
}

function stashChanges(before: Outside, after: Outside, { root }: Around): Untraced[] {
  const git = `git -C ${shellQuoted(root)}`;
  const had = new Set(before.stashes.map((one) => one.commit));
  const has = new Set(after.stashes.map((one) => one.commit));
  const lost = before.stashes.filter((one) => !has.has(one.commit));
  const made = after.stashes.filter((one) => !had.has(one.commit));
  return [
    ...lost.map(({ commit, text }) => ({
      key: `stash - ${commit}`,
      subject: text,
      what: `the stash ${short(commit)} (${text.slice(0, 60)}) was dropped`,
      undo: `${git} stash store -m ${shellQuoted(text.slice(0, 60))} ${short(commit)}`,
    })),
    ...made.map(({ commit, text }) => ({
      key: `stash + ${commit}`,
      subject: text,
      what: `the stash ${short(commit)} (${text.slice(0, 60)}) was made`,
      undo: `${git} stash apply --index ${short(commit)}`,
    })),
  ];
}

function headChange(before: Outside, after: Outside, { root }: Around): Untraced[] {
  if (before.head === after.head) return [];
  const place = (head: string): string => head.replace(/^ref: refs\/heads\//, '');
  const back = before.head.startsWith('ref: ') ? place(before.head) : `--detach ${before.head}`;
  return [
    {
      key: `HEAD ${after.head}`,
      subject: 'HEAD',
      what: `HEAD of your checkout moved from ${place(before.head).slice(0, 60)} to ${place(after.head).slice(0, 60)}`,
      undo: `git -C ${shellQuoted(root)} switch ${back}`,
    },
  ];
}

/** `wall-config.ts` restores a changed address. */
function remoteChanges({ root, remotes: { before, after } }: Around): Untraced[] {
  const git = `git -C ${shellQuoted(root)}`;
  const added = [...after].filter(([name]) => !before.has(name));
  const gone = [...before].filter(([name]) => !after.has(name));
  return [
    ...added.map(([name, url]) => ({
      key: `remote + ${name} ${url}`,
      subject: `remote ${name}`,
      what: `the remote ${name} (${url.slice(0, 100)}) was added`,
      undo: `${git} remote remove ${shellQuoted(name)}`,
    })),
    ...gone.map(([name, url]) => ({
      key: `remote - ${name} ${url}`,
      subject: `remote ${name}`,
      what: `the remote ${name} was removed`,
      undo: `${git} remote add ${shellQuoted(name)} ${shellQuoted(url)}`,
    })),
  ];
}
