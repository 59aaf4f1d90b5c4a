/**
 * Finished work that the end of the idea's last run kept from its gate, its approval or its landing: the agent had said
 * COMPLETE, and nothing has changed since. Only the gate is left, so no agent runs for it again.
 * Invariant: in doubt the agent runs. Only an idea that the end of its run cut off counts, never one that had failed.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ideaDir, iterationDir } from '../../config/paths.js';
import { KEPT_FILE, noteKept } from '../../gate/kept/folders.js';
import { isClean, readStatus } from '../../git/status.js';
import { branchState } from '../../git/worktrees/commit.js';
import type { RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import type { Idea } from '../../protocol/idea.js';
import { hasMark } from '../../run-files/attempts.js';
import { type LoadedRun, listRuns, loadIdea, writeAtomically } from '../../run-files/run.js';
import { readSummary } from '../../run-files/summary.js';
import type { WorkDeps } from '../job.js';
import { readResult } from './result.js';

/** The result to give instead of an agent run, written as the result of this one; undefined: the agent has to run. */
export async function claimedBefore(
  { root }: Pick<WorkDeps, 'root'>,
  { file }: LoadedRun,
  idea: Idea,
  input: RunAgentInput,
): Promise<RunAgentResult | undefined> {
  const { project, serial, notes, feedback, step, worktree, base } = input;
  if (serial !== 1 || notes.length > 0 || feedback || step !== undefined || file.again?.includes(idea.id))
    return undefined;
  if (await hasMark(root, project, idea.id)) return undefined;
  const before = await lastClaim(root, input, idea).catch(() => undefined);
  if (!before) return undefined;
  const { runId: earlier, result } = before;
  const state = await branchState({ worktree, base, since: base }).catch(() => undefined);
  if (state?.head !== result.head || !state.changed || state.conflictMarkers.length > 0) return undefined;
  if (!isClean(await readStatus(worktree))) return undefined;
  const dir = iterationDir(root, project, input.runId, idea.id, serial);
  const { outcome, signal, exitCode, head, changed, tail, agent, model, account, tree } = result;
  const again: RunAgentResult = {
    ...{ outcome, signal, exitCode, head, changed, tail, agent, model, account, tree },
    ...{ durationMs: 0, commits: 0, notes: 0, dir, earlier },
  };
  await mkdir(dir, { recursive: true });
  await noteKept(worktree, join(dir, KEPT_FILE)).catch(() => undefined);
  await writeAtomically(join(dir, 'result.json'), JSON.stringify(again));
  return again;
}

/** What its agent said last, where the newest run that worked on it says that its end cut the idea off. */
async function lastClaim(
  root: string,
  { project, runId: now }: RunAgentInput,
  idea: Idea,
): Promise<{ runId: string; result: RunAgentResult } | undefined> {
  for (const runId of await listRuns(root, project)) {
    if (runId >= now) continue;
    const names = await readdir(ideaDir(root, project, runId, idea.id)).catch(() => []);
    const serial = Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
    if (serial === 0) continue;
    const ref = { project, runId };
    const summary = await readSummary(root, ref, () => {});
    if (!summary?.notLanded.some((one) => one.idea === idea.id && one.status === 'pending')) return undefined;
    const result = await readResult(iterationDir(root, project, runId, idea.id, serial));
    const { outcome, signal, unfinished, strayed } = result ?? {};
    const claims = outcome?.kind === 'ok' && signal?.kind === 'complete' && unfinished === undefined && !strayed;
    return claims && result && isSame(await loadIdea(root, ref, idea.id), idea) ? { runId, result } : undefined;
  }
  return undefined;
}

/** The agent's words are about this text. */
function isSame(then: Idea | undefined, now: Idea): boolean {
  const said = ({ title, text, success, plan, requireXml }: Idea) => ({ title, text, success, plan, requireXml });
  return then !== undefined && isDeepStrictEqual(said(then), said(now));
}
