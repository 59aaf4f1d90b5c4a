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

export interface Change {
  /** The commits around the change. */
  from: string;
  to: string;
  /** Asked about commits that do not contain `to`. */
  apart?: true;
}

/** Taking a change out of a commit changes the files that still have it. */
export async function whatIsLeft(
  repo: string,
  { from, to, apart }: Change,
): Promise<(commit: string) => Promise<Left>> {
  const run = git(repo);
  const tree = await run.run(['rev-parse', `${from}^{tree}`], { read: true });
  const who = await identityEnv(repo);
  const standIn = (tree: string): Promise<string> =>
    writeCommit(run, { tree, parents: [to], author: slotAuthor('ralphctl'), message: 'stand-in\n' }, { who });
  const without = await standIn(tree);
  const look = async (commit: string): Promise<Left> => {
    // With `to` as its parent, the merge begins there.
    const asked = apart ? await standIn(await run.run(['rev-parse', `${commit}^{tree}`], { read: true })) : commit;
    const merged = await mergeTrees(run, asked, without);
    const unsure = new Set(merged.kind === 'conflict' ? merged.files : []);
    return { kept: new Set(await changedPaths(repo, commit, merged.tree)), unsure };
  };
  const known = new Map<string, Promise<Left>>();
  return (commit) => {
    const found = known.get(commit) ?? look(commit);
    known.set(commit, found);
    return found;
  };
}
