/** Where the work of ideas is: branches that exist, save points, and the tip of the target. Invariant: reads only. */
import { ownCommits } from '../../git/own-commits.js';
import { ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import { listSaves } from '../../git/saves/saves.js';
import { holdsNoWork, readStatus } from '../../git/status.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import type { Extra } from '../../report/extra.js';

/** The sizes of all branches of ideas, for views that need no more. Undefined where git cannot tell. */
export async function branchSizes(repo: string, target: string): Promise<(idea: string) => number | undefined> {
  const tips = await tipsOf(repo).catch(() => undefined);
  const sizes = tips && (await ownCommits(repo, target, [...tips.values()]).catch(() => undefined));
  return (idea) => sizes?.get(tips?.get(`refs/heads/${ideaBranch(idea)}`) ?? '');
}

async function tipsOf(repo: string, ...onto: string[]): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/ralph/', ...onto];
  const refs = await git(repo).run(args, { read: true });
  return new Map(
    refs.split('\n').flatMap((line) => {
      const [name, commit] = line.split(' ');
      return name && commit ? [[name, commit] as const] : [];
    }),
  );
}

/** `still` false: the tip of the target moves, because a run is open. */
export async function placesOf(
  repo: string,
  target: string,
  still: boolean,
): Promise<Pick<Extra, 'branchOf' | 'commitsOf' | 'saved' | 'tip'>> {
  const onto = still ? `refs/heads/${target}` : undefined;
  const [tips, own] = await Promise.all([
    tipsOf(repo, ...(onto ? [onto] : [])).catch(() => undefined),
    savedApart(repo, `refs/heads/${target}`),
  ]);
  if (tips === undefined) return {};
  const tip = onto && tips.get(onto);
  if (onto) tips.delete(onto);
  const sizes = await ownCommits(repo, target, [...tips.values()]).catch(() => undefined);
  const tipOf = (idea: string): string | undefined => tips.get(`refs/heads/${ideaBranch(idea)}`);
  return {
    branchOf: (idea) => (tipOf(idea) === undefined ? undefined : ideaBranch(idea)),
    commitsOf: (idea) => sizes?.get(tipOf(idea) ?? ''),
    saved: own,
    ...(tip ? { tip } : {}),
  };
}

/**
 * Ideas with a save that the target does not contain: another one has nothing of theirs. Without a target, every save. Not
 * those with uncommitted work in their worktree, which no save may have.
 */
async function savedApart(repo: string, target: string): Promise<Set<string>> {
  const saves = await listSaves(repo).catch(() => []);
  if (saves.length === 0) return new Set();
  const args = ['for-each-ref', '--format=%(refname)', `--no-merged=${target}`, 'refs/ralphctl/save/'];
  const apart = await git(repo)
    .run(args, { read: true })
    .then(
      (text) => new Set(text.split('\n')),
      () => undefined,
    );
  const own = new Set(saves.flatMap(({ ref, idea }) => (apart?.has(ref) === false ? [] : [idea])));
  const worktrees = await listWorktrees(repo).catch(() => []);
  for (const idea of [...own]) {
    const at = worktrees.find(({ branch }) => branch === ideaBranch(idea));
    if (at && (await hasEdits(at.path))) own.delete(idea);
  }
  return own;
}

const hasEdits = (worktree: string): Promise<boolean> =>
  readStatus(worktree).then(
    (status) => !holdsNoWork(status),
    () => false,
  );
