/**
 * Work of an idea that somebody took away between its gate and its landing: its branch was deleted, and perhaps git removed
 * the commits since.
 * Invariant: reads only.
 */
import { hasCommit, isCommitId } from '../commit-id.js';
import { RepositoryError } from '../errors.js';
import { ideaBranch, readTip } from '../refs.js';
import { listSaves } from './saves.js';

/** For a person, with the save that has the work and the commands that go on from it. Undefined: nothing is missing. */
export async function lostWork(repo: string, idea: string, head?: string): Promise<RepositoryError | undefined> {
  // Git's own words about anything else are cleaned of secrets; a part of a secret could not be recognised.
  if (head !== undefined && !isCommitId(head)) return undefined;
  const branch = ideaBranch(idea);
  const tip = await readTip(repo, `refs/heads/${branch}`);
  const headIsThere = head === undefined || (await hasCommit(repo, head));
  if (tip !== undefined && headIsThere) return undefined;
  const commit = head?.slice(0, 10) ?? '';
  const problem = [
    tip === undefined ? `the branch ${branch} does not exist any more` : '',
    headIsThere ? '' : `the repository no longer has its commit ${commit}`,
  ];
  const text = `Work of ${idea} is missing: ${problem.filter(Boolean).join(', and ')}.`;
  const saves = await listSaves(repo, idea);
  const save = saves.findLast((one) => one.head === head || one.commit === head) ?? saves.at(-1);
  if (!save)
    return new RepositoryError(
      text,
      headIsThere && head !== undefined
        ? `Bring it back: git branch ${branch} ${commit}. Then: ralphctl retry ${idea}`
        : `No save has it. Start the idea over: ralphctl retry ${idea}`,
    );
  const which = save.head === head || save.commit === head ? 'has it' : 'is the newest one';
  const to = tip === undefined ? ` --to ${branch}` : '';
  return new RepositoryError(
    text,
    `Its save ${save.n} (${save.ref}) ${which}. Get it back: ralphctl saves restore ${idea} ${save.n}${to}. Then: ralphctl retry ${idea}`,
  );
}
