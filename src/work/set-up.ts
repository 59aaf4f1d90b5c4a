/** Runs a worktree's setup (dependencies, copied files); cheap when nothing changed. */
import { randomUUID } from 'node:crypto';
import { ensureSetup } from '../gate/setup.js';
import { type Configured, commandEnvironment } from './command-environment.js';
import type { WorkDeps } from './deps.js';

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
    /** A worktree in which the work of many ideas is gated. */
    shared?: boolean;
  },
): Promise<void> {
  const { setup, worktrees } = run.file.config;
  await ensureSetup({
    worktree: where.dir,
    run: setup.run,
    copy: setup.copy,
    // A run that was pinned by 0.1 has no such list.
    cache: worktrees.cache ?? [],
    shared: where.shared ?? false,
    from: run.file.repo,
    timeoutMs: setup.timeoutMinutes * 60_000,
    logDir: where.logDir,
    ...commandEnvironment(deps, run, 'setup', where),
    token: `${where.project}/${where.idea}/setup/${randomUUID()}`,
    signal: where.signal,
  });
}
