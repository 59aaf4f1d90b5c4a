/**
 * The job process: a small process that does a worker's work with git, gate and agents.
 * Invariant: it ends moments after its worker. It then ends all running work at once and writes nothing more. Marks
 * stay for the next worker, which returns the attempts to the server. Must not import Temporal.
 */

import { ownGit, whenStoodStill, workHere } from '../../jobs/index.js';
import { type WorkDeps, WorkError, type WorkInput, type WorkName } from '../../jobs/job.js';
import { markGit } from '../../process/left-git.js';
import { activeTokens, killByToken } from '../../process/tokens.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import type { FromJobProcess, ToJobProcess } from './client.js';
import { orphansGone } from './orphans.js';

/** Slightly less than the heartbeat timeout of activities. */
const STOOD_STILL_MS = 18_000;

let deps: WorkDeps | undefined;
/** Resolves once no process of an earlier job process works any more. */
let ready: Promise<void> = Promise.resolve();
const running = new Map<number, AbortController>();
let orphaned = false;

function tell(message: FromJobProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function work(id: number, name: WorkName, input: WorkInput<WorkName>, taskToken: string): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    if (!deps) throw new Error('the job process got work before its setup');
    // A worker has one project.
    ownGit(input.project);
    await ready;
    const say = (progress: AgentHeartbeat): void => tell({ id, progress });
    const ended = (): void => tell({ id, ended: true });
    const context = { signal: controller.signal, taskToken, abandoned: () => orphaned, say, ended };
    const result = await workHere(deps)(name, input, context);
    tell({ id, ok: true, result: result ?? null });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? error.stack : undefined;
    const kind = error instanceof WorkError ? { type: error.type, retryable: error.retryable } : {};
    tell({ id, ok: false, message, stack: stack || undefined, ...kind });
  } finally {
    running.delete(id);
  }
}

process.on('message', (message: ToJobProcess) => {
  switch (message.do) {
    case 'init':
      deps = { root: message.root, host: message.host, env: process.env };
      ready = markGit(message).then(() =>
        orphansGone(message, (note, { pid, command }) => tell({ note, about: { git: pid, command } })),
      );
      return;
    case 'work':
      void work(message.id, message.name, message.input as WorkInput<WorkName>, message.taskToken);
      return;
    case 'ping':
      tell({ pong: true });
      return;
    case 'abort':
      running.get(message.id)?.abort();
      return;
  }
});
// A halt longer than the worker's heartbeat timeout ends this process, because another one may own its work by now.
// Its marks stay for that process.
whenStoodStill(STOOD_STILL_MS, () => process.exit(1));
process.on('disconnect', () => {
  orphaned = true;
  void Promise.all(activeTokens().map((token) => killByToken(token, 0))).finally(() => process.exit(0));
});
// Ctrl-C in a terminal reaches the whole group; the worker decides when this process ends.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
