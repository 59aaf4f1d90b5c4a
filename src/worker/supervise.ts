/**
 * Keeps a project's background worker and the embedded server running.
 * Invariant: light (never loads the Temporal SDK); restarts with back-off; one per project, guarded by the record under
 * the project's lock; ends when the worker exits with code 0, or on request.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { projectDir } from '../config/paths.js';
import { identityOf } from '../process/identity.js';
import { resolveConnection } from '../server/connection.js';
import { watchServer } from '../server/watch.js';
import { buildId } from './build-id.js';
import { removeWorkerRecord, writeWorkerRecord } from './record.js';

const FIRST_BACKOFF_MS = 200;
const LAST_BACKOFF_MS = 30_000;
const SETTLED_MS = 60_000;

export interface SuperviseOptions {
  root: string;
  cacheRoot: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** Command line of the worker process. */
  worker: readonly string[];
}

export async function supervise(options: SuperviseOptions): Promise<number> {
  const { root, project, env } = options;
  const logs = join(projectDir(root, project), 'logs');
  await mkdir(logs, { recursive: true });
  const log = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: join(logs, 'supervisor.log'), sync: true, mode: 0o600 }),
  );
  const stop = new AbortController();
  let child: ReturnType<typeof spawn> | undefined;
  let moved = false;
  const onSignal = (name: NodeJS.Signals): void => {
    stop.abort();
    child?.kill(name);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const self = await identityOf(process.pid);
  if (self) {
    await writeWorkerRecord(root, project, { keeper: self, buildId: buildId(), startedAt: new Date().toISOString() });
  }
  const embedded = (await resolveConnection({ env, root })).kind === 'embedded';
  const watching = embedded
    ? watchServer(
        {
          root,
          cacheRoot: options.cacheRoot,
          env,
          onProgress: (line) => log.info({ line }, 'server'),
          onEvent: (event) => {
            log.info(event, `server ${event.type}`);
            // Workers reconnect to the same address by themselves, but not to another one.
            if (event.type === 'restarted' && event.moved) {
              moved = true;
              child?.kill('SIGTERM');
            }
          },
        },
        stop.signal,
      )
    : Promise.resolve();
  let backoff = FIRST_BACKOFF_MS;
  try {
    for (;;) {
      const started = performance.now();
      const errors = openSync(join(logs, 'worker.stderr'), 'a', 0o600);
      const [command = process.execPath, ...args] = options.worker;
      child = spawn(command, args, { stdio: ['ignore', 'ignore', errors, 'ipc'], env });
      closeSync(errors);
      log.info({ worker: child.pid }, 'worker started');
      const code = await ended(child);
      log.info({ worker: child.pid, code, ms: Math.round(performance.now() - started) }, 'worker ended');
      if (stop.signal.aborted || (code === 0 && !moved)) return 0;
      moved = false;
      if (performance.now() - started > SETTLED_MS) backoff = FIRST_BACKOFF_MS;
      await delay(backoff, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return 0;
      backoff = Math.min(backoff * 2, LAST_BACKOFF_MS);
    }
  } finally {
    await removeWorkerRecord(root, project);
    stop.abort();
    await watching;
    log.flush();
  }
}

function ended(child: ReturnType<typeof spawn>): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}
