/** Runs the gate's commands in an idea's worktree. A red gate is a result, not an error. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iterationDir } from '../config/paths.js';
import { gateEnvironment } from '../gate/environment.js';
import { runGate } from '../gate/run-gate.js';
import type { GateInput, GateResult } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { LoadedRun } from '../runs/run-files.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { gateCommands } from './gate-commands.js';
import { loadOne } from './load.js';
import { slotEnvironment } from './slot-environment.js';
import { WorkError } from './work-error.js';

export async function runIdeaGate(deps: WorkDeps, input: GateInput, { signal }: WorkContext): Promise<GateResult> {
  const [run] = await loadOne(deps, input);
  const there = await stat(input.worktree).catch(() => undefined);
  if (!there?.isDirectory()) throw new WorkError(`the worktree ${input.worktree} is gone`, FAILURE.repository);
  const dir = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial);
  return gateIn(deps, run, { ...input, agentName: 'gate-0', dir: input.worktree, logDir: join(dir, 'gate'), signal });
}

export function gateIn(
  deps: WorkDeps,
  run: LoadedRun,
  where: { project: string; idea: string; agentName: string; dir: string; logDir: string; signal: AbortSignal },
): Promise<GateResult> {
  return runGate({
    commands: gateCommands(run.file.config),
    worktree: where.dir,
    logDir: where.logDir,
    env: gateEnvironment(deps.env, slotEnvironment(where)),
    token: `${where.project}/${where.idea}/gate/${randomUUID()}`,
    signal: where.signal,
  });
}
