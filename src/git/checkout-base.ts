/**
 * A user's checkout that was left behind because it had edits: which commit do its files correspond to?
 * Invariant: reads the checkout, never writes to it.
 */
import { git } from './git.js';
import { checkoutBaseRef } from './names.js';
import { readStatus, type Status } from './status.js';
import { exists } from './worktree-list.js';

/** The remembered commit, if there is one. */
export async function rememberedBase(repo: string, target: string): Promise<string | undefined> {
  const text = await git(repo).run(['for-each-ref', '--format=%(objectname)', checkoutBaseRef(target)], { read: true });
  return text || undefined;
}

/** Are index and files exactly those of `base`, so that they can be brought forward without losing an edit? */
export async function isUntouchedSince(checkout: string, base: string, status: Status): Promise<boolean> {
  if (status.tracked.some((entry) => entry.unmerged || entry.unstaged !== '.')) return false;
  return (await stagedChanges(checkout, base)).length === 0;
}

/** Which of two commits a checkout with edits was made from: the one that its index is closer to. */
export async function closerBase(checkout: string, remembered: string | undefined, tip: string): Promise<string> {
  if (!remembered || remembered === tip) return tip;
  const [old, now] = await Promise.all([stagedChanges(checkout, remembered), stagedChanges(checkout, tip)]);
  return now.length <= old.length ? tip : remembered;
}

/** Files that `from..to` adds and that already lie in the checkout, untracked or ignored. */
export async function inTheWay(checkout: string, from: string, to: string): Promise<string[]> {
  const args = ['diff-tree', '-r', '--name-only', '--no-renames', '--diff-filter=A', '-z', from, to];
  const added = (await git(checkout).run(args, { read: true })).split('\0').filter(Boolean);
  const there = await Promise.all(added.map((path) => exists(`${checkout}/${path}`)));
  return added.filter((_, i) => there[i]);
}

async function stagedChanges(checkout: string, commit: string): Promise<string[]> {
  const text = await git(checkout).run(['diff-index', '--cached', '--name-only', '-z', commit, '--'], { read: true });
  return text.split('\0').filter(Boolean);
}

/** The command with which the user brings a left-behind checkout up to date: keeps edits, refuses where they overlap. */
export const catchUpCommand = (checkout: string, target: string): string =>
  `git -C ${quote(checkout)} read-tree -m -u ${checkoutBaseRef(target)} HEAD`;

/** The warning about a checkout that landings have left behind; undefined when there is none. */
export async function checkoutBehind(repo: string, target: string): Promise<string | undefined> {
  if ((await rememberedBase(repo, target)) === undefined) return undefined;
  return (
    `${target} is ahead of the files that are checked out, because they had edits when ideas landed. ` +
    `Before you commit there, bring them up to date (this keeps your edits): ${catchUpCommand(repo, target)}`
  );
}

/**
 * The warning about edits in the user's checkout of the target, which keep every landing from bringing its files along;
 * undefined when the target is not checked out there, or clean.
 */
export async function checkoutEdited(
  repo: string,
  target: string,
  branch: string | undefined,
): Promise<string | undefined> {
  if (branch !== target) return undefined;
  const { tracked } = await readStatus(repo);
  const [first] = tracked;
  if (!first) return undefined;
  const more = tracked.length > 1 ? ` and ${tracked.length - 1} more` : '';
  return (
    `${first.path}${more} ${tracked.length > 1 ? 'have' : 'has'} edits that are not committed: they stay as they are, and for that ` +
    `landed work reaches ${target}, but not the files checked out here. Commit them first if you want to see it arrive.`
  );
}

const quote = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
