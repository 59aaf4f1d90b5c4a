/**
 * Reverts the work of an idea that has not landed: its commits (rollback), or only uncommitted work (stash).
 * Invariant: the earlier state becomes a save point first, so nothing is lost. Ignored files and nested repositories
 * stay in place. A second call changes nothing.
 */

import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { missingTarget } from '../landing/missing-target.js';
import { exclusive } from '../locks.js';
import { branchRef, ideaBranch, readTip, readTips } from '../refs.js';
import { type Git, git } from '../runner.js';
import { forgetBranch } from '../saves/gone-branch.js';
import { keep, type SaveReason, savePoint } from '../saves/saves.js';
import { isClean, readStatus, type Status } from '../status.js';
import { findOwn } from './adopt.js';
import { bringBranchBack } from './branch-back.js';
import { takenElsewhere } from './bring-over.js';
import { forgetFlags } from './flags.js';
import { forget, setAside } from './leftovers.js';
import { canonical, exists, isUnder } from './list.js';
import { mendedWorktrees } from './mend.js';
import { type OpenOperation, openOperation } from './operations.js';
import { recoverBranch } from './recover.js';
import { clearMark, readMark, writeMark } from './recycle.js';
import { isReplaced, relink } from './relink.js';

export interface IdeaPlace {
  repo: string;
  worktreesRoot: string;
  target: string;
  idea: string;
}
interface ToRollBack extends IdeaPlace {
  /** For a retry that begins again. */
  fresh?: boolean | undefined;
}
export interface RolledBack {
  saved?: string;
  /** Commits that left the branch. */
  commits: number;
}

interface Refs {
  branch: string;
  tip: string;
  base: string;
  /** Tip of the target. */
  onto: string;
}
interface Tree {
  path: string;
  gitDir: string;
  status: Status;
  open: OpenOperation | undefined;
}

/**
 * Puts the idea's branch and worktree on the target's tip: an idea that begins again needs the fixes that landed
 * meanwhile. Without a worktree the branch goes, and the next start makes it.
 */
export async function rollbackIdea(place: ToRollBack): Promise<RolledBack> {
  // First: it brings back a branch that was deleted while its worktree stayed.
  const tree = await ownTree(place, await readTip(place.repo, `refs/heads/${place.target}`));
  const refs = await readRefs(place);
  // Its branch and its worktree were deleted by hand: they do not come back.
  if (!refs) {
    await forgetBranch(place.repo, place.idea);
    return { commits: 0 };
  }
  if (tree) {
    const done = await rollbackTree(place, refs, tree);
    await forgetBranch(place.repo, place.idea);
    return done;
  }
  const commits = await count(place.repo, refs);
  const saved = commits === 0 ? undefined : await keep(place.repo, place.idea, refs.tip, whyOf(place));
  const lines = [`delete refs/heads/${refs.branch} ${refs.tip}`, `delete ${branchRef(place.idea)}`];
  await git(place.repo).run(['update-ref', '--no-deref', '-m', reason(place), '--stdin'], {
    input: `${lines.join('\n')}\n`,
  });
  return saved === undefined ? { commits } : { saved, commits };
}

async function rollbackTree(place: ToRollBack, refs: Refs, tree: Tree): Promise<RolledBack> {
  const { branch, tip, base, onto } = refs;
  const repo = git(tree.path);
  if (tip === base && atRest(tree, branch)) {
    const done = await earlier(tree);
    await writeMark(tree.gitDir, 'rolled-back', JSON.stringify(done));
    await clearMark(tree.gitDir, 'reopen');
    await clearMark(tree.gitDir, 'put-away');
    if (tip !== onto) await repo.run(['checkout', '-q', '-f', '--no-track', '-B', branch, onto, '--']);
    return done;
  }
  const commits = await count(place.repo, refs);
  // The branch may differ from HEAD. The worktree's state comes last, because it is the one to show.
  if (tip !== base && tree.status.head !== tip) await keep(place.repo, place.idea, tip, whyOf(place));
  const saved = await savePoint({ worktree: tree.path, idea: place.idea, why: whyOf(place), status: tree.status });
  const done: RolledBack = { saved: saved || undefined, commits };
  await writeMark(tree.gitDir, 'rolled-back', JSON.stringify(done));
  await quit(repo, tree.open);
  await clearMark(tree.gitDir, 'reopen');
  await clearMark(tree.gitDir, 'put-away');
  await repo.run(['checkout', '-q', '-f', '--no-track', '-B', branch, onto, '--']);
  await repo.run(['clean', '-fdq']);
  return done;
}

/** A crash happened between the rollback and its report; the mark holds the result until the idea starts again. */
async function earlier({ gitDir }: Tree): Promise<RolledBack> {
  const text = await readMark(gitDir, 'rolled-back');
  return text ? (JSON.parse(text) as RolledBack) : { commits: 0 };
}

/**
 * Saves uncommitted work and resets the worktree to the tip of its branch, with the agent's commits on it. The next start
 * brings it back (put-away.ts).
 */
export async function stashIdea(place: IdeaPlace): Promise<{ saved?: string }> {
  const tree = await ownTree(place);
  const refs = await readRefs(place);
  if (!refs || !tree || atRest(tree, refs.branch)) return {};
  const { path, status } = tree;
  const saved = await savePoint({ worktree: path, idea: place.idea, why: 'uncommitted work was put away', status });
  // Before the worktree is cleaned; a second attempt finds only a part of it.
  if (saved && !isClean(status) && (await readMark(tree.gitDir, 'put-away')) === undefined)
    await writeMark(tree.gitDir, 'put-away', saved);
  const repo = git(path);
  // Commits that cannot return to the branch are in the save point.
  await recoverBranch({ worktree: path, idea: place.idea, branch: refs.branch, base: refs.base }).catch(onlyRefused);
  await quit(repo, await openOperation(tree.gitDir));
  await repo.run(['checkout', '-q', '-f', refs.branch, '--']);
  await repo.run(['clean', '-fdq']);
  return saved ? { saved } : {};
}

function onlyRefused(error: unknown): void {
  if (!(error instanceof RepositoryError)) throw error;
}

const whyOf = ({ fresh }: ToRollBack): SaveReason => (fresh ? 'a retry began it again' : 'rolled back');
const reason = ({ idea }: IdeaPlace): string => `ralphctl: roll back ${idea}`;

const atRest = ({ status, open }: Tree, branch: string): boolean =>
  !open && status.branch === branch && status.tracked.length + status.untracked.length === 0;

/** Drops an open operation; files and HEAD stay. */
async function quit(repo: Git, open: OpenOperation | undefined): Promise<void> {
  if (open === 'bisect') await repo.run(['bisect', 'reset', 'HEAD']);
  else if (open) await repo.run([open, '--quit']);
}

const count = async (repo: string, { base, tip }: Refs): Promise<number> =>
  base === tip ? 0 : Number(await git(repo).run(['rev-list', '--count', `${base}..${tip}`], { read: true }));

/** Undefined: the idea has no branch. */
async function readRefs({ repo, target, idea }: IdeaPlace): Promise<Refs | undefined> {
  const branch = ideaBranch(idea);
  const names = [`refs/heads/${branch}`, `refs/heads/${target}`] as const;
  const found = await readTips(repo, names);
  const [tip, onto] = names.map((name) => found.get(name));
  if (!tip) return undefined;
  if (!onto) throw await missingTarget(repo, target);
  const base = await git(repo).result(['merge-base', onto, tip], { ok: [0, 1], read: true });
  if (base.code === 0) return { branch, tip, base: base.stdout.trim(), onto };
  throw new RepositoryError(
    `The branch ${branch} has no history in common with ${target}.`,
    `Rename it, so that the idea starts over: git branch -m ${branch} old-${idea}`,
  );
}

/**
 * The idea's worktree, with its branch; removes the registration of one whose folder is gone or holds something else.
 * `resort`: where a branch is made of which no commit is known.
 */
async function ownTree(place: IdeaPlace, resort?: string): Promise<Tree | undefined> {
  const { repo, idea } = place;
  const root = await canonical(place.worktreesRoot);
  const branch = ideaBranch(idea);
  const mutex = `meta:${await canonical(repo)}`;
  const entries = await exclusive(mutex, () => mendedWorktrees({ repo, root, idea }));
  const entry = await findOwn({ root, branch, idea }, entries);
  if (!entry) return undefined;
  const { path } = entry;
  if (!isUnder(path, root)) throw await takenElsewhere({ repo, root, branch, idea }, entry, entries);
  if (!(await exists(path))) {
    await exclusive(mutex, () => forget(repo, entry, idea));
    return undefined;
  }
  if (await isReplaced(path)) {
    await exclusive(mutex, () => setAside(repo, entry, idea));
    return undefined;
  }
  const gitDir = await relink(repo, path);
  if (!gitDir)
    throw new RepositoryError(
      `The link of worktree ${path} to its repository is broken.`,
      `Fix it: git worktree repair ${shellQuoted(path)}`,
    );
  const onto = `refs/heads/${place.target}`;
  await exclusive(mutex, () => bringBranchBack({ repo, idea, path, gitDir, onto, resort })).catch(onlyRefused);
  await forgetFlags(path);
  const [status, open] = await Promise.all([readStatus(path), openOperation(gitDir)]);
  return { path, gitDir, status, open };
}
