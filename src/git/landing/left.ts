/**
 * How much of a change is left in another commit.
 * Invariant: moves no ref and touches no file.
 */
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { git } from '../runner.js';
import { changedPaths } from './checkout.js';
import { mergeTrees } from './merge.js';

export interface Left {
  /** Files that still have the change. */
  kept: Set<string>;
  /** Files in which later changes stand too close to tell. */
  unsure: Set<string>;
}

/** Taking a change out of a commit changes the files that still have it. `from`, `to`: the commits around the change. */
export async function whatIsLeft(
  repo: string,
  { from, to }: { from: string; to: string },
): Promise<(commit: string) => Promise<Left>> {
  const run = git(repo);
  const tree = await run.run(['rev-parse', `${from}^{tree}`], { read: true });
  const draft = { tree, parents: [to], author: slotAuthor('ralphctl'), message: 'stand-in\n' };
  const without = await writeCommit(run, draft, { who: await identityEnv(repo) });
  return async (commit) => {
    const merged = await mergeTrees(run, commit, without);
    const unsure = new Set(merged.kind === 'conflict' ? merged.files : []);
    return { kept: new Set(await changedPaths(repo, commit, merged.tree)), unsure };
  };
}
