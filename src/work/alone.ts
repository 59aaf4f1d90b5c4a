/**
 * Work on an idea's worktree that is no agent run: whatever still runs for the idea is ended first.
 * Invariant: an attempt that is still about finds that the mark is not its own, and writes nothing.
 */
import { randomUUID } from 'node:crypto';
import { killByToken } from '../process/tokens.js';
import type { IdeaGitInput } from '../protocol/git-work.js';
import { type AttemptMark, hasMark, markAttempt, unmarkAttempt } from '../runs/attempts.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { asWorkError } from './prepare-idea.js';

export async function alone<R>(
  deps: WorkDeps,
  input: IdeaGitInput,
  { taskToken, abandoned }: WorkContext,
  work: () => Promise<R>,
): Promise<R> {
  const { project, idea, runId } = input;
  const token = `${project}/${idea}/${runId}/git/${randomUUID()}`;
  const mark: AttemptMark = { token, taskToken, idea, serial: 0, startedAt: new Date().toISOString() };
  const left = await hasMark(deps.root, project, idea);
  await markAttempt(deps.root, project, mark);
  try {
    if (left) await killByToken(`${project}/${idea}`);
    return await work().catch(asWorkError);
  } finally {
    if (!abandoned()) await unmarkAttempt(deps.root, project, mark);
  }
}
