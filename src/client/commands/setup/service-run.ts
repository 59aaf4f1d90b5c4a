/**
 * `ralphctl service run`: the process of a service. Goes on with the open run of its project.
 * Invariant: it starts no run. Where no run can be open it starts nothing at all, not even the server. A project has one
 * worker: it takes the lock that `start` takes, and leaves a running worker alone. A full disk never ends the service for
 * good.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runDir } from '../../../config/paths.js';
import { identityOf } from '../../../process/identity.js';
import { withLock } from '../../../process/lock.js';
import { alertsId, trackerId } from '../../../protocol/names.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { listRuns } from '../../../run-files/run.js';
import { buildId } from '../../../worker/build-id.js';
import {
  removeWorkerRecord,
  runningWorker,
  workerLockPath,
  workerState,
  writeWorkerRecord,
} from '../../../worker/record.js';
import { type Context, findProjectId, say } from '../../context.js';
import { assertProjectId } from '../../service/record.js';
import { ensureStateFolder, triedAgain } from '../../state-folder.js';
import { program } from '../../worker-process.js';

const FIRST_WAIT_MS = 2000;
const LAST_WAIT_MS = 5 * 60_000;
const LOCK_MS = 90_000;

const AGAIN = '. The service tries again by itself';

export const serviceRun = (context: Context, asked?: string): Promise<number> =>
  triedAgain(context, () => goOn(context, asked), AGAIN);

async function goOn(context: Context, asked: string | undefined): Promise<number> {
  const { root } = context;
  const project = asked === undefined ? await findProjectId(context) : assertProjectId(asked);
  const runId = await mayBeOpen(root, project);
  if (runId === undefined) {
    say(`no run of ${project} is open; nothing to do`);
    return EXIT.ok;
  }
  await ensureStateFolder(context);
  if (await runningWorker(root, project)) return alreadyServed(project);
  const open = await untilKnown(context, project);
  if (!open) {
    say(`the run ${runId} of ${project} is no longer open; nothing to do`);
    // The next boot need not ask again.
    await withLock(workerLockPath(root, project), () => forgetDead(root, project), { waitMs: LOCK_MS });
    return EXIT.ok;
  }
  const taken = await withLock(workerLockPath(root, project), () => take(root, project), { waitMs: LOCK_MS });
  if (!taken) return alreadyServed(project);
  say(`going on with the run ${runId} of ${project}. See: ralphctl status`);
  const { supervise } = await import('../../../worker/supervise.js');
  const worker = [process.execPath, program(), 'worker', '--child', '--project', project];
  return supervise({ ...context, project, worker });
}

function alreadyServed(project: string): number {
  say(`a worker of ${project} already runs; nothing to do`);
  return EXIT.ok;
}

/**
 * The newest run, when it may be open: its summary is missing, or its worker was killed, perhaps in the last moments of
 * the run, or before its alerts were delivered. Reads two files.
 */
async function mayBeOpen(root: string, project: string): Promise<string | undefined> {
  const [runId] = await listRuns(root, project);
  if (runId === undefined) return undefined;
  const over = await access(join(runDir(root, project, runId), 'summary.json')).then(
    () => true,
    () => false,
  );
  return over && (await workerState(root, project)) !== 'dead' ? undefined : runId;
}

/** Asks the server, which it starts, until it answers. @throws UserError for settings that cannot work */
async function untilKnown(context: Context, project: string): Promise<boolean> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
    try {
      return await isOpen(context, project);
    } catch (error) {
      if (error instanceof UserError && error.exitCode === EXIT.usage) throw error;
      say(`${error instanceof Error ? error.message : String(error)} (again in ${wait / 1000} s)`);
    }
    await delay(wait);
  }
}

async function isOpen(context: Context, project: string): Promise<boolean> {
  const [{ connect }, { RunApi }, { isRunning }] = await Promise.all([
    import('../../api/connection.js'),
    import('../../api/run.js'),
    import('../../api/facts.js'),
  ]);
  const connected = await connect(context, { start: true, project });
  try {
    const { client } = connected;
    if ((await new RunApi(client, project).facts())?.open) return true;
    return (await isRunning(client, alertsId(project))) || (await isRunning(client, trackerId(project)));
  } finally {
    await connected.close();
  }
}

/** False when another worker was first. */
async function take(root: string, project: string): Promise<boolean> {
  if (await runningWorker(root, project)) return false;
  const keeper = await identityOf(process.pid);
  if (keeper)
    await writeWorkerRecord(root, project, { keeper, buildId: buildId(), startedAt: new Date().toISOString() });
  return true;
}

async function forgetDead(root: string, project: string): Promise<void> {
  if ((await workerState(root, project)) === 'dead') await removeWorkerRecord(root, project);
}
