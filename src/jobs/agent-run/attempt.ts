/**
 * Prepares an agent's worktree and the attempt's ownership of it.
 * Invariant: before an agent starts, no process of an earlier attempt runs. No agent works outside a worktree of this
 * project.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { sessionIsGone } from '../../agents/account.js';
import { type ExecuteAgentInput, type ExecuteAgentResult, executeAgent } from '../../agents/execute.js';
import { readOwn } from '../../config/own-files.js';
import { worktreesDir } from '../../config/paths.js';
import { removeStaleLocks } from '../../git/locks.js';
import { privateGitDir } from '../../git/worktrees/list.js';
import { endLeftIn } from '../../process/escaped.js';
import { findByToken, killByToken } from '../../process/tokens.js';
import type { RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import { FAILURE, WORKER_LOST } from '../../protocol/failures.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import { type WorkDeps, WorkError } from '../job.js';

/** Checks that the worktree belongs to this project, because workflow input could name any folder. */
export async function assertOurs(deps: WorkDeps, run: LoadedRun, input: RunAgentInput): Promise<void> {
  const root = run.file.config.worktrees.root ?? worktreesDir(deps.root, input.project);
  const [real, realRoot] = await Promise.all([
    realpath(input.worktree).catch(() => ''),
    realpath(root).catch(() => ''),
  ]);
  if (real && realRoot && real.startsWith(realRoot + sep)) return;
  throw new WorkError(`${input.worktree} is not a worktree of this project (they are in ${root})`, FAILURE.repository);
}

/** Ends the processes that an earlier attempt left. `startedAt`: start of that attempt. */
export async function endEarlier(owner: string, idea: string, worktree: string, startedAt?: string): Promise<void> {
  await killByToken(owner);
  const since = new Date(startedAt ?? '');
  const escaped = Number.isNaN(since.getTime()) ? [] : await endLeftIn([worktree], since);
  const [left] = [...escaped, ...(await findByToken(owner))];
  if (!left) return;
  const message = `process ${left.pid} of an earlier run of ${idea} does not end, and ralphctl starts no second agent beside it. Look at it: ps -fp ${left.pid}`;
  throw new WorkError(message, FAILURE.workerLost, true);
}

/** A killed git leaves its locks. Nothing works in the worktree at this point, so every lock is a leftover. */
export async function unlock(worktree: string, branch: string): Promise<void> {
  const gitDir = await privateGitDir(worktree);
  if (gitDir) await removeStaleLocks(gitDir, { now: Number.POSITIVE_INFINITY, branch });
}

/*
 * The conversation of an unfinished iteration, which the next attempt resumes after a worker crash.
 * Invariant: written after the model's first answer, so never for a run that did not start to work. A finished
 * iteration stores it in its result. A file error only costs a new conversation.
 */

/** `step`: index of a plan step, from 0. */
type Session = NonNullable<RunAgentResult['session']> & { step?: number | undefined };
type CutOff = Pick<RunAgentResult, 'outcome' | 'session' | 'step'>;

const fileOf = (dir: string): string => join(dir, 'session.json');

export const noteConversation = (dir: string, session: Session): Promise<void> =>
  writeAtomically(fileOf(dir), JSON.stringify(session)).catch(() => {});

/** Reads how an earlier attempt at this iteration ended, if a crash interrupted its conversation. */
export async function cutOff(dir: string): Promise<CutOff | undefined> {
  try {
    const { step, ...session } = JSON.parse((await readOwn(fileOf(dir))) ?? '') as Session;
    const outcome = { kind: 'failed', failure: 'killed', message: WORKER_LOST } as const;
    return { outcome, session, step };
  } catch {
    return undefined;
  }
}

/*
 * Runs an agent, in the interrupted conversation if one exists.
 * Invariant: always sends the full prompt, so nothing depends on the conversation's memory. A lost conversation costs
 * one more start, never the iteration.
 */

const CARRY_ON = `# Continue

Your last run was interrupted from outside. This is the same conversation and the same folder: continue where you stopped.
Here are your instructions again, with a new word for the signal at the end:

`;

export async function runOrResume(input: ExecuteAgentInput): Promise<{ executed: ExecuteAgentResult; prompt: string }> {
  const { resume, ...fresh } = input;
  if (resume === undefined) return { executed: await executeAgent(fresh), prompt: fresh.prompt };
  const prompt = CARRY_ON + fresh.prompt;
  const executed = await executeAgent({ ...fresh, prompt, resume });
  if (input.signal?.aborted || !sessionIsGone(executed.outcome, executed.turns)) return { executed, prompt };
  const timeoutMs = Math.max(1000, fresh.timeoutMs - executed.durationMs);
  return { executed: await executeAgent({ ...fresh, timeoutMs }), prompt: fresh.prompt };
}
