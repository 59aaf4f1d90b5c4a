/**
 * The branch on the remote as ralphctl saw it last, and a new look at it.
 * Invariant: a look moves refs of ralphctl and the remote-tracking branch only, as a fetch of the user would. The commit
 * that ralphctl saw last stays noted while the target here has commits that somebody removed there.
 */

import { isAncestor } from '../ancestry.js';
import { hasCommit } from '../commit-id.js';
import { readTips, remoteRef } from '../refs.js';
import { git } from '../runner.js';
import { type RemoteGit, type RemoteRecord, saidOf } from './remote.js';

/** The remote could not be asked: no network, no login, no repository there. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

export interface Look {
  /** The commit of the branch on the remote, which is here afterwards; undefined: the remote has no such branch. */
  tip: string | undefined;
  removed?: Removed;
  /** The branch of its HEAD, where the branch of the target is not there: it may have been renamed to that. */
  head?: string;
}

/** The second look is for a push or look of this project that came between listing and reading what was seen. */
const LOOKS = 3;

/** @throws Unreachable */
export async function lookAtRemote(remote: RemoteGit, target: string): Promise<Look> {
  const { root, record } = remote;
  let tip: string | undefined;
  let removed: Removed | undefined;
  for (let n = 0; n < LOOKS; n++) {
    const now = await tipThere(remote);
    if (n > 0 && now === tip) break;
    tip = now;
    if (tip && !(await hasCommit(root, tip))) await fetchBranch(remote);
    removed = await removedThere(root, record, target, tip);
    if (!removed) break;
  }
  if (tip || removed) await noteSeen(root, record, target, { seen: removed?.before ?? tip, tracking: tip });
  const head = tip === undefined ? await headThere(remote) : undefined;
  if (removed && head !== undefined) removed.head = head;
  return { tip, ...(removed ? { removed } : {}), ...(head === undefined ? {} : { head }) };
}

async function tipThere(remote: RemoteGit): Promise<string | undefined> {
  const ref = `refs/heads/${remote.record.branch}`;
  const listing = await remote.run((name) => ['ls-remote', '--refs', name, ref], 'look');
  if (listing.code !== 0) throw new Unreachable(saidOf(listing));
  return listing.stdout
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, name]) => name === ref)?.[0];
}

/** Only a name that can stand in a command. */
async function headThere(remote: RemoteGit): Promise<string | undefined> {
  const { stdout } = await remote.run((name) => ['ls-remote', '--symref', name, 'HEAD'], 'look');
  return /^ref: refs\/heads\/(\w[\w./-]*)\tHEAD$/m.exec(stdout)?.[1];
}

async function fetchBranch(remote: RemoteGit): Promise<void> {
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--recurse-submodules=no'];
  const ref = `refs/heads/${remote.record.branch}`;
  const got = await remote.run((name) => ['fetch', ...options, name, ref], 'move');
  if (got.code !== 0) throw new Unreachable(saidOf(got));
}

interface Seen {
  seen: string | undefined;
  /** For the user's `git status`. */
  tracking: string | undefined;
}

/** Records the commit that the remote has. */
export async function noteSeen(root: string, record: RemoteRecord, target: string, now: Seen): Promise<void> {
  const repo = git(root);
  const seen = remoteRef(record.name, target);
  const tracking = `refs/remotes/${record.name}/${record.branch}`;
  const tips = await readTips(root, [seen, tracking]);
  if (now.seen && tips.get(seen) !== now.seen)
    await repo.run(['update-ref', '-m', 'ralphctl: seen on the remote', seen, now.seen]);
  // Other code takes these words for those of a fetch or push.
  if (now.tracking && tips.has(tracking) && tips.get(tracking) !== now.tracking)
    await repo.result(['update-ref', '-m', 'update by push', tracking, now.tracking], { ok: [0, 1, 128] });
}

export interface Removed {
  /** The commit that the remote had. */
  before: string;
  /** The commit that it has now; undefined: the branch is gone. */
  there: string | undefined;
  commits: number;
  /** The branch of the remote's HEAD, where the branch is gone. */
  head?: string;
  /** The remote has other commits in their place. */
  replaced: boolean;
}

/**
 * Commits that the remote had at the last look, that somebody removed there, and that the target here still has: a push
 * would bring them back. Undefined: none.
 */
async function removedThere(
  root: string,
  record: Pick<RemoteRecord, 'name' | 'branch'>,
  target: string,
  there: string | undefined,
): Promise<Removed | undefined> {
  const before = await lastSeen(root, record, target);
  if (before === undefined || before === there) return undefined;
  const local = `refs/heads/${target}`;
  if (there === undefined) {
    const own = await isAncestor(root, before, local);
    return own ? { before, there, commits: await count(root, before), replaced: false } : undefined;
  }
  if (await isAncestor(root, before, there)) return undefined;
  const [gone, here] = await Promise.all([listed(root, before, there), listed(root, local, there)]);
  const left = [...gone].filter((commit) => here.has(commit)).length;
  if (left === 0) return undefined;
  return { before, there, commits: left, replaced: !(await isAncestor(root, there, before)) };
}

const count = async (root: string, tip: string): Promise<number> =>
  Number(await git(root).run(['rev-list', '--count', tip, '--'], { read: true }));

const listed = async (root: string, tip: string, without: string): Promise<Set<string>> =>
  new Set((await git(root).run(['rev-list', tip, '--not', without, '--'], { read: true })).split('\n').filter(Boolean));

/** For a person: what happened, and both ways out. */
export function removedText(
  { name, branch }: Pick<RemoteRecord, 'name' | 'branch'>,
  target: string,
  { before, there, commits, replaced, head }: Removed,
): { what: string; fix: string } {
  const short = (commit: string): string => commit.slice(0, 10);
  if (there === undefined)
    return {
      what: `${name} has no branch ${branch} any more (it was at ${short(before)})${headText(head)}`,
      fix: `To have it there again: git push ${name} ${short(before)}:refs/heads/${branch}. ${renamedText(name, target, head)}`,
    };
  const [many, them] = commits === 1 ? ['1 commit', 'it'] : [`${commits} commits`, 'them'];
  const back = replaced ? `git rebase ${short(there)} ${target}` : `git push ${name} ${short(before)}:${branch}`;
  return {
    what: `somebody took ${many} off ${name}/${branch} (from ${short(before)} to ${short(there)})`,
    fix: `To take ${them} off here, too: git rebase --onto ${short(there)} ${short(before)} ${target}. To put ${them} back: ${back}`,
  };
}

/** Follows words about a branch that the remote does not have. */
export const headText = (head: string | undefined): string =>
  head === undefined ? '' : `; its default branch is ${head}`;

/** The way on where somebody renamed the branch there. */
export const renamedText = (name: string, target: string, head: string | undefined): string =>
  head === undefined || head === target
    ? 'If it was renamed, end the run and start another one with --target'
    : `If it was renamed to ${head}: ralphctl stop; git fetch ${name}; git branch --move ${target} ${head}; git branch --set-upstream-to ${name}/${head} ${head}; ralphctl start --target ${head}`;

/** The commit that ralphctl, or else the user, saw on the remote last. */
export async function lastSeen(
  root: string,
  { name, branch }: Pick<RemoteRecord, 'name' | 'branch'>,
  target: string,
): Promise<string | undefined> {
  const names = [remoteRef(name, target), `refs/remotes/${name}/${branch}`];
  const tips = await readTips(root, names);
  return names.map((one) => tips.get(one)).find(Boolean);
}

/**
 * The newer of what ralphctl and the user saw on the remote: the user may have pushed or fetched since. For what is
 * said without asking; a push never relies on it.
 */
export async function lastKnown(
  root: string,
  remote: Pick<RemoteRecord, 'name' | 'branch'>,
  target: string,
): Promise<string | undefined> {
  const tracking = `refs/remotes/${remote.name}/${remote.branch}`;
  const [seen, theirs] = await Promise.all([
    lastSeen(root, remote, target),
    readTips(root, [tracking]).then((tips) => tips.get(tracking)),
  ]);
  if (!seen || !theirs || seen === theirs) return seen;
  return (await isAncestor(root, seen, theirs)) ? theirs : seen;
}
