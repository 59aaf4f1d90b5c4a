/**
 * One agent run: reap what an earlier attempt left, build the prompt, run the agent in its worktree, commit what it left,
 * read its signal.
 * Invariant: at most one agent per idea at a time; a finished iteration (`result.json`) is returned, never run again;
 * when this attempt is not ours any more, nothing is written.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { accountKey } from '../agents/account.js';
import type { PlanSection } from '../agents/plan-section.js';
import { buildPrompt, newNonce } from '../agents/prompt.js';
import { sessionToResume } from '../agents/resume.js';
import { parseSignal } from '../agents/signal.js';
import type { AgentSpec } from '../config/agent-spec.js';
import { iterationDir, worktreesDir } from '../config/paths.js';
import { resolveAgent } from '../config/resolve-agent.js';
import type { Config } from '../config/schema.js';
import { git } from '../git/git.js';
import { removeStaleIndexLock } from '../git/locks.js';
import { commitMessage } from '../git/message.js';
import { savePoint } from '../git/saves.js';
import { type Settled, settleIteration } from '../git/settle.js';
import { privateGitDir } from '../git/worktree-list.js';
import type { RunResult } from '../process/run.js';
import { findByToken, killByToken } from '../process/tokens.js';
import { type AgentOutcome, type RunAgentInput, type RunAgentResult, TAIL_LIMIT } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { Idea } from '../protocol/idea.js';
import type { AgentSignal } from '../protocol/signal.js';
import { type AttemptMark, hasMark, holdsMark, markAttempt, unmarkAttempt } from '../runs/attempts.js';
import { repositoryPath } from '../runs/backlog-place.js';
import { type LoadedRun, writeAtomically } from '../runs/run-files.js';
import { writeUsage } from '../runs/usage-ledger.js';
import { carryOn } from './carry-on.js';
import { guard } from './confine.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { loadOne } from './load.js';
import { keepPlace } from './plan-place.js';
import { asWorkError } from './prepare-idea.js';
import { remakeIfGone } from './remake.js';
import { assertRoom } from './room.js';
import { slotEnvironment } from './slot-environment.js';
import { WorkError } from './work-error.js';

export async function runAgent(deps: WorkDeps, input: RunAgentInput, context: WorkContext): Promise<RunAgentResult> {
  const [run, idea] = await loadOne(deps, input);
  const dir = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial);
  const finished = await readResult(dir);
  if (finished) return finished;
  await remakeIfGone(deps, input, context);
  await assertOurs(deps, run, input);
  return attempt(deps, run, idea, input, dir, context).catch(asWorkError);
}

const REMADE =
  'the worktree was deleted or broken during the run and has been made again from its branch; what was not committed is gone';

async function attempt(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: RunAgentInput,
  dir: string,
  context: WorkContext,
): Promise<RunAgentResult> {
  const { signal: stop, taskToken, abandoned, say } = context;
  const { config } = run.file;
  const spec = agentSpec(config, input.agent ?? idea.agent ?? config.agent, input.stronger);
  const owner = `${input.project}/${input.idea}`;
  await mkdir(dir, { recursive: true });
  const token = `${owner}/${input.runId}/${input.serial}/${randomUUID()}`;
  const mark: AttemptMark = {
    token,
    taskToken,
    idea: input.idea,
    serial: input.serial,
    startedAt: new Date().toISOString(),
  };
  // A mark is taken away only when nothing of its run is left, so without one there is nothing to look for.
  const left = await hasMark(deps.root, input.project, input.idea);
  // Marked before the kill: an earlier attempt whose agent is ended here must see that the worktree is no longer its own.
  await markAttempt(deps.root, input.project, mark);
  let unkillable = false;
  try {
    if (left) await endEarlier(owner, input.idea);
    await assertRoom([input.worktree, run.file.repo, dir], config);
    await unlockIndex(input.worktree);
    const [since, chosen, previous] = await Promise.all([
      git(input.worktree).run(['rev-parse', 'HEAD'], { read: true }),
      template(run),
      readResult(iterationDir(deps.root, input.project, input.runId, input.idea, input.serial - 1)),
    ]);
    if (input.step !== undefined) {
      await keepPlace(deps, input, idea, { step: input.step, skipped: input.skippedSteps ?? [] });
    }
    const nonce = newNonce();
    const prompt = buildPrompt({
      idea,
      iteration: input.iteration,
      maxIterations: input.maxIterations,
      feedback: input.feedback,
      unchanged: input.unchanged,
      notes: input.notes,
      nonce,
      template: chosen,
      plan: await planOf(deps, input, idea),
      protect: config.gate.protect,
      restored: previous?.restored,
    });
    await writeAtomically(join(dir, 'prompt.md'), prompt);
    const outputFile = join(dir, 'output.log');
    const watch = await guard({ ...input, repo: run.file.repo, dir, outputFile }, config.confinement === 'stop');
    const resume = sessionToResume(previous, { iteration: input.iteration, agent: spec.name });
    const { executed, prompt: sent } = await carryOn({
      spec,
      prompt,
      ...(resume === undefined ? {} : { resume }),
      cwd: input.worktree,
      nonce,
      idea: input.idea,
      iteration: input.iteration,
      scratch: dir,
      outputFile,
      streamFile: join(dir, 'stream.jsonl'),
      ...(say ? { onProgress: say } : {}),
      token,
      timeoutMs: input.timeoutMs,
      ...(input.allowance ? { allowance: input.allowance } : {}),
      idleMs: config.idleTimeoutMinutes * 60_000,
      maxLogBytes: config.logs.maxMegabytesPerRun * 1024 * 1024,
      signal: stop,
      extraEnv: { ...slotEnvironment(input), ...watch.env },
      baseEnv: deps.env,
    });
    unkillable = (executed.run.unkillable?.length ?? 0) > 0;
    if (abandoned()) throw new WorkError('the worker is gone', FAILURE.workerLost, true);
    // Before anything in the worktree is touched: a lock in it may be the later attempt's, and in use.
    if (!(await holdsMark(deps.root, input.project, mark))) {
      const message = `a later attempt works on ${input.idea} by now; this one leaves the worktree to it`;
      throw new WorkError(message, FAILURE.workerLost, true);
    }
    const remade = await remakeIfGone(deps, input, context);
    await unlockIndex(input.worktree);
    if (stop.aborted) {
      await savePoint({ worktree: input.worktree, idea: input.idea, why: 'its agent was interrupted' });
      throw new WorkError('stopped while the agent ran', FAILURE.workerLost, true);
    }
    const signal = readSignal(executed.outcome, executed.finalMessage, { idea, nonce, prompt: sent, run });
    const mayLand = executed.outcome.kind === 'ok' && (signal.kind === 'complete' || !idea.ralph);
    const [after, strayed] = await Promise.all([
      settle(run, idea, input, since, config.autoCommit || mayLand),
      watch.check(),
    ]);
    const unfinished = remade ? REMADE : whyUnfinished(after);
    const said = executed.redact(executed.finalMessage);
    const warnings = warningsOf(executed.run);
    // Before the result is made, so that it can say so; a full disk must not make a finished run begin again.
    await writeAtomically(join(dir, 'final-message.md'), said).catch((error) => warnings.push(notWritten(error)));
    const result: RunAgentResult = {
      outcome: executed.outcome,
      signal: cleaned(signal, executed.redact),
      durationMs: executed.durationMs,
      exitCode: executed.exitCode,
      head: after.head,
      commits: after.commits,
      changed: after.changed,
      ...(strayed ? { strayed } : {}),
      ...(unfinished ? { unfinished: executed.redact(unfinished) } : {}),
      ...(after.restored.length > 0 ? { restored: after.restored.slice(0, 20) } : {}),
      tail: said.slice(-TAIL_LIMIT),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(input.step === undefined ? {} : { step: input.step }),
      dir,
      ...(executed.usage ? { usage: executed.usage } : {}),
      ...(executed.resumable && executed.sessionId
        ? { session: { id: executed.sessionId, iteration: input.iteration, agent: spec.name } }
        : {}),
      agent: spec.name,
      account: accountKey(spec, deps.env),
      tree: after.tree,
    };
    await noteUsage(deps, input, result, executed.turns);
    try {
      await writeAtomically(join(dir, 'result.json'), JSON.stringify(result));
    } catch (error) {
      return { ...result, warnings: [...warnings, notWritten(error)] };
    }
    return result;
  } finally {
    // While something of it is left, the mark makes the next attempt look for it.
    if (!abandoned() && !unkillable) await unmarkAttempt(deps.root, input.project, mark);
  }
}

/** Ends what an earlier attempt left. */
async function endEarlier(owner: string, idea: string): Promise<void> {
  await killByToken(owner);
  const [left] = await findByToken(owner);
  if (!left) return;
  const message = `process ${left.pid} of an earlier run of ${idea} cannot be ended, and no second agent starts beside it; see: ps -fp ${left.pid}`;
  throw new WorkError(message, FAILURE.workerLost, true);
}

function warningsOf({ logError, unkillable = [] }: RunResult): string[] {
  return [
    ...(logError === undefined ? [] : [`output.log is not whole: ${logError}`]),
    ...unkillable.slice(0, 3).map(({ pid }) => `process ${pid} of the agent cannot be ended; see: ps -fp ${pid}`),
  ];
}

const notWritten = (error: unknown): string =>
  `a file of the iteration could not be written: ${error instanceof Error ? error.message : String(error)}`;

/** A total that is a little low is better than an iteration that is run twice. */
async function noteUsage(deps: WorkDeps, input: RunAgentInput, result: RunAgentResult, turns: number): Promise<void> {
  const { outcome, durationMs, usage, agent = '', account = '' } = result;
  const { runId: run, idea, serial } = input;
  const row = { at: new Date().toISOString(), run, idea, serial, agent, account, durationMs, turns, ...usage };
  const kind = outcome.kind === 'failed' ? outcome.failure : outcome.kind;
  await writeUsage(deps.root, input.project, { ...row, outcome: kind }).catch(() => {});
}

/** Workflow input is not trusted: the name may be none of the configuration's. */
function agentSpec(config: Config, name: string, stronger?: true): AgentSpec {
  try {
    return resolveAgent(config, name, stronger);
  } catch (error) {
    throw new WorkError((error as Error).message, FAILURE.badInput);
  }
}

async function readResult(dir: string): Promise<RunAgentResult | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, 'result.json'), 'utf8')) as RunAgentResult;
  } catch {
    return undefined;
  }
}

/** Iterations whose last words are looked at for the digest of a plan. */
const MOST_LOOKED_AT = 40;

async function planOf(deps: WorkDeps, input: RunAgentInput, { plan }: Idea): Promise<PlanSection | undefined> {
  if (!plan || input.step === undefined) return undefined;
  const first = Math.max(1, input.serial - MOST_LOOKED_AT);
  const dirs = Array.from({ length: input.serial - first }, (_, n) =>
    iterationDir(deps.root, input.project, input.runId, input.idea, first + n),
  );
  const results = await Promise.all(dirs.map(readResult));
  const notes = results.flatMap((result) =>
    result?.step !== undefined && result.signal.kind === 'complete' ? [{ step: result.step, text: result.tail }] : [],
  );
  // Of several claims for one step the last one stood.
  const last = [...new Map(notes.map((note) => [note.step, note])).values()];
  return { plan, step: input.step, skipped: input.skippedSteps ?? [], notes: last };
}

/** The worktree must be one of this project's: workflow input could name any folder. */
async function assertOurs(deps: WorkDeps, run: LoadedRun, input: RunAgentInput): Promise<void> {
  const root = run.file.config.worktrees.root ?? worktreesDir(deps.root, input.project);
  const [real, realRoot] = await Promise.all([
    realpath(input.worktree).catch(() => ''),
    realpath(root).catch(() => ''),
  ]);
  if (real && realRoot && real.startsWith(realRoot + sep)) return;
  throw new WorkError(`${input.worktree} is not a worktree of this project (they are in ${root})`, FAILURE.repository);
}

/** A killed git leaves its index lock behind. Called when nothing works in the worktree, so that any lock is such a one. */
async function unlockIndex(worktree: string): Promise<void> {
  const gitDir = await privateGitDir(worktree);
  if (gitDir) await removeStaleIndexLock(gitDir, Number.POSITIVE_INFINITY);
}

async function template(run: LoadedRun): Promise<string | undefined> {
  const path = run.file.config.prompt.template;
  return path ? readFile(join(run.file.repo, path), 'utf8') : undefined;
}

/** Brings the agent's work onto the idea's branch and, where asked to, commits what it left. */
function settle(run: LoadedRun, idea: Idea, input: RunAgentInput, since: string, commitNow: boolean): Promise<Settled> {
  const { type, hooks, sign } = run.file.config.commit;
  const { worktree, branch, base, agentName } = input;
  const message = commitMessage({ title: idea.title, idea: idea.id, agentName, type });
  const commit = commitNow ? { message, hooks, sign } : undefined;
  // Ticks are ours: an agent that ticks boxes would declare other ideas done and make every landing conflict.
  const backlog = repositoryPath(run.file.repo, run.file.backlog.file);
  const restore = backlog === undefined ? [] : [backlog];
  const { protect } = run.file.config.gate;
  return settleIteration({
    worktree,
    idea: idea.id,
    branch,
    base,
    since,
    restore,
    protect,
    ...(commit ? { commit } : {}),
  });
}

function whyUnfinished({ refused, nested = [], conflictMarkers }: Settled): string | undefined {
  if (refused) return `the commit was refused: ${refused.slice(-1000)}`;
  if (nested.length > 0) {
    return `these folders hold git repositories of their own and are not committed: ${some(nested)}; remove their .git or ignore them`;
  }
  return conflictMarkers.length > 0 ? `conflict markers are left in ${some(conflictMarkers)}` : undefined;
}

/** The result goes into workflow history: ten names are enough to act on. */
function some(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${names.slice(0, 10).join(', ').slice(0, 1000)}${more}`;
}

/** Without secrets: it goes into workflow history, events and the terminal. */
function cleaned(signal: AgentSignal, redact: (text: string) => string): AgentSignal {
  switch (signal.kind) {
    case 'blocked':
      return { ...signal, reason: redact(signal.reason) };
    case 'needs-human':
      return { ...signal, question: redact(signal.question) };
    default:
      return signal;
  }
}

function readSignal(
  outcome: AgentOutcome,
  finalMessage: string,
  context: { idea: Idea; nonce: string; prompt: string; run: LoadedRun },
): AgentSignal {
  if (outcome.kind !== 'ok') return { kind: 'none' };
  const { idea, nonce, prompt, run } = context;
  return parseSignal(finalMessage, {
    nonce,
    prompt,
    ...(idea.promise === undefined ? {} : { promise: idea.promise }),
    requireXml: idea.requireXml ?? run.file.config.signals.requireXml,
  });
}
