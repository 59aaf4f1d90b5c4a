/**
 * User branches and refs whose names ralphctl needs. Invariant: reads only. ralphctl refuses them by name and never takes over
 * or changes them.
 */
import { isAncestor } from './ancestry.js';
import { RepositoryError } from './errors.js';
import { namedIdeas, PINNED_LOG } from './landing/first-parents.js';
import { branchRef, ideaBranch } from './refs.js';
import { git } from './runner.js';

const FOLDER = 'refs/ralphctl';

/**
 * Refuses a branch named `ralph`, or one below the idea's branch: git then cannot create the idea's branch. The same with
 * a ref in place of the folder of ralphctl's refs.
 */
export async function refuseBlockedNames(repo: string, branch = ''): Promise<void> {
  const [text, taken] = await Promise.all([
    git(repo).run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/ralph'], { read: true }),
    // Listing it would list all refs of ralphctl.
    git(repo).result(['show-ref', '--verify', '-q', FOLDER], { ok: [0, 1], read: true }),
  ]);
  if (taken.code === 0)
    throw new RepositoryError(
      `A ref named ${FOLDER} in ${repo} blocks the refs of ralphctl (${FOLDER}/…).`,
      `Rename it: git update-ref ${FOLDER}-old ${FOLDER} && git update-ref -d ${FOLDER}`,
    );
  const names = text.split('\n').filter(Boolean);
  const inTheWay = names.find((name) => name === 'ralph' || (branch !== '' && name.startsWith(`${branch}/`)));
  if (!inTheWay) return;
  throw new RepositoryError(
    `A branch named ${inTheWay} in ${repo} blocks ${branch ? `the branch ${branch}` : 'the branches of ideas (ralph/<idea>)'}.`,
    `Rename it: git branch -m ${inTheWay} ${inTheWay.replaceAll('/', '-')}-old`,
  );
}

/**
 * Refuses a branch with the idea's name that holds work and that ralphctl did not make. ralphctl's own branches have
 * its mark, a save point or the trailer of their last commit. A branch without work of its own is safe to use.
 */
export async function refuseForeign(repo: string, idea: string, tip: string, base: string): Promise<void> {
  const names = [branchRef(idea), `refs/ralphctl/save/${idea}/`];
  const marks = await git(repo).run(['for-each-ref', '--count=1', '--format=%(refname)', ...names], { read: true });
  if (marks) return;
  const [said, contained] = await Promise.all([
    git(repo).run(['log', '-1', '--format=%B', tip, '--'], { read: true, config: PINNED_LOG }),
    isAncestor(repo, tip, base),
  ]);
  if (namedIdeas(said).landed.includes(idea) || contained) return;
  const branch = ideaBranch(idea);
  throw new RepositoryError(
    `There is a branch ${branch} in ${repo} with work that ralphctl did not make.`,
    `Rename it, so that ${idea} gets a branch of its own: git branch -m ${branch} mine/${idea}`,
  );
}
