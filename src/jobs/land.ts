/**
 * Lands finished work on the target: rebases or merges it, gates the merged tree, moves the branch by compare-and-swap.
 * Invariant: idempotent after a crash at any point; it finds landed work and does not land it again.
 */

import { join } from 'node:path';
import { ideaDir, integrationDir } from '../config/paths.js';
import { readCommits } from '../git/commits.js';
import { RepositoryError } from '../git/errors.js';
import { namedIdeas } from '../git/landing/first-parents.js';
import { rewound } from '../git/landing/gone.js';
import { landIdea as landOnTarget } from '../git/landing/land.js';
import { type TakenBack, takenBack } from '../git/landing/taken-back.js';
import type { LandingContext, Recalled } from '../git/landing/target-lock.js';
import { undoIdea as undoOnTarget } from '../git/landing/undo.js';
import { openOperationOn } from '../git/target-busy.js';
import { linkText, linkTrouble, mayHaveLinks } from '../git/worktrees/gitlinks.js';
import type { GateResult } from '../protocol/gate.js';
import type { LandInput, LandResult, MergedGate, Reverted, UndoInput, UndoResult } from '../protocol/git-work.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import type { LoadedRun } from '../run-files/run.js';
import type { RunFile } from '../run-files/shapes.js';
import { repositoryPath, tickedText, tickFiles, ticksIn } from '../run-files/ticks.js';
import { tellActivity } from './activity.js';
import { whoWorked } from './agent-run/result.js';
import { storeOf } from './beads.js';
import { SEATS } from './command-environment.js';
import { indexDamage } from './confine/index-notice.js';
import { landingGate, setUpOrThrow, wallOf } from './confine/walls.js';
import { upstreamOf } from './delivery/upstream.js';
import { completeEpics } from './epics.js';
import { leaveOrder } from './gate/ahead.js';
import { gateLanding } from './gate/gate.js';
import { type Green, greenFile, recallGreen, rememberGreen } from './gate/greens.js';
import type { WorkContext, WorkDeps } from './job.js';
import { loadOne } from './load.js';
import { assertDiskSpace } from './machine.js';
import { dropPlace } from './plan-place.js';
import { asWorkError, setUp } from './prepare.js';
import { openerOf } from './review/open.js';
import { cleanLanding, redactorOf } from './secrets.js';
import { tickUntracked } from './tick-untracked.js';

export async function landIdea(deps: WorkDeps, input: LandInput, { signal }: WorkContext): Promise<LandResult> {
  if (input.look) return lookAtTarget(deps, input).catch(asWorkError);
  const work = await landingWork(deps, input, 'landing', signal);
  let landed = false;
  try {
    const before = await indexDamage(deps, work.run);
    const result = await landWork(deps, input, work, signal);
    landed = result.kind === 'landed';
    // The landing has changed it.
    const after = landed ? await indexDamage(deps, work.run) : undefined;
    const told = [before, after].filter((text) => text !== undefined).join(' ');
    return result.kind === 'landed' && told ? cleanLanding(noted(result, told), redactorOf(deps)) : result;
  } finally {
    await leaveOrder(work.run, input.idea, landed).catch(() => undefined);
  }
}

/** A pull request does not move the target. */
async function lookAtTarget(deps: WorkDeps, input: LandInput): Promise<LandResult> {
  const startedAt = performance.now();
  const [{ file }] = await loadOne(deps, input);
  const open = file.config.landing.mode === 'pr' ? undefined : await openOperationOn(file.repo, file.target);
  const durationMs = Math.round(performance.now() - startedAt);
  if (open === undefined) return { kind: 'target-free', durationMs };
  return cleanLanding({ kind: 'target-busy', why: open.message, durationMs }, redactorOf(deps));
}

async function landWork(
  deps: WorkDeps,
  input: LandInput,
  { run, about, options, ticks, place }: LandingWork,
  signal: AbortSignal,
): Promise<LandResult> {
  const { landing, commit } = run.file.config;
  const { branch, base, head } = input;
  // Which child of an epic is the last, the order of the merges decides.
  const epics = ticks && landing.mode === 'pr' ? await completeEpics(deps.root, input, run) : [];
  const ticked = [...new Set([input.idea, ...(input.blues ?? []), ...epics])];
  const tool = ticks ? await storeOf(deps, input, run.file) : undefined;
  const files = ticks && !tool ? await tickFiles(deps.root, input, run.file, ticked) : [];
  const tolerated = new Set<string>();
  const escaped = new Set<string>();
  // What was told of it has been told.
  const { same: _, ...earlier } = input.green?.gate ?? {};
  let merged = input.green && (earlier as MergedGate);
  let ran = false;
  const handOver =
    landing.mode === 'pr'
      ? openerOf(deps, run, { idea: about, anew: input.anew, seen: input.seen, below: input.below }, signal)
      : undefined;
  const result = await landOnTarget({
    ...options,
    ...(handOver ? { on: input.below?.commit, handOver: (gated) => handOver(gated, merged) } : {}),
    ...(input.green ? { known: { trees: input.green.trees, gate: { pass: true, ...input.green.gate } } } : {}),
    recall: async (candidate) => {
      const green = await options.recall(candidate);
      if (green) {
        const { commands, tests, log } = green.gate;
        merged = { commands, tests, log, durationMs: 0, same: green.by };
        ran = false;
      }
      return green;
    },
    gate: async (dir, onto) => {
      const gate = await options.gate(dir, onto);
      for (const command of gate.tolerated ?? []) tolerated.add(command);
      for (const one of gate.escaped ?? []) escaped.add(one);
      const { commands, tests, durationMs, log } = gate;
      merged = { commands, durationMs, tests, log };
      ran = true;
      return gate;
    },
    ...{ branch, base, head },
    ...(input.places ? { places: input.places } : {}),
    ...(await whoWorked(deps, input, run.file.config)),
    strategy: landing.strategy,
    type: commit.type,
    backlogPath: place,
    tick: ticksIn(run.file, files),
  }).catch(asWorkError);
  if (result.kind === 'landed') await dropPlace(deps, input);
  const unticked = result.kind === 'landed' ? await tickUntracked(deps.root, run.file, files) : undefined;
  const untold = result.kind === 'landed' && tool ? await tool.close(ticked, result.commit) : undefined;
  const told = [
    ...[unticked, untold].flatMap((one) => one ?? []),
    ...(tolerated.size > 0 ? [redBefore([...tolerated])] : []),
    ...(escaped.size > 0 ? [`Its gate left processes running, which were ended: ${[...escaped].join(', ')}.`] : []),
  ].join(' ');
  const others = result.kind === 'red' ? await landedMeanwhile(run.file.repo, input, result.onto) : {};
  const known = result.kind === 'landed' && told ? noted(result, told) : { ...result, ...others };
  const gate = merged && { ...merged, ...(ran ? {} : { earlier: true as const }) };
  const gated = known.kind !== 'conflict' && known.kind !== 'red' && gate ? { ...known, gate } : known;
  return cleanLanding(await noteReverted(gated, run.file, input.idea), redactorOf(deps));
}

const MOST_OTHERS = 10;

/** Whose work it meets, for its agent. */
async function landedMeanwhile(repo: string, { idea, base }: LandInput, onto: string): Promise<{ others?: string[] }> {
  const since = await readCommits(repo, `${base}..${onto}`).catch(() => []);
  const ids = new Set(since.flatMap(({ message }) => namedIdeas(message).landed).filter((one) => one !== idea));
  return ids.size > 0 ? { others: [...ids].slice(-MOST_OTHERS) } : {};
}

/** The landing's note lists tolerated failures. */
const noted = <R extends { note?: string }>(result: R, told: string): R => ({
  ...result,
  note: result.note ? `${result.note} ${told}` : told,
});

const redBefore = (commands: readonly string[]): string =>
  `${commands.join(', ')} ${commands.length === 1 ? 'is' : 'are'} red, as on the target before (gate.baseline: tolerate)`;

/* Rolls a landed idea back from the target, including its tick. Idempotent after a crash at any point. */

export async function undoIdea(deps: WorkDeps, input: UndoInput, { signal }: WorkContext): Promise<UndoResult> {
  const { run, options, ticks, place } = await landingWork(deps, input, 'undo', signal);
  const unticked = [input.idea, ...(input.blues ?? [])];
  const tool = ticks ? await storeOf(deps, input, run.file) : undefined;
  const files = ticks && !tool ? await tickFiles(deps.root, input, run.file, unticked) : [];
  const inside = files.flatMap((one) => (one.place === undefined ? [] : [one.place]));
  const untick = (text: string, path: string): string | undefined => {
    const one = files.find((file) => file.place === path);
    return one && tickedText(run.file, one, text, false);
  };
  const result = await undoOnTarget({
    ...options,
    commit: input.commit || undefined,
    backlog: place === undefined ? undefined : { path: place, files: inside, untick },
  }).catch(asWorkError);
  if (result.kind === 'nothing' || result.kind === 'conflict') {
    const { repo, target } = run.file;
    const backlogPath = repositoryPath(repo, run.file.backlog.file);
    const gone = await takenBack({ repo, target, backlogPath, only: new Set([input.idea]) }).catch(() => []);
    const reverted = gone.filter((one) => one.by && !one.part).map(revertedBy);
    // What somebody took off does not conflict: nothing is left to take off.
    if (reverted.length > 0) return cleanLanding({ kind: 'nothing', reverted }, redactorOf(deps));
    const [lost] = result.kind === 'nothing' ? await rewound(repo, target, [input.idea]).catch(() => []) : [];
    if (lost) return { kind: 'nothing', lost: lost.landed.slice(0, 8) };
    if (result.kind === 'nothing') return cleanLanding(result, redactorOf(deps));
  }
  if (result.kind === 'undone') await dropPlace(deps, input);
  if (result.kind === 'undone') {
    const told = [await tickUntracked(deps.root, run.file, files, false), await tool?.reopen(unticked)];
    const note = told.filter(Boolean).join(' ');
    if (note !== '') return cleanLanding(noted(result, note), redactorOf(deps));
  }
  return cleanLanding(result, redactorOf(deps));
}

/* Shared by landing and undo: worktree, disk space, gate and backlog file. */

export interface LandingInput extends RunRef, Pick<LandInput, 'below'> {
  idea: string;
  title: string;
  agentName: string;
}

export interface LandingWork {
  run: LoadedRun;
  about: Idea;
  options: Omit<LandingContext, 'recall'> & {
    title: string;
    agentName: string;
    sign: boolean;
    unlinked?: true;
    recall: (candidate: Recalled) => Promise<Green | undefined>;
  };
  /** Whether the run ticks ideas in their backlog. */
  ticks: boolean;
  /** The backlog file relative to the repository; undefined when it lies outside, or the run ticks nothing. */
  place: string | undefined;
}

/** `folder`: the name for the gate's logs, below the idea's logs. */
export async function landingWork(
  deps: WorkDeps,
  input: LandingInput,
  folder: 'landing' | 'undo',
  signal: AbortSignal,
): Promise<LandingWork> {
  const [run, about] = await loadOne(deps, input);
  const { origin } = about;
  const { repo, target, config, backlog, tick } = run.file;
  const integrationRoot = integrationDir(deps.root, input.project);
  await assertDiskSpace([integrationRoot, repo], config, true);
  const ticks = tick && config.landing.tick;
  const place = ticks ? repositoryPath(repo, backlog.file) : undefined;
  const stacked = input.below !== undefined;
  const upstream = upstreamOf(deps, run, { place, work: folder, stacked, signal });
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), folder);
  // Another idea may already use this idea's slot.
  const where = (dir: string) => ({ ...input, agentName: SEATS.landing, dir, logDir, signal });
  const { idea, title, agentName } = input;
  const tell = tellActivity(deps, run, idea);
  let green: string | undefined;
  const options = {
    ...{ repo, integrationRoot, target, idea, title, agentName, signal },
    ...(origin ? { unlinked: true as const } : {}),
    sign: config.commit.sign,
    keep: config.worktrees.keep,
    setup: async (dir: string) =>
      setUpOrThrow(await wallOf(deps, run), { idea, fix: 'Look at its work and at the set-up commands' }, () =>
        setUp(deps, run, { ...where(dir), shared: true, onBegin: (command) => tell('set-up', { command }) }),
      ),
    recall: async ({ dir, tree, commit, onto }: Recalled) => {
      green = await greenFile(deps, run, tree);
      const known = await recallGreen(green);
      return known && !(await mayHaveLinks(dir, onto, commit)) ? known : undefined;
    },
    gate: async (dir: string, onto: string) => {
      await refuseLinks(dir, onto, idea);
      const work = (): Promise<GateResult> => gateLanding(deps, run, { ...where(dir), base: onto });
      const gate = await landingGate(await wallOf(deps, run), idea, work);
      await rememberGreen(green, { gate, by: `${folder === 'undo' ? 'rollback' : 'landing'} gate of ${idea}` });
      return gate;
    },
    ...(upstream ? { upstream } : {}),
  };
  return { run, about, options, ticks, place };
}

/** Agent runs pass the same check; this one covers commits from elsewhere. */
async function refuseLinks(dir: string, onto: string, idea: string): Promise<void> {
  const text = linkText(await linkTrouble({ worktree: dir, base: onto, history: true }));
  if (text)
    throw new RepositoryError(`${idea} cannot land: ${text}.`, `Fix it in its worktree, then: ralphctl retry ${idea}`);
}

/*
 * A landing lists the ideas that a person took off the target since the previous landing. Never fails a finished landing.
 */

const MOST_NAMED = 3;
/** The result is part of the workflow's history. */
const MOST_REVERTED = 20;
const LONGEST_SUBJECT = 60;

export async function noteReverted(result: LandResult, run: RunFile, idea: string): Promise<LandResult> {
  if (result.kind !== 'landed') return result;
  const { repo, target } = run;
  const backlogPath = repositoryPath(repo, run.backlog.file);
  const look = { repo, target, before: idea, backlogPath };
  const all = await takenBack(look).catch(() => []);
  const gone = all.filter((one) => !run.again?.includes(one.idea)).slice(0, MOST_REVERTED);
  return gone.length === 0 ? result : { ...result, reverted: gone.map(revertedBy) };
}

function revertedBy({ idea, by, part }: TakenBack): Reverted {
  const { commit = '', subject = '' } = by ?? {};
  return {
    ...{ idea, by: commit.slice(0, 8), subject: subject.slice(0, LONGEST_SUBJECT) },
    ...(part ? { files: part.slice(0, MOST_NAMED) } : {}),
    ...(part && part.length > MOST_NAMED ? { more: part.length - MOST_NAMED } : {}),
  };
}
