/**
 * One agent run: ends leftovers of an earlier attempt, builds the prompt, runs the agent in its worktree, commits its
 * work, reads its signal.
 * Invariant: at most one agent per idea at a time. A finished iteration (`result.json`) returns its result and never
 * runs again. Once a later attempt owns the idea, this one writes nothing.
 */

import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionToResume } from '../../agents/account.js';
import { newNonce } from '../../agents/prompt/prompt.js';
import type { AgentSpec } from '../../config/agent-spec.js';
import { iterationDir } from '../../config/paths.js';
import { agentNames, type Config, resolveAgent } from '../../config/schema/config.js';
import { KEPT_FILE, noteKept } from '../../gate/kept/folders.js';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import { admitOwnTip, noteOwnTip } from '../../git/confinement/own-branch.js';
import { breachesBy, clearPipes, enterSection, leaveSection, type Wall } from '../../git/confinement/wall.js';
import { git } from '../../git/runner.js';
import { savePoint } from '../../git/saves/saves.js';
import { forgetFlags } from '../../git/worktrees/flags.js';
import type { AgentOutcome, AgentSignal, RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import { FAILURE } from '../../protocol/failures.js';
import type { Idea } from '../../protocol/idea.js';
import {
  type AttemptMark,
  bookCutOff,
  hasMark,
  holdsMark,
  markAttempt,
  markOf,
  unmarkAttempt,
} from '../../run-files/attempts.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import { trackerOfRun } from '../../run-files/settings.js';
import { journalIn } from '../../trackers/jsonl.js';
import { slotEnvironment } from '../command-environment.js';
import { clearAfterAgent } from '../confine/after-agent.js';
import { guard } from '../confine/guard.js';
import { agentSection, wallOf } from '../confine/walls.js';
import { type WorkContext, type WorkDeps, WorkError } from '../job.js';
import { loadOne } from '../load.js';
import { assertCouldStart, assertDiskSpace } from '../machine.js';
import { keepPlace } from '../plan-place.js';
import { asWorkError, type Recreated, recreateIfGone } from '../prepare.js';
import { sandboxFor } from '../sandbox.js';
import { keepAnswers } from './answers.js';
import { assertOurs, cutOff, endEarlier, noteConversation, runOrResume, unlock } from './attempt.js';
import { mergedBefore } from './merged.js';
import { type Meter, meter, withOwnLimit } from './meter.js';
import { promptFor } from './prompt.js';
import { keepHeld, keepResult, leadsToGate, readResult, readSignal, recreatedText } from './result.js';
import { pipesText, settle } from './settle.js';

interface Attempt {
  deps: WorkDeps;
  run: LoadedRun;
  idea: Idea;
  input: RunAgentInput;
  /** Folder of the iteration. */
  dir: string;
  context: WorkContext;
  mark: AttemptMark;
  /** One of its processes survives every kill. */
  unkillable: boolean;
  /** What agents left for git to follow. */
  left: OutOfBoundsChange[];
}

export async function runAgent(deps: WorkDeps, input: RunAgentInput, context: WorkContext): Promise<RunAgentResult> {
  const [run, loaded] = await loadOne(deps, input);
  const idea = withPromise(run, loaded);
  const dir = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial);
  const finished = await readResult(dir);
  if (finished) return finished;
  await recreateIfGone(deps, run.file.repo, input, context, { branch: true });
  await assertOurs(deps, run, input);
  await mkdir(dir, { recursive: true });
  const mark: AttemptMark = {
    token: `${input.project}/${input.idea}/${input.runId}/${input.serial}/${randomUUID()}`,
    taskToken: context.taskToken,
    idea: input.idea,
    serial: input.serial,
    startedAt: new Date().toISOString(),
    run: input.runId,
  };
  return marked({ deps, run, idea, input, dir, context, mark, unkillable: false, left: [] }).catch(asWorkError);
}

/** Only the idea's own promise completes it. The run's promise applies to ideas without one. */
function withPromise({ file }: LoadedRun, idea: Idea): Idea {
  const promise = idea.promise ?? file.config.signals.promise;
  return promise === undefined ? idea : { ...idea, promise };
}

/** Makes this attempt the owner of the worktree while it runs. */
async function marked(attempt: Attempt): Promise<RunAgentResult> {
  const { deps, run, input, dir, context, mark } = attempt;
  const spec = agentSpec(run.file.config, attempt);
  // A mark disappears only after the last process of its run. Without a mark no leftover exists.
  const left = await hasMark(deps.root, input.project, input.idea);
  const earlier = left ? await markOf(deps.root, input.project, input.idea) : undefined;
  if (left) await bookCutOff(deps.root, input.project, earlier);
  // The mark comes before the kill: an earlier attempt whose agent ends here must see that it no longer owns the
  // worktree.
  await markAttempt(deps.root, input.project, mark);
  try {
    if (left) {
      await endEarlier(`${input.project}/${input.idea}`, input.idea, input.worktree, earlier?.startedAt);
      attempt.left.push(...(await clearAfterAgent(deps, run, input)));
    }
    await assertDiskSpace([input.worktree, run.file.repo, dir], run.file.config);
    await unlock(input.worktree, input.branch);
    return await underCeilings(attempt, spec);
  } finally {
    // While a process of it survives, the mark makes the next attempt search for it.
    if (!context.abandoned() && !attempt.unkillable) await unmarkAttempt(deps.root, input.project, mark);
  }
}

/** An agent does not start once the budget of run or day is used up. A running agent ends when the budget runs out. */
async function underCeilings(attempt: Attempt, spec: AgentSpec): Promise<RunAgentResult> {
  const { deps, run, input, dir } = attempt;
  const { project, idea, serial, ceilings } = input;
  const [since, previous] = await Promise.all([
    git(input.worktree).run(['rev-parse', 'HEAD'], { read: true }),
    readResult(iterationDir(deps.root, project, input.runId, idea, serial - 1)),
  ]);
  if (!ceilings) return iterate(attempt, spec, { since, previous });
  const begun = { id: input.runId, createdAt: new Date(run.file.createdAt) };
  const metered = await meter({ root: deps.root, project, run: begun, idea, serial, ceilings });
  if ('scope' in metered) return keepHeld(dir, input, { spec, reached: metered, head: since, previous });
  try {
    return await iterate(attempt, spec, { since, previous, metered });
  } finally {
    metered.close();
  }
}

interface Before {
  /** HEAD before the run. */
  since: string;
  /** Result of the previous agent run. */
  previous: RunAgentResult | undefined;
  metered?: Meter;
}

async function iterate(attempt: Attempt, spec: AgentSpec, before: Before): Promise<RunAgentResult> {
  const outputFile = join(attempt.dir, 'output.log');
  const wall = await wallOf(attempt.deps, attempt.run);
  // The checks run inside the section, so that no change by an agent counts as the user's.
  const section = await enterSection(wall, { name: agentSection(attempt.input.idea), outputFile });
  return iterateInside(attempt, spec, before, { wall, outputFile }).finally(() => leaveSection(wall, section));
}

async function iterateInside(
  attempt: Attempt,
  spec: AgentSpec,
  { since, previous, metered }: Before,
  { wall, outputFile }: { wall: Wall; outputFile: string },
): Promise<RunAgentResult> {
  const { deps, run, idea, input, dir, context } = attempt;
  const { config, repo } = run.file;
  if (input.step !== undefined) {
    await keepPlace(deps, input, idea, { step: input.step, skipped: input.skippedSteps ?? [] });
  }
  const nonce = newNonce();
  const prompt = await promptFor(deps, run, idea, input, nonce, previous);
  await writeAtomically(join(dir, 'prompt.md'), prompt);
  await keepAnswers(dir, input.notes);
  const confined = config.confinement === 'stop';
  const moved = confined ? await admitOwnTip(wall, input, since) : undefined;
  const tracker = trackerOfRun(run.file);
  const ownFile = tracker && journalIn(repo, tracker);
  const watch = await guard({ ...input, repo, dir, outputFile, wall, ownFile }, confined);
  const { iteration, step } = input;
  const agent = spec.name;
  // An attempt that a lost worker interrupted used the same folder.
  const resume = sessionToResume((await cutOff(dir)) ?? previous, { iteration, agent, step });
  const own = withOwnLimit(spec, input.allowance?.dollars, metered?.dollarsLeft);
  const { executed, prompt: sent } = await runOrResume({
    spec: own.spec,
    prompt,
    resume,
    cwd: input.worktree,
    nonce,
    idea: input.idea,
    iteration,
    scratch: dir,
    outputFile,
    streamFile: join(dir, 'stream.jsonl'),
    onConversation: (id) => void noteConversation(dir, { id, iteration, agent, step }),
    onHeartbeat: context.say,
    token: attempt.mark.token,
    timeoutMs: input.timeoutMs,
    allowance: input.allowance,
    meter: metered?.begin,
    idleMs: config.idleTimeoutMinutes * 60_000,
    maxLogBytes: config.logs.maxMegabytesPerRun * 1024 * 1024,
    signal: context.signal,
    extraEnv: { ...slotEnvironment(input), ...watch.env },
    baseEnv: deps.env,
    sandbox: sandboxFor({ deps, config, spec, cwd: input.worktree, scratch: dir, git: { repo, branch: input.branch } }),
  }).finally(async () => {
    watch.ended();
    if (!context.abandoned()) attempt.left.push(...(await clearAfterAgent(deps, run, input, since)));
  });
  assertCouldStart(executed.run);
  executed.outcome = own.meaning(executed.outcome);
  const reached = metered?.reached();
  if (reached && executed.outcome.kind === 'timeout' && executed.outcome.why === 'budget')
    executed.outcome.of = reached;
  attempt.unkillable = (executed.run.unkillable?.length ?? 0) > 0;
  const recreated = await takeBack(attempt);
  const signal = readSignal(executed.outcome, executed.finalMessage, { idea, nonce, prompt: sent, run });
  const mayLand = executed.outcome.kind === 'ok' && (signal.kind === 'complete' || !idea.ralph);
  await giveSlotBack(attempt, wall, executed.outcome, signal);
  const foreign = await watch.ownBranch();
  const unasked = confined ? [] : attempt.left.map(({ what }) => `the agent ${what}`);
  const [after, outside] = await Promise.all([
    settle(run, idea, input, since, { commitNow: config.autoCommit || mayLand, by: spec }),
    // Sequential, because a proven change must not also appear as a suspicion.
    watch.check(executed.redact, [...attempt.left, ...foreign]).then(async (strayed) => ({
      strayed,
      noticed: joined(watch.first ? moved : undefined, ...unasked, await watch.notice(executed.redact)),
    })),
  ]);
  await noteOwnTip(wall, input.idea, after.head);
  await noteKept(input.worktree, join(dir, KEPT_FILE)).catch(() => undefined);
  const told = [ignoredAgent(config, input), pipesText(after), recreated && recreatedText(recreated)].filter(
    (text) => text !== undefined,
  );
  // An idea of one agent run has no next prompt: what lies in place of the pipes is judged by the gate.
  const judged = idea.ralph ? after : { ...after, pipes: [] };
  const merged = mayLand && !after.changed ? await mergedBefore(deps, run.file, input, after.head) : undefined;
  const ended = { spec, dir, executed, signal, after: judged, recreated, merged, ...outside };
  return keepResult(deps, input, ended, told);
}

/**
 * The next agent may have the slot: this one has ended with all its processes, and a gate is next. Its changes to the
 * repository are recorded first, so that they are never held against an agent that begins now.
 */
async function giveSlotBack(
  { run, idea, input, context, unkillable }: Attempt,
  wall: Wall,
  { kind }: AgentOutcome,
  signal: AgentSignal,
): Promise<void> {
  if (!input.slot || !context.ended || unkillable || kind !== 'ok') return;
  if (!leadsToGate(signal, { loop: idea.ralph, always: run.file.config.gate.when === 'always' })) return;
  await breachesBy(wall, agentSection(input.idea), Date.now(), input.worktree);
  context.ended();
}

const joined = (...texts: Array<string | undefined>): string | undefined =>
  texts.filter((text) => text !== undefined).join('; ') || undefined;

/** After the agent's end: checks that this attempt still owns the worktree, and that the worktree is usable. */
async function takeBack({ deps, run, input, context, mark }: Attempt): Promise<Recreated | undefined> {
  if (context.abandoned()) throw new WorkError('the worker is gone', FAILURE.workerLost, true);
  // Comes before any change in the worktree: a lock there may belong to the later attempt.
  if (!(await holdsMark(deps.root, input.project, mark))) {
    const message = `a later attempt already works on ${input.idea}; this one leaves the worktree to it`;
    throw new WorkError(message, FAILURE.workerLost, true);
  }
  // Before any git: it would wait at a pipe.
  await clearPipes(await wallOf(deps, run));
  const recreated = await recreateIfGone(deps, run.file.repo, input, context, { branch: false });
  await unlock(input.worktree, input.branch);
  if (context.signal.aborted) {
    const { worktree, idea, base } = input;
    await forgetFlags(worktree);
    await savePoint({ worktree, idea, why: 'its agent was interrupted', since: base });
    const wall = await wallOf(deps, run);
    await noteOwnTip(wall, input.idea, await git(input.worktree).run(['rev-parse', 'HEAD'], { read: true }));
    throw new WorkError('stopped while the agent ran', FAILURE.workerLost, true);
  }
  return recreated;
}

/** Workflow input is untrusted: a name outside the configuration counts as absent. */
function agentSpec(config: Config, { input, idea }: Attempt): AgentSpec {
  const own = idea.agent ?? config.agent;
  const name = ignoredAgent(config, input) === undefined ? (input.agent ?? own) : own;
  try {
    return resolveAgent(config, name, input.stronger);
  } catch (error) {
    throw new WorkError((error as Error).message, FAILURE.badInput);
  }
}

/** Warns about an unknown requested agent: any client that reaches the server's port can name one. */
function ignoredAgent(config: Config, { agent }: RunAgentInput): string | undefined {
  if (agent === undefined || agentNames(config).includes(agent)) return undefined;
  return `the idea was told to use the agent "${agent.slice(0, 100)}", which the configuration does not have; its own agent ran`;
}
