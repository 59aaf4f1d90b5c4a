/**
 * Gates an idea that claims to be done on the tree that is expected to land: the target, those ahead of it in the
 * landing queue, its work and its tick.
 * Invariant: only a green one replaces the idea's own gate; its landing finds the very tree by `greens.ts` or gates
 * again. It runs in an integration worktree that no agent works in.
 */
import { integrationDir } from '../../config/paths.js';
import type { CommandOutcome } from '../../gate/attribute.js';
import { boundedTail } from '../../gate/run.js';
import { identityEnv } from '../../git/commits.js';
import { buildCandidate } from '../../git/landing/candidate.js';
import { integrationWorktree, resetIntegration } from '../../git/landing/integration.js';
import { type Tick, tickTree } from '../../git/landing/tick.js';
import { sharedGitDir } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { mayHaveLinks } from '../../git/worktrees/gitlinks.js';
import type { GateInput, GateResult } from '../../protocol/gate.js';
import type { Idea } from '../../protocol/idea.js';
import type { LoadedRun } from '../../run-files/run.js';
import { tickFiles, ticksIn } from '../../run-files/ticks.js';
import { tellActivity } from '../activity.js';
import { storeOf } from '../beads.js';
import type { WorkDeps } from '../job.js';
import { assertDiskSpace } from '../machine.js';
import { setUp } from '../prepare.js';
import { keepOutcomes } from './baseline.js';
import { gateIn, keepKept } from './gate.js';
import { greenFile, rememberGreen } from './greens.js';
import type { JudgeInput } from './judge.js';
import { forecastOf, giveBack, type LandingForecast, type Member, type Predicted, takePlace } from './queue.js';

/** An idea's place in the expected order of landings. */
export interface Turn {
  commonDir: string;
  forecast: LandingForecast;
  member: Member;
  /** The file for its green gate. */
  file?: string | undefined;
  /** With what is ahead of it, its gate is red: it is not going to land as it is. */
  apart?: true;
}

/** Undefined: the idea does not land after this gate, or nothing is gated ahead (`landing.parallel: 1`). */
export async function takeTurn(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: GateInput,
): Promise<Turn | undefined> {
  const { config, repo, target } = run.file;
  const { gate, landing } = config;
  // Runs of older versions lack both settings.
  if ((landing.parallel ?? 1) < 2 || gate.reuse === false || gate.commands.length === 0) return undefined;
  if (input.unclaimed || input.base === undefined || !isLastStep(idea, input)) return undefined;
  const commonDir = await sharedGitDir(repo);
  const forecast = forecastOf(commonDir, target, run.file.runId);
  const head = await git(input.worktree).run(['rev-parse', 'HEAD', 'HEAD^{tree}'], { read: true });
  const build = builder(run, input, head.split('\n'), await tickOf(deps, run, input));
  return { commonDir, forecast, member: forecast.join(input.idea, build) };
}

function isLastStep({ plan }: Idea, { claimed }: GateInput): boolean {
  if (!claimed || !plan) return true;
  return claimed.step + 1 >= plan.reduce((sum, { steps }) => sum + steps.length, 0);
}

/** As the landing ticks, but for epics that it completes: a gate does not know of those. */
async function tickOf(deps: WorkDeps, run: LoadedRun, input: GateInput): Promise<Tick | undefined> {
  const { tick, config } = run.file;
  if (!tick || !config.landing.tick || (await storeOf(deps, input, run.file))) return undefined;
  return ticksIn(run.file, await tickFiles(deps.root, input, run.file, [input.idea]));
}

function builder(
  { file }: LoadedRun,
  { idea, agentName = 'ed-001' }: GateInput,
  [head = '', headTree = '']: readonly string[],
  tick: Tick | undefined,
): Member['build'] {
  let last: Predicted | undefined;
  return async (dir, onto) => {
    if (last?.onto === onto.commit) return last;
    let plain = '';
    const candidate = await buildCandidate({
      ...{ dir, tip: onto, head, strategy: file.config.landing.strategy },
      parts: { idea, agentName, title: idea },
      write: { who: await identityEnv(file.repo) },
      adjust: async (tree) => {
        plain = tree;
        return tick ? tickTree(dir, tree, tick) : tree;
      },
    });
    if (candidate.kind === 'conflict') return undefined;
    const { commit } = candidate;
    const tree = await git(dir).run(['rev-parse', `${commit}^{tree}`], { read: true });
    last = { onto: onto.commit, commit, tree, own: plain === headTree };
    return last;
  };
}

/** The idea's gate is over: a green one stays in the order until its landing is. */
export async function endTurn(turn: Turn, idea: string, gate: GateResult | undefined): Promise<void> {
  // A person has to look first, which takes long.
  const lands = gate?.pass === true && !turn.apart && !gate.tripwires?.some(({ warn }) => !warn);
  if (gate) await rememberGreen(turn.file, { gate, by: `gate of ${idea}` });
  turn.forecast.settle(turn.member, lands);
}

/** A landing is over. */
export async function leaveOrder({ file }: LoadedRun, idea: string, landed: boolean): Promise<void> {
  if ((file.config.landing.parallel ?? 1) > 1)
    forecastOf(await sharedGitDir(file.repo), file.target, file.runId).leave(idea, landed);
}

export interface AheadInput extends JudgeInput {
  agentName: string;
  /** The commit that the work starts from. */
  base: string;
  /** Judges a green gate in the worktree where it ran. */
  green: (
    gate: GateResult,
    outcomes: ReadonlyArray<CommandOutcome | undefined>,
    at: { worktree: string; base: string },
  ) => Promise<GateResult>;
}

/** The second one is for an idea that lost what it was built on. */
const MOST_GATES = 2;

/** Undefined: the idea's own gate decides. Rejects only with the signal's reason. */
export async function gateAhead(
  deps: WorkDeps,
  run: LoadedRun,
  turn: Turn,
  input: AheadInput,
): Promise<GateResult | undefined> {
  const place = takePlace(turn.commonDir, run.file.config.landing.parallel);
  if (place === undefined) return undefined;
  try {
    for (let n = 0; n < MOST_GATES; n++) {
      const gate = await gateOnce(deps, run, turn, input, place);
      if (gate !== 'lost its base') return gate;
    }
    return undefined;
  } catch {
    // Its own gate tells about a broken set-up, and its landing about a broken repository.
    input.signal.throwIfAborted();
    return undefined;
  } finally {
    giveBack(turn.commonDir, place);
  }
}

async function gateOnce(
  deps: WorkDeps,
  run: LoadedRun,
  turn: Turn,
  input: AheadInput,
  place: number,
): Promise<GateResult | undefined | 'lost its base'> {
  const { repo, config, project } = run.file;
  const { signal } = input;
  const integrationRoot = integrationDir(deps.root, project);
  await assertDiskSpace([integrationRoot, repo], config);
  const { commonDir } = turn;
  const name = `ahead ${place}`;
  const dir = await integrationWorktree({ repo, commonDir, integrationRoot, target: name, commit: input.base });
  // Each pull request is reviewed alone on the target.
  const first = config.landing.mode === 'pr' ? [] : turn.forecast.ahead(turn.member);
  const { built, before } = await expected(run, turn, dir, first, input.base);
  if (!built || (await mayHaveLinks(dir, built.onto, built.commit))) return undefined;
  const file = await greenFile(deps, run, built.tree);
  signal.throwIfAborted();
  await resetIntegration(dir, built.commit, config.worktrees.keep);
  const where = { ...input, dir, base: built.onto };
  const tell = tellActivity(deps, run, input.idea);
  await setUp(deps, run, { ...where, shared: true, onBegin: (command) => tell('set-up', { command }) });
  signal.throwIfAborted();
  await keepKept(deps, run, where);
  const outcomes: CommandOutcome[] = [];
  // Nothing is compared with a commit whose own gate may still turn red.
  const stands = async (): Promise<boolean> => {
    await Promise.race([Promise.all(before.map(({ settled }) => settled)), aborted(signal)]);
    signal.throwIfAborted();
    return before.every(({ state }) => state !== 'out');
  };
  const ran = await gateIn(deps, run, { ...where, stands }, (n, outcome) => {
    outcomes[n] = outcome;
  });
  if (!(await stands())) return 'lost its base';
  if (ran.pass) await keepOutcomes(deps, run, { project, tree: built.tree }, outcomes);
  const gate = ran.pass ? await input.green(ran, outcomes, { worktree: dir, base: built.onto }) : ran;
  if (gate.pass) {
    turn.file = file;
    return gate;
  }
  if (built.own) return inFreshPlace(gate);
  turn.apart = true;
  return undefined;
}

/** Its agent may see it green in its own worktree. */
function inFreshPlace(gate: GateResult): GateResult {
  const { failure } = gate;
  if (!failure || failure.alreadyRed) return gate;
  const tail = boundedTail(`${failure.tail}\n${FRESH}`, failure.log);
  return { ...gate, failure: { ...failure, tail } };
}

const FRESH =
  '[ralphctl: this ran on your commits in another worktree: of what git ignores, only what set-up makes is there.]';

/**
 * What would land, and the ideas that it would land after: one that conflicts is left out. Undefined where it conflicts
 * itself, or the target lacks its base.
 */
async function expected(
  { file }: LoadedRun,
  { member }: Turn,
  dir: string,
  first: readonly Member[],
  base: string,
): Promise<{ built?: Predicted | undefined; before: Member[] }> {
  const before: Member[] = [];
  const ref = `refs/heads/${file.target}`;
  const [commit = '', tree = ''] = (await git(dir).run(['rev-parse', ref, `${ref}^{tree}`], { read: true })).split(
    '\n',
  );
  const args = ['merge-base', '--is-ancestor', base, commit];
  if ((await git(dir).result(args, { ok: [0, 1, 128], read: true })).code !== 0) return { before };
  let onto = { commit, tree };
  for (const one of first) {
    const next = one.state === 'out' ? undefined : await one.build(dir, onto);
    if (!next) continue;
    onto = next;
    before.push(one);
  }
  return { built: await member.build(dir, onto), before };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
