/**
 * Branches of the user's that have a name which ralphctl needs. Invariant: reads only; they are refused by name, never
 * taken over and never changed.
 */
import { RepositoryError } from './errors.js';
import { namedIdeas, PINNED_LOG } from './landing/first-parents.js';
import { branchRef, ideaBranch } from './refs.js';
import { git } from './runner.js';

/** A branch named `ralph`, or one below the idea's own name, makes the idea's branch impossible. */
export async function refuseBlockedNames(repo: string, branch = ''): Promise<void> {
  const text = await git(repo).run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/ralph'], {
    read: true,
  });
  const names = text.split('\n').filter(Boolean);
  const inTheWay = names.find((name) => name === 'ralph' || (branch !== '' && name.startsWith(`${branch}/`)));
  if (!inTheWay) return;
  throw new RepositoryError(
    `A branch named ${inTheWay} in ${repo} blocks ${branch ? `the branch ${branch}` : 'the branches of ideas (ralph/<idea>)'}.`,
    `Rename it: git branch -m ${inTheWay} ${inTheWay.replaceAll('/', '-')}-old`,
  );
}

/**
 * Refuses a branch with the idea's name that ralphctl did not make and that holds work. Its own are known by their mark,
 * by a save point or by the trailer of their last commit; a branch without work of its own is nobody's loss.
 */
export async function refuseForeign(repo: string, idea: string, tip: string, base: string): Promise<void> {
  const names = [branchRef(idea), `refs/ralphctl/save/${idea}/`];
  const marks = await git(repo).run(['for-each-ref', '--count=1', '--format=%(refname)', ...names], { read: true });
  if (marks) return;
  const [said, contained] = await Promise.all([
    git(repo).run(['log', '-1', '--format=%B', tip, '--'], { read: true, config: PINNED_LOG }),
    git(repo).result(['merge-base', '--is-ancestor', tip, base], { ok: [0, 1], read: true }),
  ]);
  if (namedIdeas(said).landed.includes(idea) || contained.code === 0) return;
  const branch = ideaBranch(idea);
  throw new RepositoryError(
    `There is a branch ${branch} in ${repo} with work that ralphctl did not make.`,
    `Rename it, so that ${idea} gets a branch of its own: git branch -m ${branch} mine/${idea}`,
  );
}
