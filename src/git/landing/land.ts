/**
 * Lands an idea: merges it with the target's tip, gates the merged tree, moves the branch.
 * Invariant: only a gated tree lands. Each idea's commits are on the target exactly once, also after a crash at any
 * point (the claim refs prove it). A conflict or a red gate leaves only refs under refs/ralphctl.
 */

import type { GateResult } from '../../protocol/gate.js';
import type { KeptPlace, LandResult } from '../../protocol/git-work.js';
import { isAncestor } from '../ancestry.js';
import { identityEnv, readCommits } from '../commits.js';
import { admitTip } from '../confinement/target-watch.js';
import { reviewBelow } from '../delivery/stacked.js';
import { claimedHeadRef, claimRef, replacedTips } from '../refs.js';
import { GitError, git } from '../runner.js';
import { lostWork } from '../saves/lost-work.js';
import { keep } from '../saves/saves.js';
import { refuseOpenOperations, TargetBusy } from '../target-busy.js';
import { listWorktrees } from '../worktrees/list.js';
import { baseLost } from './base-lost.js';
import { buildCandidate, oursOver, type Strategy } from './candidate.js';
import { finishLanding } from './finish.js';
import { namedIdeas, PINNED_LOG } from './first-parents.js';
import { conflictDetail, mergeTrees } from './merge.js';
import type { Worker } from './message.js';
import { missingTarget } from './missing-target.js';
import { swapTarget } from './swap.js';
import { gateCandidate, integrationOf, type LandingContext, type Located, withTargetLock } from './target-lock.js';
import { type Tick, tickTree } from './tick.js';

export interface LandOptions extends LandingContext, Worker {
  title: string;
  agentName: string;
  branch: string;
  /** The commit that the idea branched from. */
  base?: string;
  /** The commit to land. */
  head: string;
  strategy: Strategy;
  /** Conventional commit type for commit messages by ralphctl. */
  type?: string;
  sign?: boolean;
  tick?: Tick;
  /** The backlog inside the repository. */
  backlogPath?: string;
  /** Places in the landing queue that it does not pass. */
  places?: readonly KeptPlace[];
  /** Lands on this commit, which is in review, instead of the target. Needs `handOver`. */
  on?: string | undefined;
  /** Hands the gated commit over instead of moving the target. */
  handOver?: (gated: { commit: string; onto: string; gate: GateResult; trees: string }) => Promise<Outcome>;
}

export type Outcome = LandResult extends infer R ? (R extends unknown ? Omit<R, 'durationMs'> : never) : never;
type Here = LandOptions & Located;

const MOST_SHARED = 5;

/**
 * Lands one idea; landings on one target run one after another. Throws RepositoryError when a person must fix
 * something.
 */
export async function landIdea(options: LandOptions): Promise<LandResult> {
  const startedAt = performance.now();
  let saved: Promise<unknown> | undefined;
  try {
    return (await withTargetLock(options, (here) => {
      // Its branch will be deleted, and the target gets rewritten commits. Saved while the candidate is built; awaited
      // before anything moves.
      saved ??= keep(here.repo, here.idea, here.head, 'before landing');
      saved.catch(() => undefined);
      return attempt(here, saved);
    })) as LandResult;
  } catch (error) {
    if (error instanceof GitError) throw (await lostWork(options.repo, options.idea, options.head)) ?? error;
    if (!(error instanceof TargetBusy)) throw error;
    return { kind: 'target-busy', why: error.message, durationMs: Math.round(performance.now() - startedAt) };
  } finally {
    await saved?.catch(() => undefined);
  }
}

/**
 * Landing on a rewound target would restore, in the idea's name, commits that somebody removed. Where ralphctl itself
 * replaced the idea's base, only what comes after it is the idea's: gives the base. The same holds for a pull request
 * below it. Undefined: the base is on the target.
 */
async function startOf(options: Here, tip: string): Promise<string | undefined> {
  const { repo, base, head, target, idea, branch } = options;
  if (!base || base === tip || (await isAncestor(repo, base, tip))) return undefined;
  // It began on a pull request that was squashed, rebased or closed since, or has other commits now.
  if ((await reviewBelow(repo, { idea, head: base, without: tip })) === base)
    return reviewBelow(repo, { idea, head, without: tip });
  if (await wasReplaced(repo, target, base)) {
    if (await isAncestor(repo, base, head)) return base;
    // The branch was moved: it may stand on commits that were taken off since.
    const others = (await readCommits(repo, `${tip}..${head}`)).filter(({ message }) => namesOther(message, idea));
    if (others.length === 0) return undefined;
  }
  throw await baseLost({ repo, target, base, idea, branch });
}

async function wasReplaced(repo: string, target: string, base: string): Promise<boolean> {
  for (const former of await replacedTips(repo, target)) if (await isAncestor(repo, base, former)) return true;
  return false;
}

function namesOther(message: string, idea: string): boolean {
  const { landed, reverted } = namedIdeas(message);
  return [...landed, ...reverted].some((one) => one !== idea);
}

/** One try against the target's present tip; undefined when the target moved meanwhile. */
async function attempt(options: Here, saved: Promise<unknown>): Promise<Outcome | undefined> {
  const { repo, idea, target, head } = options;
  const { on } = options;
  const refs = await readRefs(options);
  const earlier = on ? undefined : await alreadyLanded(options, refs);
  if (earlier) return earlier;
  // Before its gate, which would run in vain.
  if (!options.handOver) await refuseOpenOperations(repo, target);
  const tip = on ? { commit: on, tree: await treeOf(repo, on) } : refs.tip;
  if (!on) await admitTip(repo, target, tip.commit, idea);
  const [dir, after] = await Promise.all([integrationOf(options, tip.commit), startOf(options, tip.commit)]);
  const candidate = await buildCandidate({
    ...{ dir, tip, head, after },
    strategy: options.strategy,
    parts: {
      idea,
      agentName: options.agentName,
      title: options.title,
      agent: options.agent || undefined,
      model: options.model || undefined,
      type: options.type || undefined,
      ...(options.unlinked ? { unlinked: true } : {}),
    },
    write: { who: await identityEnv(repo), sign: options.sign || undefined },
    adjust: async (tree) => (options.tick ? tickTree(dir, tree, options.tick) : tree),
  });
  if (candidate.kind === 'conflict') {
    const detail = await conflictDetail(dir, { onto: tip.commit, head, after, ...candidate });
    return { kind: 'conflict', onto: tip.commit, files: candidate.files, detail, ...(after ? { after } : {}) };
  }
  const { commit, commits } = candidate;
  if (on && commit === tip.commit) return { kind: 'waits-below', why: 'empty' };
  if (commit !== tip.commit) {
    const wait = await placeInTheWay(options, dir, { from: tip.commit, to: commit });
    if (wait) return wait;
    const gate = await gateCandidate(options, dir, { commit, onto: tip.commit });
    if (!gate.pass) return { kind: 'red', onto: tip.commit, candidate: commit, gate };
    const move = { dir, from: tip.commit, to: commit };
    if (options.upstream && !(await options.upstream.admits(move))) return undefined;
    if (options.handOver) return options.handOver({ commit, onto: tip.commit, gate, trees: options.green.trees ?? '' });
  }
  const [worktrees] = await Promise.all([listWorktrees(repo), saved]);
  let note: string | undefined;
  // Without own commits on the target, the branch alone holds the agent's work.
  if (commit === tip.commit) await keep(repo, idea, head, 'landed without changes of its own');
  else {
    const claims = [
      [claimRef(idea), commit],
      [claimedHeadRef(idea), head],
    ] as const;
    const swap = await swapTarget({
      dir,
      target,
      from: tip.commit,
      to: commit,
      claims,
      worktrees,
      mayLag: options.backlogPath,
      reason: `ralphctl: land ${idea}`,
    });
    if (!swap.moved) return undefined;
    note = swap.note;
  }
  const kept = await finishLanding({ ...options, dir, worktrees });
  return landed(commit, commits, note, kept);
}

/** Whether it changes files in which another idea came back from a conflict. The backlog is ticked by all. */
async function placeInTheWay(
  { places = [], backlogPath }: Here,
  dir: string,
  { from, to }: { from: string; to: string },
): Promise<Outcome | undefined> {
  if (places.length === 0) return undefined;
  const names = await git(dir).run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to], { read: true });
  const isBacklog = (name: string): boolean =>
    backlogPath !== undefined && (name === backlogPath || name.startsWith(`${backlogPath}/`));
  const changed = new Set(names.split('\0').filter((name) => name !== '' && !isBacklog(name)));
  for (const { idea, files } of places) {
    const shared = files.filter((file) => changed.has(file));
    if (shared.length > 0) return { kind: 'waits-place', behind: idea, files: shared.slice(0, MOST_SHARED) };
  }
  return undefined;
}

const treeOf = (repo: string, commit: string): Promise<string> =>
  git(repo).run(['rev-parse', '--verify', `${commit}^{tree}`], { read: true });

const landed = (commit: string, commits: number, ...notes: Array<string | undefined>): Outcome => {
  const note = notes.filter(Boolean).join(' ');
  return { kind: 'landed', commit, commits, note: note || undefined };
};

interface Refs {
  tip: { commit: string; tree: string };
  claim?: string;
  claimedHead?: string;
}

async function readRefs({ repo, target, idea }: LandOptions): Promise<Refs> {
  const names = [`refs/heads/${target}`, claimRef(idea), claimedHeadRef(idea)];
  const text = await git(repo).run(['for-each-ref', '--format=%(refname) %(objectname) %(tree)', ...names], {
    read: true,
  });
  const found = new Map(text.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ')] as const));
  const [, commit, tree] = found.get(names[0] ?? '') ?? [];
  if (!commit || !tree) throw await missingTarget(repo, target);
  const claim = found.get(claimRef(idea))?.[1];
  const claimedHead = found.get(claimedHeadRef(idea))?.[1];
  return { tip: { commit, tree }, claim: claim || undefined, claimedHead: claimedHead || undefined };
}

/**
 * An earlier attempt moved the target and could not report it: its claim is on the target, and only the cleanup is
 * left. Anybody may write a claim ref, so it counts only with this idea's name and work in it.
 */
async function alreadyLanded(options: Here, refs: Refs): Promise<Outcome | undefined> {
  const { repo, idea, head } = options;
  const { claim, tip } = refs;
  if (!claim || refs.claimedHead !== head) return undefined;
  if (!(await isAncestor(repo, claim, tip.commit)) || !(await holds(options, claim))) return undefined;
  const kept = await finishLanding({ ...options, dir: repo, worktrees: await listWorktrees(repo) });
  return landed(claim, await countLanded(repo, claim, idea), kept);
}

/** Whether the commit names the idea and landing `head` on it would change nothing. */
async function holds(options: Here, claim: string): Promise<boolean> {
  const { repo, idea, head } = options;
  const run = git(repo);
  const message = await run.run(['log', '-1', '--format=%B', claim, '--'], { read: true, config: PINNED_LOG });
  if (!namedIdeas(message).landed.includes(idea)) return false;
  const [tree, after] = await Promise.all([
    run.run(['rev-parse', `${claim}^{tree}`], { read: true }),
    startOf(options, claim),
  ]);
  const merged = await mergeTrees(run, await oursOver(run, { commit: claim, tree }, after), head);
  return merged.kind === 'clean' && merged.tree === tree;
}

/** Commits up to the claim, from the last one on the first-parent line that is not this idea's. */
async function countLanded(repo: string, claim: string, idea: string): Promise<number> {
  const args = ['log', '--first-parent', '-n', '500', '-z', '--format=%H%n%B', claim, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const records = stdout.split('\0').map((text) => ({ sha: text.slice(0, text.indexOf('\n')), text }));
  const before = records.find(({ text }) => !namedIdeas(text).landed.includes(idea));
  const range = before ? [`${before.sha}..${claim}`] : [claim];
  return Number(await git(repo).run(['rev-list', '--count', ...range], { read: true }));
}
