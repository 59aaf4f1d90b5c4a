/**
 * Restores a save point as a branch.
 * Invariant: no commit and no uncommitted work is ever overwritten. A branch is made, or moved forward to a save point
 * that contains it; a checked-out branch moves only when everything there is saved.
 */

import { identityEnv } from '../commits.js';
import { RepositoryError } from '../errors.js';
import { readTip } from '../refs.js';
import { type Git, git } from '../runner.js';
import { isClean, readStatus } from '../status.js';
import { exists, listWorktrees } from '../worktrees/list.js';
import { openOperationIn } from '../worktrees/operations.js';
import { CHECKOUT_SAVES, listSaves, type SavePoint, subjectOf } from './saves.js';

export interface Restored {
  branch: string;
  commit: string;
  /** `same`: the branch already existed. */
  how: 'created' | 'moved' | 'same';
}

/** Default branch: `restored/<idea>-<n>`. Throws {@link RepositoryError} when something blocks it. */
export async function restoreSave(input: { repo: string; idea: string; n: number; to?: string }): Promise<Restored> {
  const { repo, idea, n } = input;
  const saves = await listSaves(repo, idea);
  const save = saves.find((one) => one.n === n);
  if (!save) {
    const known = saves.length > 0 ? `Its saves: ${saves.map((one) => one.n).join(', ')}` : 'It has no save';
    throw new RepositoryError(`${idea} has no save ${n}.`, `${known}. List them with: ralphctl saves`);
  }
  const run = git(repo);
  const branch = input.to ?? `restored/${idea}-${n}`;
  await assertName(run, branch);
  const ref = `refs/heads/${branch}`;
  const tip = await readTip(repo, ref);
  const commit = await plain(repo, save, tip);
  if (tip === commit) return { branch, commit, how: 'same' };
  const reason = `ralphctl: restore save ${n} of ${idea}`;
  if (!tip) {
    const made = await run.result(['update-ref', '-m', reason, ref, commit, '0'.repeat(commit.length)], {
      ok: [0, 1, 128],
    });
    if (made.code === 0) return { branch, commit, how: 'created' };
    throw new RepositoryError(
      `git could not create the branch ${branch}: ${made.stderr.trim()}.`,
      'Choose another name with: --to NAME',
    );
  }
  const holds = await run.result(['merge-base', '--is-ancestor', tip, commit], { ok: [0, 1], read: true });
  if (holds.code !== 0)
    throw new RepositoryError(
      `The branch ${branch} has commits that save ${n} of ${idea} does not contain.`,
      'Choose another: --to NAME',
    );
  await forward(repo, { branch, tip, commit, reason });
  return { branch, commit, how: 'moved' };
}

/**
 * A save point of staged and unstaged work has two parents; a branch gets the whole state as one plain commit. A person's
 * own staged work comes before it: they may have staged a part of their edits to commit only that.
 */
async function plain(repo: string, save: SavePoint, tip: string | undefined): Promise<string> {
  if (save.parents < 2) return save.commit;
  const args = ['rev-parse', `${tip ?? save.commit}^{tree}`, `${save.commit}^{tree}`];
  const trees = await git(repo).run(args, { read: true });
  const [there, wanted = ''] = trees.split('\n');
  if (tip && there === wanted) return tip;
  const parent = save.idea === CHECKOUT_SAVES ? `${save.commit}^2` : save.head;
  return git(repo).run(['commit-tree', wanted, '-p', parent], {
    env: await identityEnv(repo),
    input: `${subjectOf(save.idea)}\n`,
  });
}

async function assertName(run: Git, branch: string): Promise<void> {
  const valid = await run.result(['check-ref-format', '--branch', branch], { ok: [0, 1, 128], read: true });
  if (valid.code !== 0 || branch.startsWith('-') || branch.startsWith('refs/') || valid.stdout.trim() !== branch)
    throw new RepositoryError(`${JSON.stringify(branch)} is not a valid branch name.`, 'Choose another: --to NAME');
}

async function forward(
  repo: string,
  { branch, tip, commit, reason }: { branch: string; tip: string; commit: string; reason: string },
): Promise<void> {
  const holders = (await listWorktrees(repo)).filter((one) => one.branch === branch);
  const there: string[] = [];
  for (const { path } of holders) if (await exists(path)) there.push(path);
  for (const path of there) {
    if (isClean(await readStatus(path)) && !(await openOperationIn(path))) continue;
    throw new RepositoryError(
      `${branch} is checked out in ${path}, which has work that is not committed.`,
      'Commit it there, or choose another branch: --to NAME',
    );
  }
  const [checkout, more] = there;
  if (more)
    throw new RepositoryError(
      `${branch} is checked out in ${there.join(' and ')}.`,
      'Choose another branch: --to NAME',
    );
  if (!checkout) {
    await git(repo).run(['update-ref', '-m', reason, `refs/heads/${branch}`, commit, tip]);
    return;
  }
  const args = ['merge', '--ff-only', '--quiet', '--no-stat', '--no-autostash', '--no-overwrite-ignore', commit];
  const moved = await git(checkout).result(args, { ok: [0, 1, 2, 128], env: { GIT_REFLOG_ACTION: reason } });
  if (moved.code === 0) return;
  throw new RepositoryError(
    `${branch}, checked out in ${checkout}, cannot be brought forward: ${moved.stderr.trim().slice(-300)}.`,
    'Choose another branch: --to NAME',
  );
}
