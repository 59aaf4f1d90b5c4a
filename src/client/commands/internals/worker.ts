/** `ralphctl worker`: runs in the foreground for service managers and containers; `start` runs it with `--supervise`. */

import { EXIT } from '../../../protocol/user-error.js';
import { workerState } from '../../../worker/record.js';
import { type Context, findProjectId, print, say } from '../../context.js';
import { ensureStateFolder, triedAgain } from '../../state-folder.js';
import { ensureWorker, program, stopWorker } from '../../worker-process.js';

export interface WorkerOptions {
  project?: string;
  supervise?: boolean;
  child?: boolean;
  stop?: boolean;
  capacity?: number;
  grace?: number;
}

const DEFAULT_CAPACITY = 100;
const DEFAULT_GRACE_SECONDS = 5;
const IDLE_EXIT_MS = 10 * 60_000;

export async function worker(context: Context, options: WorkerOptions): Promise<number> {
  const project = options.project ?? (await findProjectId(context));
  if (options.stop) {
    print((await stopWorker(context, project)) ? 'worker stopped' : 'no worker was running');
    return EXIT.ok;
  }
  return triedAgain(context, () => begin(context, project, options));
}

async function begin(context: Context, project: string, options: WorkerOptions): Promise<number> {
  await ensureStateFolder(context);
  if (options.supervise) {
    const { supervise } = await import('../../../worker/supervise.js');
    const command = [process.execPath, program(), 'worker', '--child', '--project', project];
    return supervise({ ...context, project, worker: command });
  }
  const { serve } = await import('../../../worker/serve.js');
  const common = {
    ...context,
    project,
    capacity: { agents: options.capacity ?? DEFAULT_CAPACITY, git: (options.capacity ?? DEFAULT_CAPACITY) + 2 },
    graceMs: (options.grace ?? DEFAULT_GRACE_SECONDS) * 1000,
  };
  if (options.child) {
    let orphaned = false;
    const onOrphaned = (): void => {
      orphaned = true;
    };
    const onAsked = (): void => void (process.connected && process.send?.('asked', () => {}));
    const code = await serve({ ...common, echo: false, idleExitMs: IDLE_EXIT_MS, onOrphaned, onAsked });
    // A stopped supervisor has removed its record. A killed one left it, so a new one starts.
    if (orphaned && (await workerState(context.root, project)) === 'dead') await ensureWorker(context, project);
    return code;
  }
  return foreground(context, project, (onAsked) => serve({ ...common, echo: true, onAsked }));
}

/** A foreground worker watches the embedded server itself. A project has one worker. */
async function foreground(
  context: Context,
  project: string,
  run: (onAsked: () => void) => Promise<number>,
): Promise<number> {
  const { resolveConnection } = await import('../../../server/connection.js');
  const { runningWorker, writeWorkerRecord, removeWorkerRecord } = await import('../../../worker/record.js');
  const { identityOf } = await import('../../../process/identity.js');
  const { buildId } = await import('../../../worker/build-id.js');
  const { watchStill } = await import('../../../worker/still.js');
  if (await runningWorker(context.root, project)) {
    say('a worker of this project is already running. Stop it with: ralphctl worker --stop');
    return EXIT.usage;
  }
  const stop = new AbortController();
  let watching: Promise<void> = Promise.resolve();
  if ((await resolveConnection(context)).kind === 'embedded') {
    const { ensureServer } = await import('../../../server/embedded.js');
    const { watchServer } = await import('../../../server/watch.js');
    const server = { ...context, onProgress: say };
    await ensureServer(server);
    watching = watchServer({ ...server, onEvent: (event) => say(`server ${event.type}`) }, stop.signal);
  }
  const self = await identityOf(process.pid);
  if (self) {
    const record = { keeper: self, buildId: buildId(), startedAt: new Date().toISOString() };
    await writeWorkerRecord(context.root, project, record);
  }
  let asked = 0;
  const stillWatch = watchStill(
    {
      ...context,
      project,
      asked: () => asked,
      why: () => undefined,
      onTold: ({ text }) => say(`nothing moves: ${text}`),
    },
    stop.signal,
  );
  try {
    return await run(() => {
      asked += 1;
    });
  } finally {
    await removeWorkerRecord(context.root, project);
    stop.abort();
    await Promise.all([watching, stillWatch]);
  }
}
