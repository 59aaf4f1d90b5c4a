/**
 * Keeps a project's background worker and the embedded server running, and alerts people when nothing moves all the
 * same.
 * Invariant: light (never loads the Temporal SDK); restarts with back-off; one per project, guarded by the record under
 * the project's lock; ends when the worker exits with code 0, or on request.
 */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { projectDir } from '../config/paths.js';
import { identityOf } from '../process/identity.js';
import { resolveConnection } from '../server/connection.js';
import { type ServerEvent, watchServer } from '../server/watch.js';
import { buildId } from './build-id.js';
import { type Ends, removeWorkerRecord, writeWorkerRecord } from './record.js';
import { watchStill } from './still.js';
import { lastError, openSaid, WorkerEnds } from './worker-ends.js';

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
  let serverProblem: string | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    stop.abort();
    child?.kill(name);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const self = await identityOf(process.pid);
  const record = self && { keeper: self, buildId: buildId(), startedAt: new Date().toISOString() };
  if (record) await writeWorkerRecord(root, project, record);
  const ends = new WorkerEnds(async (now) => {
    if (record) await writeWorkerRecord(root, project, { ...record, ...(now ? { ends: now } : {}) });
  });
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
      why: () => serverProblem ?? (ends.now && crashText(ends.now, logs)),
      onTold: (still, told) => log.info({ still, told }, 'nothing moves'),
    },
    stop.signal,
  );
  let backoff = FIRST_BACKOFF_MS;
  try {
    for (;;) {
      const started = performance.now();
      const { fd: errors, said } = openSaid(join(logs, 'worker.stderr'));
      const [command = process.execPath, ...args] = options.worker;
      child = spawn(command, args, { stdio: ['ignore', 'ignore', errors, 'ipc'], env });
      closeSync(errors);
      // Each message of the worker confirms its connection to the server.
      child.on('message', () => {
        asked += 1;
        ends.cameUp();
      });
      log.info({ worker: child.pid }, 'worker started');
      const code = await ended(child);
      log.info({ worker: child.pid, code, ms: Math.round(performance.now() - started) }, 'worker ended');
      if (stop.signal.aborted || (code === 0 && !moved)) return 0;
      if (!moved) ends.add(code, await lastError(said));
      moved = false;
      if (performance.now() - started > SETTLED_MS) backoff = FIRST_BACKOFF_MS;
      await delay(backoff, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return 0;
      backoff = Math.min(backoff * 2, LAST_BACKOFF_MS);
    }
  } finally {
    // A late write would bring the record back.
    await ends.written();
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

const crashText = ({ times, how }: Ends, logs: string): string =>
  `the worker ended ${times} times in a row (${how}; log: ${logs})`;

function ended(child: ReturnType<typeof spawn>): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}
