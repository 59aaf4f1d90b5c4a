/**
 * Prepares an idea's worktree: creates, recycles or adopts it; reopens it after a bounced landing; runs its set-up.
 * Invariant: idempotent; a second run finds the result of the first. Refuses rather than loses work.
 */

import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ideaDir, keptDir, worktreesDir } from '../config/paths.js';
import { ensureSetup, SetupError } from '../gate/kept/setup.js';
import { logLimit } from '../gate/run.js';
import { admitOwnTip, noteOwnTip } from '../git/confinement/own-branch.js';
import { readTipAndReviews } from '../git/delivery/review-refs.js';
import { reviewBelow } from '../git/delivery/stacked.js';
import { RepositoryError } from '../git/errors.js';
import { patientTip } from '../git/patient-tip.js';
import { ideaBranch, readTip } from '../git/refs.js';
import { goneBranchText } from '../git/saves/gone-branch.js';
import { branchBackText } from '../git/worktrees/branch-back.js';
import { ensureWorktree } from '../git/worktrees/ensure.js';
import { canonical, privateGitDir } from '../git/worktrees/list.js';
import { isWhole, mendGitDirs } from '../git/worktrees/mend.js';
import { putAwayText } from '../git/worktrees/put-away.js';
import { putLinkBack } from '../git/worktrees/relink.js';
import { reopenForConflict, reopenForRed } from '../git/worktrees/reopen.js';
import type { PrepareInput, PrepareResult } from '../protocol/activities.js';
import type { RunAgentInput } from '../protocol/agent-run.js';
import { FAILURE } from '../protocol/failures.js';
import type { Idea } from '../protocol/idea.js';
import type { LoadedRun } from '../run-files/run.js';
import { tellActivity, tellEvent } from './activity.js';
import { type Configured, commandEnvironment } from './command-environment.js';
import { setUpOrThrow, wallOf } from './confine/walls.js';
import { type WorkContext, type WorkDeps, WorkError } from './job.js';
import { limitsOf, loadOne } from './load.js';
import { assertDiskSpace, machineFault } from './machine.js';
import { placeOf } from './plan-place.js';

export async function prepareIdea(
  deps: WorkDeps,
  input: PrepareInput,
  { signal }: WorkContext,
  look: { branch: boolean; during?: 'iteration' } = { branch: true },
): Promise<PrepareResult> {
  const [run, idea] = await loadOne(deps, input);
  return prepare(deps, run, idea, input, { signal, look }).catch(asWorkError);
}

async function prepare(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: PrepareInput,
  { signal, look }: { signal: AbortSignal; look: { branch: boolean; during?: 'iteration' } },
): Promise<PrepareResult> {
  const { repo, target, config } = run.file;
  const worktreesRoot = config.worktrees.root ?? worktreesDir(deps.root, input.project);
  await assertDiskSpace([worktreesRoot, repo, deps.root], config);
  const ref = `refs/heads/${ideaBranch(input.idea)}`;
  // Only what was once delivered by pull requests can stand on one.
  const { tip: found, others } =
    config.landing.mode === 'pr'
      ? await readTipAndReviews(repo, input.idea)
      : { tip: await readTip(repo, ref), others: false };
  const tipOfTarget = await patientTip(repo, target, signal);
  const made = await ensureWorktree({
    repo,
    worktreesRoot,
    agentName: input.agentName,
    idea: input.idea,
    base: found === undefined && input.on !== undefined ? input.on : tipOfTarget,
    keep: config.worktrees.keep,
    recycle: config.worktrees.recycle,
    at: input.at,
  });
  const { path: worktree, branch, gone, back } = made;
  if (gone) tellEvent(deps, run, { kind: 'gone', idea: input.idea, text: goneBranchText(input.idea, gone, target) });
  if (back) tellEvent(deps, run, { kind: 'gone', idea: input.idea, text: branchBackText(back) });
  const { putAway } = made;
  if (putAway) tellEvent(deps, run, { kind: 'gone', idea: input.idea, text: putAwayText(input.idea, putAway) });
  const tip = back?.commit ?? found;
  const mayStand = others && tip !== undefined && !made.anew && tip !== made.base;
  const below = { idea: input.idea, head: tip ?? '', without: tipOfTarget };
  let base = (mayStand && (await reviewBelow(repo, below))) || made.base;
  const wall = await wallOf(deps, run);
  // At its last commit, the branch did not move.
  if (back && back.from !== 'tip') await noteOwnTip(wall, input.idea, back.commit);
  // Without this check here, ralphctl checks when the agent continues.
  if (look.branch && tip !== undefined && (made.origin !== 'adopted' || input.reopen) && config.confinement === 'stop')
    await admitOwnTip(wall, { worktree, branch, idea: input.idea }, tip);
  if (input.reopen?.kind === 'conflict') {
    const { onto, after } = input.reopen;
    await reopenForConflict({ worktree, idea: input.idea, onto, after });
    base = input.reopen.onto;
  } else if (input.reopen?.kind === 'red') {
    await reopenForRed({ worktree, idea: input.idea, candidate: input.reopen.candidate });
    base = input.reopen.onto;
  }
  if (tip === undefined || made.anew || input.reopen)
    await noteOwnTip(wall, input.idea, (await readTip(repo, ref)) ?? base);
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), 'setup');
  const tell = tellActivity(deps, run, input.idea);
  // No event says that an iteration goes on.
  const onBegin = look.during ? undefined : (command: string) => tell('set-up', { command });
  const makeReady = (): Promise<void> => setUp(deps, run, { ...input, dir: worktree, logDir, signal, onBegin });
  // In a worktree with work, set-up may run code from an agent.
  const fix = `Look at its work and at the set-up commands, then: ralphctl retry ${input.idea}`;
  if (made.origin === 'adopted') await setUpOrThrow(wall, { idea: input.idea, fix }, makeReady);
  else await makeReady();
  const place = await placeOf(deps, { ...input, worktree, base, own: made.origin === 'adopted' }, idea);
  const lastSerial = await lastRun(ideaDir(deps.root, input.project, input.runId, input.idea));
  const limits = limitsOf(idea, run);
  return {
    worktree,
    branch,
    base,
    origin: made.origin,
    ...(made.aside === undefined ? {} : { aside: made.aside }),
    limits,
    ...planOf(idea),
    place,
    lastSerial: lastSerial > 0 ? lastSerial : undefined,
  };
}

/** Number of the last agent run with files here; 0 without any. */
async function lastRun(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => []);
  return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
}

const MAX_PHASE_NAME = 80;

function planOf({ plan }: Idea): Pick<PrepareResult, 'plan'> {
  if (!plan) return {};
  const steps = plan.flatMap(({ steps }, phase) => steps.map(({ text: _, ...step }) => ({ ...step, phase })));
  return { plan: { phases: plan.map(({ name }) => name.slice(0, MAX_PHASE_NAME)), steps } };
}

/** ralphctl does not retry problems that only a person can fix. */
export function asWorkError(error: unknown): never {
  if (error instanceof SetupError) throw new WorkError(error.message, FAILURE.setup);
  const fault = machineFault(error);
  if (fault === error && error instanceof RepositoryError) throw new WorkError(error.message, FAILURE.repository);
  throw fault;
}

/*
 * Recreates a lost or broken worktree from its branch, because agents sometimes delete their own folder, or its `.git`.
 * Invariant: only in the idea's regular worktree folder. Every commit on the branch survives, and what is in the place of
 * the worktree is moved aside.
 */

export interface Recreated {
  /** Only its link to the repository was gone or replaced; the files are as they were left. */
  linked?: true;
  /** Only files of its private git directory were broken; its own files are as they were left. */
  mended?: true;
  /** It was moved away with git, and is back as it was left. */
  moved?: true;
  /** What was in its place is kept here. */
  aside?: string | undefined;
}

/** Undefined: the worktree is sound. `look`: check what else moved its branch meanwhile. */
export async function recreateIfGone(
  deps: WorkDeps,
  repo: string,
  input: RunAgentInput,
  context: WorkContext,
  look: { branch: boolean },
): Promise<Recreated | undefined> {
  const gitDir = await privateGitDir(input.worktree);
  if (gitDir && (await isWhole(gitDir))) return undefined;
  const root = await canonical(dirname(input.worktree));
  const mended = await mendGitDirs({ repo, root, idea: input.idea });
  if (mended && (await privateGitDir(input.worktree))) return { mended: true };
  const linked = await putLinkBack(repo, input.worktree, input.idea);
  if (linked) return { ...linked, linked: true };
  const { project, runId, idea, agentName } = input;
  const at = input.worktree;
  const { worktree, aside, origin } = await prepareIdea(deps, { project, runId, idea, agentName, at }, context, {
    ...look,
    during: 'iteration',
  });
  if (worktree === at) return origin === 'adopted' ? { moved: true } : { aside };
  const message = `the worktree of ${idea} was gone; ralphctl recreated it at ${worktree} instead of ${input.worktree}. Restart the idea with: ralphctl retry ${idea}`;
  throw new WorkError(message, FAILURE.repository);
}

/* Runs a worktree's set-up (dependencies, copied files). It costs little when nothing changed. */

export async function setUp(
  deps: WorkDeps,
  run: Configured,
  where: {
    project: string;
    idea: string;
    agentName: string;
    dir: string;
    logDir: string;
    signal: AbortSignal;
    /** The worktree gates the work of many ideas. */
    shared?: boolean;
    /** Hears that its command begins. */
    onBegin?: ((command: string) => void) | undefined;
  },
): Promise<void> {
  const { setup, worktrees } = run.file.config;
  await ensureSetup({
    worktree: where.dir,
    run: setup.run,
    copy: setup.copy,
    // Runs that version 0.1 started have no such list.
    cache: worktrees.cache ?? [],
    proofs: keptDir(deps.root, where.project),
    shared: where.shared ?? false,
    from: run.file.repo,
    timeoutMs: setup.timeoutMinutes * 60_000,
    logDir: where.logDir,
    maxLogBytes: logLimit(run.file.config),
    ...commandEnvironment(deps, run, 'setup', where),
    token: `${where.project}/${where.idea}/setup/${randomUUID()}`,
    signal: where.signal,
    onBegin: where.onBegin,
  });
}
