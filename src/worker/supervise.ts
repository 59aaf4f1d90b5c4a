/**
 * Keeps a project's background worker and the embedded server running, and alerts people when nothing moves all the
 * same.
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
import { type ServerEvent, watchServer } from '../server/watch.js';
import { buildId } from './build-id.js';
import { removeWorkerRecord, writeWorkerRecord } from './record.js';
import { watchStill } from './still.js';

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
  let asked = 0;
  /** Number of worker exits since the worker last reached the server. */
  let ends = 0;
  let lastEnd: number | string = 0;
  let serverProblem: string | undefined;
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
            serverProblem = problemOf(event);
            // Workers reconnect to the same address by themselves, but not to a new one.
            if (event.type === 'restarted' && event.moved) {
              moved = true;
              child?.kill('SIGTERM');
            }
          },
        },
        stop.signal,
      )
    : Promise.resolve();
  const stillWatch = watchStill(
    {
      ...{ root, project, env, asked: () => asked },
      why: () => serverProblem ?? (ends > 1 ? crashText(ends, lastEnd, logs) : undefined),
      onTold: (still, told) => log.info({ still, told }, 'nothing moves'),
    },
    stop.signal,
  );
  let backoff = FIRST_BACKOFF_MS;
  try {
    for (;;) {
      const started = performance.now();
      const errors = openSync(join(logs, 'worker.stderr'), 'a', 0o600);
      const [command = process.execPath, ...args] = options.worker;
      child = spawn(command, args, { stdio: ['ignore', 'ignore', errors, 'ipc'], env });
      closeSync(errors);
      // Each message of the worker confirms its connection to the server.
      child.on('message', () => {
        asked += 1;
        ends = 0;
      });
      log.info({ worker: child.pid }, 'worker started');
      const code = await ended(child);
      ends += 1;
      lastEnd = code;
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
    await Promise.all([watching, stillWatch]);
    log.flush();
  }
}

/** `stopped`: a person stopped the server, so no alert is due. */
function problemOf(event: ServerEvent): string | 'stopped' | undefined {
  switch (event.type) {
    case 'stopped':
      return 'stopped';
    case 'died':
      return 'the Temporal server is gone';
    case 'failed':
      return `the Temporal server does not start: ${event.error.message}`;
    default:
      return undefined;
  }
}

const crashText = (ends: number, last: number | string, logs: string): string =>
  `the worker ended ${ends} times in a row (${typeof last === 'number' ? `exit code ${last}` : last}; log: ${logs})`;

function ended(child: ReturnType<typeof spawn>): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}
