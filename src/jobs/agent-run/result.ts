/**
 * Builds the result of an agent run from its output and its files, and stores it in the iteration's folder.
 * Invariant: it goes into workflow history, so it contains no secrets and only references and tails. An unwritable file
 * causes a warning, because a full disk must not repeat a finished run.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accountKey, sessionToResume } from '../../agents/account.js';
import type { ExecuteAgentResult } from '../../agents/execute.js';
import { parseSignal, withRest } from '../../agents/reading/signal.js';
import type { AgentSpec } from '../../config/agent-spec.js';
import { readOwn } from '../../config/own-files.js';
import { ideaDir } from '../../config/paths.js';
import { type Config, resolveAgent } from '../../config/schema/config.js';
import type { Worker } from '../../git/landing/message.js';
import type { Settled } from '../../git/worktrees/settle.js';
import type { Redact } from '../../process/redact.js';
import type { RunResult } from '../../process/run.js';
import type {
  AgentOutcome,
  AgentSignal,
  OutOfBoundsRun,
  RunAgentInput,
  RunAgentResult,
} from '../../protocol/agent-run.js';
import type { BudgetReached } from '../../protocol/budget.js';
import type { Idea } from '../../protocol/idea.js';
import { type RunRef, TAIL_LIMIT } from '../../protocol/run-ref.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import { writeUsage } from '../../run-files/usage.js';
import type { WorkDeps } from '../job.js';
import type { Recreated } from '../prepare.js';
import { whyUnfinished } from './settle.js';

/** One agent run that ended. */
export interface Ended {
  spec: AgentSpec;
  /** Folder of the iteration. */
  dir: string;
  executed: ExecuteAgentResult;
  signal: AgentSignal;
  after: Settled;
  strayed: OutOfBoundsRun | undefined;
  noticed: string | undefined;
  /** The run deleted or damaged the worktree, and ralphctl recreated it. */
  recreated: Recreated | undefined;
  /** The commit of the target that has the idea's work, where this run changed nothing. */
  merged: string | undefined;
}

export const recreatedText = ({ aside, linked, mended, moved }: Recreated): string =>
  moved ? MOVED : mended ? MENDED : linked ? linkedText(aside) : goneText(aside);

const MOVED =
  'the worktree was moved to another folder during the run; ralphctl moved it back, and all files are as the run left them. Leave it where it is: work elsewhere does not count';

const MENDED =
  "files of the worktree's private git directory (.git/worktrees) were broken during the run; ralphctl made them anew, and all files are as the run left them. Leave that directory alone: without it no commit counts";

const linkedText = (aside: string | undefined): string =>
  aside === undefined
    ? 'the .git file of the worktree was deleted or changed during the run; ralphctl put it back. Leave it alone: without it no commit counts'
    : `the .git file of the worktree was replaced by a repository of its own during the run. No commit there counts, so ralphctl put the file back, and that repository is in ${aside} now. All files are as the run left them: commit them in the worktree, and do not run git init or git clone there`;

const goneText = (aside: string | undefined): string =>
  `the worktree was deleted or broken during the run; ralphctl recreated it from its branch, and ${aside === undefined ? 'uncommitted work is lost' : `what was in its place is in ${aside} now`}`;

/** Undefined: this iteration has not ended or has not begun. */
export async function readResult(dir: string): Promise<RunAgentResult | undefined> {
  try {
    return JSON.parse((await readOwn(join(dir, 'result.json'))) ?? '') as RunAgentResult;
  } catch {
    return undefined;
  }
}

/** An agent chooses the names of branches. */
const clip = (text: string): string => text.slice(0, 300);

const FINAL_MESSAGE = 'final-message.md';

/** Writes the result and the final message, and records the run's usage. */
export async function keepResult(
  deps: WorkDeps,
  input: RunAgentInput,
  ended: Ended,
  more: readonly string[],
): Promise<RunAgentResult> {
  const { dir, executed } = ended;
  const said = executed.redact(executed.finalMessage);
  const warnings = [...more, ...warningsOf(executed.run, executed.redact)];
  // Comes before the result, so that the result can report a failure.
  await writeAtomically(join(dir, FINAL_MESSAGE), said).catch((error) => warnings.push(notWritten(error)));
  const result = resultOf(deps, input, ended, said, warnings);
  await noteUsage(deps, input, result, executed.turns);
  try {
    await writeAtomically(join(dir, 'result.json'), JSON.stringify(result));
  } catch (error) {
    return { ...result, warnings: [...warnings, notWritten(error)] };
  }
  return result;
}

/** The result of a run that did not begin, because the budget of run or day is used up. */
export async function keepHeld(
  dir: string,
  { iteration, step }: RunAgentInput,
  held: { spec: AgentSpec; reached: BudgetReached; head: string; previous: RunAgentResult | undefined },
): Promise<RunAgentResult> {
  const { spec, reached, head, previous } = held;
  const agent = spec.name;
  const id = sessionToResume(previous, { iteration, agent, step });
  const result: RunAgentResult = {
    outcome: { kind: 'timeout', why: 'budget', of: reached },
    ...{ signal: { kind: 'none' }, durationMs: 0, exitCode: null, head, commits: 0, changed: false, tail: '', dir },
    step,
    session: id === undefined ? undefined : { id, iteration, agent },
    agent,
  };
  await writeAtomically(join(dir, 'result.json'), JSON.stringify(result));
  return result;
}

function resultOf(
  deps: WorkDeps,
  input: RunAgentInput,
  { spec, dir, executed, signal, after, strayed, noticed, recreated, merged }: Ended,
  said: string,
  warnings: string[],
): RunAgentResult {
  const replaced = recreated && executed.redact(recreatedText(recreated));
  const unfinished = replaced ?? whyUnfinished(after);
  return {
    outcome: executed.outcome,
    signal: cleaned(signal, executed.redact, join(dir, FINAL_MESSAGE)),
    durationMs: executed.durationMs,
    exitCode: executed.exitCode,
    head: after.head,
    commits: after.commits,
    changed: after.changed,
    merged,
    strayed,
    noticed: noticed || undefined,
    unfinished: unfinished ? executed.redact(unfinished) : undefined,
    replaced,
    restored: after.restored.length > 0 ? after.restored.slice(0, 20) : undefined,
    tail: said.slice(-TAIL_LIMIT),
    warnings: warnings.length > 0 ? warnings : undefined,
    notes: input.notes.length,
    step: input.step,
    escaped: executed.run.escaped,
    repaired: after.repairs.length > 0 ? after.repairs.map((one) => clip(executed.redact(one))) : undefined,
    dir,
    usage: executed.usage,
    session:
      executed.resumable && executed.sessionId
        ? { id: executed.sessionId, iteration: input.iteration, agent: spec.name }
        : undefined,
    agent: spec.name,
    model: executed.model ?? spec.model,
    account: accountKey(spec, deps.env),
    tree: after.tree,
  };
}

function warningsOf({ logError, unkillable = [], escaped = [], refused = [] }: RunResult, redact: Redact): string[] {
  return [
    ...refused.map(redact),
    ...(escaped.length === 0
      ? []
      : [`ended processes that the agent had detached from its run: ${escaped.join(', ')}`]),
    ...(logError === undefined ? [] : [`output.log is incomplete: ${logError}`]),
    ...unkillable.slice(0, 3).map(({ pid }) => `process ${pid} of the agent does not end; look at it: ps -fp ${pid}`),
  ];
}

const notWritten = (error: unknown): string =>
  `a file of the iteration could not be written: ${error instanceof Error ? error.message : String(error)}`;

/** Never fails: a slightly low total is better than an iteration that runs twice. */
async function noteUsage(deps: WorkDeps, input: RunAgentInput, result: RunAgentResult, turns: number): Promise<void> {
  const { outcome, durationMs, usage, agent = '', account = '' } = result;
  const { runId: run, idea, serial } = input;
  const row = { at: new Date().toISOString(), run, idea, serial, agent, account, durationMs, turns, ...usage };
  const cutOff = outcome.kind === 'timeout' && outcome.of !== undefined;
  const kind = outcome.kind === 'failed' ? outcome.failure : cutOff ? 'cut-off' : outcome.kind;
  await writeUsage(deps.root, input.project, { ...row, outcome: kind }).catch(() => {});
}

/**
 * Removes secrets, because the signal goes into workflow history, events and the terminal. `whole`: the file with the
 * message that it ends.
 */
function cleaned(signal: AgentSignal, redact: (text: string) => string, whole: string): AgentSignal {
  switch (signal.kind) {
    case 'blocked':
      return { ...signal, reason: withRest(redact(signal.reason), whole) };
    case 'needs-human':
      return { ...signal, question: withRest(redact(signal.question), whole) };
    default:
      return signal;
  }
}

export function readSignal(
  outcome: AgentOutcome,
  finalMessage: string,
  context: { idea: Idea; nonce: string; prompt: string; run: LoadedRun },
): AgentSignal {
  if (outcome.kind !== 'ok') return { kind: 'none' };
  const { idea, nonce, prompt, run } = context;
  return parseSignal(finalMessage, {
    nonce,
    prompt,
    promise: idea.promise,
    requireXml: idea.requireXml ?? run.file.config.signals.requireXml,
  });
}

/** Whether a gate comes next, as far as the agent's words tell: whether there is work is known once it is settled. */
export function leadsToGate({ kind }: AgentSignal, { loop, always }: { loop: boolean; always: boolean }): boolean {
  if (kind === 'blocked' || kind === 'needs-human') return false;
  return kind === 'complete' || !loop || always;
}

/* The last agent and model that worked on an idea, for the trailers of its commits. Reads files only. */

export async function whoWorked(deps: WorkDeps, ref: RunRef & { idea: string }, config: Config): Promise<Worker> {
  const dir = ideaDir(deps.root, ref.project, ref.runId, ref.idea);
  const names = await readdir(dir).catch(() => []);
  const runs = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  for (const name of runs) {
    const agent = (await readResult(join(dir, name)))?.agent;
    if (agent !== undefined) return workerOf(config, agent);
  }
  return {};
}

function workerOf(config: Config, agent: string): Worker {
  try {
    const { model } = resolveAgent(config, agent);
    return { agent, model };
  } catch {
    return { agent };
  }
}
