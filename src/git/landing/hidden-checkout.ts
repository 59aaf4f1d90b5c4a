/**
 * A checkout of the target that git does not know: its git directory is in a folder of its own
 * (`git init --separate-git-dir`), and a linked worktree leads to that directory only. Landings could not bring it along.
 * Invariant: reads only.
 */
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { exists, listWorktrees, type WorktreeEntry } from '../worktrees/list.js';

/** @throws RepositoryError with the ways on. From the checkout itself, git knows it. */
export async function refuseHiddenCheckout(
  repo: string,
  target: string,
  worktrees?: readonly WorktreeEntry[],
): Promise<void> {
  const [main] = worktrees ?? (await listWorktrees(repo));
  if (!main || main.bare || main.branch !== target || !(await isGitDirectory(main.path))) return;
  const config = shellQuoted(`${main.path}/config`);
  throw new RepositoryError(
    `The main checkout of this repository has ${target}, and nothing leads from here to its folder: its git directory is ${main.path}. A landing must bring that checkout along.`,
    `Run ralphctl in that checkout, or tell git once where it is: git config --file ${config} core.worktree FOLDER. If it is gone, detach its HEAD: git --git-dir=${shellQuoted(main.path)} update-ref --no-deref HEAD ${main.head ?? target}`,
  );
}

/** Git lists the directory itself where it knows no checkout. */
async function isGitDirectory(path: string): Promise<boolean> {
  const there = await Promise.all(['.git', 'HEAD', 'objects'].map((name) => exists(`${path}/${name}`)));
  return !there[0] && there[1] === true && there[2] === true;
}
