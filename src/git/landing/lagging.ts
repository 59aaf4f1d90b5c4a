/**
 * The checkouts of a target, and which of them landings left behind: by git's own list of worktrees, each with the commit
 * that its files belong to. A worktree whose folder is away counts, too: its index is with its registration. So does one
 * that its person switched to something else, where git took the old files along.
 * Invariant: writes no file. Only {@link laggingForSync} writes refs, and only those that name such commits.
 */
import { join } from 'node:path';
import { isAncestor } from '../ancestry.js';
import { brokenIndex } from '../checkout-index.js';
import { CHECKOUT_BASES, checkoutBaseRef, WORKTREE_BASES, worktreeBaseRef } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { canonical, exists, listWorktrees, readLinks, type WorktreeEntry } from '../worktrees/list.js';
import { openOperationIn } from '../worktrees/operations.js';
import { changedPaths, isBehind } from './checkout.js';
import { hasOldPaths } from './stale-files.js';
import { isStashed } from './stashed-old.js';

export interface Checkout {
  path: string;
  /** Where git can read its index. */
  dir: string;
  /** Its folder cannot be read now; `locked` when git keeps its registration all the same. */
  away?: 'locked' | 'gone';
  /** Names the commit of its files, once a landing left it behind. */
  ref: string;
  base?: string;
  /** Where it is on something else than the target: the commit of its HEAD, and the branch. */
  elsewhere?: { head: string; branch?: string };
}

/** `to`: up to this commit, its files lack what landed. */
export type Lagging = Checkout & { base: string; to: string };

type Bases = ReadonlyMap<string, string>;

async function readBases(repo: string): Promise<Bases> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', CHECKOUT_BASES, WORKTREE_BASES];
  const lines = (await git(repo).run(args, { read: true })).split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ', 2) as [string, string]));
}

/** Targets with a checkout that was behind and may be up to date now. */
export async function rememberedTargets(repo: string): Promise<string[]> {
  return [...new Set([...(await readBases(repo)).keys()].map(targetOf))].sort();
}

function targetOf(ref: string): string {
  if (ref.startsWith(CHECKOUT_BASES)) return ref.slice(CHECKOUT_BASES.length);
  const named = ref.slice(WORKTREE_BASES.length);
  return named.slice(named.indexOf('/') + 1);
}

/** Every checkout that git lists on the target. */
export async function checkoutsOf(
  repo: string,
  target: string,
  worktrees?: readonly WorktreeEntry[],
): Promise<Checkout[]> {
  const all = worktrees ?? (await listWorktrees(repo));
  return all.some(({ branch }) => branch === target)
    ? placesOf(repo, target, { all, wanted: ({ branch }) => branch === target }, await readBases(repo))
    : [];
}

/** The checkout with this ref, also where it is on something else now. */
export async function checkoutWith(repo: string, target: string, ref: string): Promise<Checkout | undefined> {
  const all = await listWorktrees(repo);
  const places = await placesOf(repo, target, { all, wanted: ({ bare }) => !bare }, await readBases(repo));
  return places.find((one) => one.ref === ref);
}

interface Trees {
  /** The main one first. */
  all: readonly WorktreeEntry[];
  wanted: (tree: WorktreeEntry) => boolean;
}

async function placesOf(repo: string, target: string, { all, wanted }: Trees, bases: Bases): Promise<Checkout[]> {
  const trees = all.filter(wanted);
  const common = await sharedGitDir(repo);
  const links = trees.some((tree) => tree !== all[0]) ? Object.entries(await readLinks(common)) : [];
  const names = new Map(
    await Promise.all(links.map(async ([name, { path }]) => [await canonical(path), name] as const)),
  );
  return Promise.all(
    trees.map(async (tree): Promise<Checkout> => {
      const name = tree === all[0] ? undefined : names.get(await canonical(tree.path));
      const ref = name === undefined ? checkoutBaseRef(target) : worktreeBaseRef(name, target);
      // Earlier versions remembered one commit for all checkouts.
      const base = bases.get(ref) ?? bases.get(checkoutBaseRef(target));
      // At the place of a linked worktree, an empty folder may be left, such as a mount point.
      const there = await exists(name === undefined ? tree.path : join(tree.path, '.git'));
      const rest = { ref, ...(base ? { base } : {}), ...elsewhereOf(tree, target) };
      if (there) return { path: tree.path, dir: tree.path, ...rest };
      const away = tree.locked === undefined ? 'gone' : 'locked';
      const dir = name === undefined ? common : join(common, 'worktrees', name);
      return { path: tree.path, dir, away, ...rest };
    }),
  );
}

const elsewhereOf = ({ head = '', branch }: WorktreeEntry, target: string): Pick<Checkout, 'elsewhere'> =>
  branch === target ? {} : { elsewhere: { head, ...(branch === undefined ? {} : { branch }) } };

/** With an index that git cannot read, it is behind until somebody has rebuilt that. */
const hasOld = async (...[dir, ...steps]: Parameters<typeof hasOldPaths>): Promise<boolean> =>
  (await brokenIndex(dir)) !== undefined || hasOldPaths(dir, ...steps);

/** The commit of its files, where it is behind as of now: a person may have updated or committed since. */
export async function behindFrom({ dir, away, base }: Checkout, tip: string): Promise<string | undefined> {
  if (base === undefined) return undefined;
  // Of one that is away, only the index can be read.
  return (await (away ? isBehind(dir, base, tip) : hasOld(dir, base, tip))) ? base : undefined;
}

/** The newest commit of the target in HEAD of a checkout. Undefined: they have none in common. */
export async function reachedBy({ dir, elsewhere }: Checkout, tip: string): Promise<string | undefined> {
  if (!elsewhere) return tip;
  // A branch without a commit has zeros.
  if (!/[1-9a-f]/.test(elsewhere.head)) return undefined;
  return (await git(dir).run(['merge-base', elsewhere.head, tip], { ok: [0, 1], read: true })) || undefined;
}

/** Up to which commit its files lack what landed: of the target, or, elsewhere, of what a commit there would take off. */
async function lacks(checkout: Checkout, tip: string): Promise<string | undefined> {
  const { dir, away, base, elsewhere } = checkout;
  if (!elsewhere) return (await behindFrom(checkout, tip)) && tip;
  const to = base === undefined || away ? undefined : await reachedBy(checkout, tip);
  if (base === undefined || to === undefined) return undefined;
  // The commit of a checkout that kept its old backlog is not on the target, but its parent is.
  const from = await git(dir).run(['merge-base', base, tip], { ok: [0, 1], read: true });
  if (!from || !(await isAncestor(dir, from, to))) return undefined;
  const operation = await openOperationIn(dir);
  if (operation && operation !== 'bisect') return undefined;
  // What that branch itself changed since, its commits say.
  const own = new Set(await changedPaths(dir, to, elsewhere.head));
  return (await hasOld(dir, base, to, own)) ? to : undefined;
}

/** Those that are behind. One process where no landing left anything behind. */
export async function laggingCheckouts(repo: string, target: string, tip: string): Promise<Lagging[]> {
  const bases = await readBases(repo);
  if (![...bases.keys()].some((ref) => targetOf(ref) === target)) return [];
  const found: Lagging[] = [];
  const all = await listWorktrees(repo);
  for (const checkout of await placesOf(repo, target, { all, wanted: ({ bare }) => !bare }, bases)) {
    const { base, elsewhere, ref } = checkout;
    if (base === undefined || (elsewhere && !bases.has(ref))) continue;
    const to = await lacks(checkout, tip);
    if (to !== undefined) found.push({ ...checkout, base, to });
  }
  return found;
}

/** Its old files are there, or in a stash. Where git does not answer, it counts. */
async function mayLagAgain(checkout: Checkout & { base: string }, tip: string): Promise<boolean> {
  try {
    if ((await behindFrom(checkout, tip)) !== undefined) return true;
    return !checkout.away && (await isStashed(checkout.dir, checkout.base, tip));
  } catch {
    return true;
  }
}

/** The same, and each has its own ref then. Forgets worktrees that are up to date or no longer registered. */
export async function laggingForSync(repo: string, target: string, tip: string | undefined): Promise<Lagging[]> {
  const lagging = tip === undefined ? [] : await laggingCheckouts(repo, target, tip);
  const bases = await readBases(repo);
  const lines = lagging.filter(({ ref }) => !bases.has(ref)).map(({ ref, base }) => `create ${ref} ${base}`);
  const kept = new Set(lagging.map(({ ref }) => ref));
  const others = [...bases].filter(([ref]) => targetOf(ref) === target && !kept.has(ref));
  if (others.length > 0) {
    const all = await listWorktrees(repo);
    const places = await placesOf(repo, target, { all, wanted: ({ bare }) => !bare }, bases);
    for (const [ref, base] of others) {
      // On another branch, or on none, it may come back to the target with the same index.
      const off = places.find((place) => place.ref === ref);
      const stays = off && tip !== undefined && (await mayLagAgain({ ...off, base }, tip));
      if (!stays) lines.push(`delete ${ref} ${base}`);
    }
  }
  if (lines.length > 0) await git(repo).run(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` });
  return lagging;
}
