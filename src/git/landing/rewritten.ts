/**
 * Commits on a branch that a person made out of a landing: amended, rebased or picked. They keep its trailer or its
 * author, and may have another content.
 * Invariant: a commit counts as rewritten only with a proof of what it was: the claim of its idea, by the same author at
 * the same second, or the reflog. Without one, its trailer is believed. Moves no ref and touches no file.
 */

import { isAncestor } from '../ancestry.js';
import { readMoves } from '../confinement/outside.js';
import { claimRef } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { isWithin } from '../within.js';
import { type LineCommit, readEach } from './first-parents.js';
import type { Landing } from './landed.js';
import { whatIsLeft } from './left.js';

export interface Rewritten {
  /** As it is on the branch. */
  now: LineCommit;
  /** As ralphctl landed it. */
  original: LineCommit;
  /** Files that it changes otherwise than the original does. */
  otherwise: ReadonlySet<string>;
}

interface About {
  repo: string;
  target: string;
  backlogPath?: string | undefined;
}

/** Each takes processes of its own; of the others, the trailer is believed. */
const MOST_JUDGED = 20;

/** By commit: those whose content is another. `landed`: the newest commit of each idea on the target, also a reworded one. */
export async function rewrittenOf(
  { repo, target, backlogPath }: About,
  landed: ReadonlyMap<string, string>,
): Promise<Map<string, Rewritten>> {
  const [claims, amends] = await Promise.all([readClaims(repo), readAmends(repo, target)]);
  const pairs = new Map<string, string>();
  for (const [idea, commit] of landed) {
    const claim = claims.get(idea);
    if (claim !== undefined && claim !== commit) pairs.set(commit, claim);
  }
  if (pairs.size + amends.size === 0) return new Map();
  const own = new Set(landed.values());
  const all = [...pairs, ...amends].flat();
  const read = await readEach(repo, all);
  const found = new Map<string, Rewritten>();
  for (const [commit, before] of [...pairs, ...amends]) {
    const [now, original] = [read.get(commit), read.get(before)];
    if (!now || !original || found.has(commit) || found.size >= MOST_JUDGED) continue;
    // One without a name is in `landed` by a proof of its own.
    const same = now.landed.length === 0 ? own.has(commit) : now.landed.some((idea) => original.landed.includes(idea));
    // By its claim it is the same work only where the author is the same.
    const proven = amends.get(commit) === before || now.author === original.author;
    if (!same || !proven || isSame(now, original, backlogPath) || (await isWithinLanding(repo, now, original)))
      continue;
    found.set(commit, { now, original, otherwise: await otherwise(repo, { now, original, backlogPath }) });
  }
  return found;
}

/** All claims of landings, by idea, or those that a branch does not contain: one process. */
export async function readClaims(repo: string, { notOn }: { notOn?: string } = {}): Promise<Map<string, string>> {
  const prefix = claimRef('');
  const only = notOn === undefined ? [] : [`--no-merged=refs/heads/${notOn}`];
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', ...only, prefix];
  const text = await git(repo).run(args, { read: true });
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), commit);
  }
  return found;
}

/** What `git commit --amend` replaced, by the commit that it made; of several in a row, the first. */
export async function readAmends(repo: string, target: string): Promise<Map<string, string>> {
  const moves = await readMoves(await sharedGitDir(repo), `refs/heads/${target}`);
  const found = new Map<string, string>();
  for (const { from, to, text } of moves) {
    if (text.startsWith('commit (amend)')) found.set(to, found.get(from) ?? from);
  }
  return found;
}

/** The files of both, outside the backlog. */
function filesOf({ files }: LineCommit, backlogPath: string | undefined): LineCommit['files'] {
  return new Map([...files].filter(([path]) => !isWithin(path, backlogPath)));
}

function isSame(now: LineCommit, original: LineCommit, backlogPath: string | undefined): boolean {
  const [mine, theirs] = [filesOf(now, backlogPath), filesOf(original, backlogPath)];
  return mine.size === theirs.size && [...mine].every(([path, { to }]) => theirs.get(path)?.to === to);
}

/** An earlier commit of the same landing, of which the last one lost its trailer. */
async function isWithinLanding(repo: string, now: LineCommit, original: LineCommit): Promise<boolean> {
  return isAncestor(repo, now.sha, original.sha);
}

/** A file that still has the original's change was rewritten with it. */
async function otherwise(
  repo: string,
  { now, original, backlogPath }: { now: LineCommit; original: LineCommit; backlogPath: string | undefined },
): Promise<Set<string>> {
  const theirs = original.files;
  const paths = [...filesOf(now, backlogPath)].filter(([path, { to }]) => theirs.get(path)?.to !== to);
  const found = new Set(paths.map(([path]) => path));
  if (![...found].some((path) => theirs.has(path)) || original.parent === undefined) return found;
  const left = await whatIsLeft(repo, { from: original.parent, to: original.sha, apart: true });
  const { kept, unsure } = await left(now.sha);
  for (const path of found) if (theirs.has(path) && (kept.has(path) || unsure.has(path))) found.delete(path);
  return found;
}

/** The landing as it was before a person rewrote its last commit. */
export function asLanded(landing: Landing, { now, original }: Rewritten): Landing {
  const from = now.parent === original.parent ? landing.from : (original.parent ?? landing.from);
  return { ...landing, from, to: original.sha, apart: true };
}
