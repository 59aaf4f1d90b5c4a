/**
 * Pushes an idea's gated commits to its own branch on the remote.
 * Invariant: the branch is overwritten only where its tip is a commit that ralphctl pushed or a person merged, and not
 * with the same work once more.
 */
import { isAncestor } from '../../git/ancestry.js';
import { type RemoteGit, saidOf } from '../../git/delivery/remote.js';
import { RepositoryError } from '../../git/errors.js';
import { PINNED_LOG } from '../../git/landing/first-parents.js';
import { reviewRef } from '../../git/refs.js';
import { type GitResult, git } from '../../git/runner.js';
import { ForgeError } from './forge.js';

interface Pushed {
  idea: string;
  branch: string;
  candidate: string;
  onto: string;
  /**
   * The commit in review, where a new round follows it: then the same work is pushed once more. Any other tip is of a
   * try that was cut off.
   */
  inReview: string | undefined;
  /** Tips of the branch that people merged: what ralphctl knew of them went with their reviews. */
  merged: readonly string[];
}

/** Returns the commit that the branch has then. A try that was cut off has pushed the same work under another name. */
export async function pushBranch(
  remote: RemoteGit,
  { idea, branch, candidate, onto, inReview, merged }: Pushed,
): Promise<string> {
  const { root, record } = remote;
  const ref = `refs/heads/${branch}`;
  const listed = await remote.run((name) => ['ls-remote', '--refs', name, ref], 'look');
  if (listed.code !== 0) throw unreachable(record.name, listed);
  const tip = /^([0-9a-f]+)\t/.exec(listed.stdout)?.[1];
  if (tip === candidate) return tip;
  if (tip !== undefined) {
    const options = [
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      '--recurse-submodules=no',
    ];
    const got = await remote.run((name) => ['fetch', ...options, name, ref], 'move');
    if (got.code !== 0) throw unreachable(record.name, got);
    if (!merged.includes(tip) && !(await pushedBefore(root, idea, tip)))
      throw new RepositoryError(
        `Somebody else moved the branch ${branch} of ${record.name} (to ${tip.slice(0, 10)}), so ralphctl does not overwrite it.`,
        `Take it over in the worktree of ${idea}, or delete the branch there: git push ${record.name} --delete ${branch}`,
      );
    if (tip !== inReview && (await sameWork(root, { onto, one: tip, other: candidate }))) return tip;
  }
  // Noted first: a push that is cut off may have arrived.
  await git(root).run(['update-ref', `${pushedRef(idea)}/${candidate}`, candidate]);
  const args = ['push', '--porcelain', '--no-follow-tags', '--no-verify', '--recurse-submodules=no', '--no-signed'];
  const lease = `--force-with-lease=${ref}:${tip ?? ''}`;
  const pushed = await remote.run((name) => [...args, lease, name, `${candidate}:${ref}`], 'move');
  if (pushed.code === 0) return candidate;
  if (/\[remote rejected\]/.test(pushed.stdout))
    throw new RepositoryError(
      `${record.name} rejects the branch ${branch}: ${saidOf(pushed)}.`,
      'Allow it there, or fix what its answer names',
    );
  throw new ForgeError(`the push of ${branch} to ${record.name} failed: ${saidOf(pushed)}`, undefined, {});
}

const unreachable = (name: string, said: Pick<GitResult, 'stderr'>): ForgeError =>
  new ForgeError(`the remote ${name} cannot be reached: ${saidOf(said)}`, undefined, {});

/** Every commit that ralphctl has pushed as the idea's branch. A person's amended commit keeps the trailers, so they prove nothing. */
const pushedRef = reviewRef;

export async function pushedBefore(root: string, idea: string, tip: string): Promise<boolean> {
  const { code } = await git(root).result(['show-ref', '--verify', '--quiet', `${pushedRef(idea)}/${tip}`], {
    ok: [0, 1],
    read: true,
  });
  return code === 0;
}

/** Commits that differ in their times only. */
async function sameWork(
  root: string,
  { onto, one, other }: { onto: string; one: string; other: string },
): Promise<boolean> {
  if (!(await isAncestor(root, onto, one))) return false;
  const read = (tip: string) =>
    git(root).result(['log', '--format=%T%n%B', tip, '--not', onto, '--'], {
      ok: [0, 128],
      read: true,
      config: PINNED_LOG,
    });
  const [left, right] = await Promise.all([read(one), read(other)]);
  return left.code === 0 && right.code === 0 && left.stdout === right.stdout;
}

export async function sameFiles(repo: string, before: string, now: string): Promise<boolean> {
  const { code } = await git(repo).result(['diff-tree', '--quiet', before, now, '--'], { ok: [0, 1, 128], read: true });
  return code === 0;
}
