/**
 * The branch of an idea that somebody deleted or renamed while its worktree stays and no agent works there.
 * Invariant: makes the idea's branch where it does not exist, and moves no other. No file and no index changes.
 */
import { shellQuoted } from '../../protocol/shell-words.js';
import { isAncestor } from '../ancestry.js';
import { hasCommit } from '../commit-id.js';
import { type RefMove, readMoves } from '../confinement/outside.js';
import { RepositoryError } from '../errors.js';
import { branchRef, ideaBranch, readTips } from '../refs.js';
import { git } from '../runner.js';
import { listSaves } from '../saves/saves.js';
import { headBranch } from './list.js';
import { openOperation } from './operations.js';

export interface BranchBack {
  branch: string;
  commit: string;
  /** `tip`: its last commit · `save`: where a save of it began · `start`: where it was made · `resort`: the last resort. */
  from: 'tip' | 'save' | 'start' | 'resort';
  /** The worktree was on this branch instead, which stays. */
  on?: string;
}

interface Place {
  repo: string;
  idea: string;
  path: string;
  gitDir: string;
  /** A commit or ref of the target. */
  onto: string;
}

interface Head {
  /** Undefined: detached. */
  on: string | undefined;
  /** Undefined: its branch does not exist. */
  at: string | undefined;
}

/**
 * Undefined: the branch exists. Without a known commit of it, it is made at `resort`; without that, a
 * {@link RepositoryError} tells what to do. Call under the repository mutex.
 */
export async function bringBranchBack(place: Place & { resort?: string | undefined }): Promise<BranchBack | undefined> {
  const { repo, idea, path, gitDir, resort } = place;
  const branch = ideaBranch(idea);
  const [ref, mark] = [`refs/heads/${branch}`, branchRef(idea)];
  const tips = await readTips(repo, [ref, mark]);
  if (tips.has(ref)) return undefined;
  const run = git(path);
  const asked = await run.result(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { ok: [0, 1, 128], read: true });
  const head: Head = { on: await headBranch(gitDir), at: (asked.code === 0 && asked.stdout.trim()) || undefined };
  const known =
    (await lastKnown(place, head, tips.get(mark))) ??
    (resort === undefined ? undefined : { commit: resort, from: 'resort' as const });
  if (!known) throw unknown(place, head);
  const why = ['-m', 'ralphctl: bring the branch back'];
  await run.run(['update-ref', '--no-deref', ...why, ref, known.commit, '0'.repeat(known.commit.length)]);
  // An open operation ends first; whoever ends it goes back to the branch.
  if (head.on !== branch && head.at === known.commit && !(await openOperation(gitDir)))
    await run.run(['symbolic-ref', ...why, 'HEAD', ref]);
  return { branch, ...known, ...(head.on === undefined || head.on === branch ? {} : { on: head.on }) };
}

async function lastKnown(
  { repo, idea, gitDir, onto }: Place,
  { on, at }: Head,
  began: string | undefined,
): Promise<Pick<BranchBack, 'commit' | 'from'> | undefined> {
  const branch = ideaBranch(idea);
  const { name, tips } = follow(await readMoves(gitDir, 'HEAD'), branch);
  // Others can move a branch of another name, too: it tells more than the reflog.
  const renamed = at !== undefined && on === name && name !== branch;
  // Nobody else has the commit of a detached HEAD.
  const detached = at !== undefined && on === undefined && tips.length === 0;
  const usable = async (commit: string): Promise<boolean> =>
    (await hasCommit(repo, commit)) &&
    (began === undefined || (await isAncestor(repo, began, commit))) &&
    (await git(repo).result(['merge-base', onto, commit], { ok: [0, 1], read: true })).code === 0;
  for (const commit of new Set([...(renamed || detached ? [at] : []), ...tips]))
    if (await usable(commit)) return { commit, from: 'tip' };
  // A worktree on a branch of its own may hold the files of that one: only its work tells where it belongs.
  if (at !== undefined && on !== undefined) return undefined;
  if (began === undefined) return undefined;
  // The files in the worktree are newer than those of a save.
  for (const { head } of (await listSaves(repo, idea)).reverse())
    if (head !== began && (await usable(head))) return { commit: head, from: 'save' };
  return (await usable(began)) ? { commit: began, from: 'start' } : undefined;
}

/** Where the reflog of HEAD has the branch, newest first, and the name under which it went on. */
function follow(moves: readonly RefMove[], branch: string): { name: string; tips: string[] } {
  const tips: string[] = [];
  let [name, there] = [branch, true];
  for (const { from, to, text } of moves) {
    const [, left, entered] = /^checkout: moving from (\S+) to (\S+)$/.exec(text) ?? [];
    const [, old, renamed] = /^Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/.exec(text) ?? [];
    const [, back] = /^rebase\b.* returning to refs\/heads\/(\S+)$/.exec(text) ?? [];
    const leaves = left === name || (there && /^rebase\b.*\(start\)/.test(text));
    if (leaves) tips.push(from);
    if (old === name && renamed !== undefined) name = renamed;
    if (entered !== undefined || back !== undefined) there = (entered ?? back) === name;
    else if (leaves || text === 'ralphctl: landed') there = false;
    else if (/^rebase\b.*\(abort\)/.test(text)) there = true;
    if (there) tips.push(to);
  }
  return { name, tips: tips.filter((commit) => !/^0+$/.test(commit)).reverse() };
}

function unknown({ idea, path }: Place, { on, at }: Head): RepositoryError {
  const branch = ideaBranch(idea);
  const gone = `The branch ${branch} does not exist any more`;
  const fresh = `ralphctl retry ${idea} --fresh`;
  if (at !== undefined && on !== undefined)
    return new RepositoryError(
      `${gone}, and its worktree ${path} is on ${on}.`,
      `If its work is there, go on from it: git -C ${shellQuoted(path)} switch -c ${branch} && ralphctl retry ${idea}. Otherwise begin anew: ${fresh}`,
    );
  return new RepositoryError(
    `${gone}, and no commit of it is known: neither the reflog of its worktree ${path} nor a save has one.`,
    `Begin anew; the files of the worktree become a save first: ${fresh}`,
  );
}

const REST: Readonly<Record<BranchBack['from'], string>> = {
  tip: ', its last commit',
  save: ', where its newest save began; the files of its worktree are as they were',
  start: ', where it was made, because its commits are lost; the files of its worktree are as they were',
  resort: '; the files of its worktree are as they were',
};

/** A sentence without its end. */
export const branchBackText = ({ branch, commit, from, on }: BranchBack): string =>
  `its branch ${branch} did not exist any more${
    on === undefined ? '' : `, and its worktree was on ${on}, which stays as it is`
  }; ralphctl made ${branch} again at ${commit.slice(0, 10)}${REST[from]}`;
