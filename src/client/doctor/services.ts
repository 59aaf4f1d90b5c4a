/** Checks the Temporal server and the worker: whether they run, or can start. Starts nothing. */

import { resolveConnection } from '../../server/connection.js';
import { databaseProblem, LOSS } from '../../server/database.js';
import { isExecutable, which } from '../../server/install/probe.js';
import { cachedBinary } from '../../server/install/resolve.js';
import { serverStatus } from '../../server/stop.js';
import { connectTarget } from '../../server/target.js';
import { runningWorker, type WorkerRecord } from '../../worker/record.js';
import { readServedRecord } from '../../worker/served/record.js';
import type { Context } from '../context.js';
import { failingLines } from '../open-run/failing-run.js';
import { leftGit } from '../views/left-git.js';
import { endsText, haltedWorker, workerLogs } from '../views/worker-ends.js';
import { type Check, fail, info, ok, warn } from './check.js';

export async function checkServices(context: Context, project: string | undefined): Promise<Check[]> {
  const checks = [await checkServer(context)];
  if (project === undefined) return checks;
  const worker = await runningWorker(context.root, project).catch(() => undefined);
  const left = await leftGit({ root: context.root, project });
  const git = left ? [warn('git', `a killed worker left ${left.what}; the next worker waits for it`, left.fix)] : [];
  const served = worker ? await checkServed(context, project) : [];
  return [
    ...checks,
    workerCheck(context.root, project, worker, worker && (await haltedWorker(worker.keeper).catch(() => undefined))),
    ...served,
    ...git,
    ...(await checkRun(context, project, worker !== undefined)),
  ];
}

/** The pid is that of the process that restarts the worker, so that it tells nothing of one that ends again and again. */
export function workerCheck(
  root: string,
  project: string,
  worker: WorkerRecord | undefined,
  halted?: { what: string; command: string },
): Check {
  if (!worker) return info('worker', 'none; ralphctl start starts one');
  const { keeper, ends } = worker;
  if (halted) return fail('worker', halted.what, `let it go on: ${halted.command}`);
  if (!ends) return ok('worker', `running (pid ${keeper.pid})`);
  const fix =
    'remove the cause; the worker then starts by itself within a minute, or at once with: ralphctl worker --stop, then ralphctl start';
  return fail('worker', endsText(ends, root, project), fix);
}

/** Only what the worker is to serve. */
async function checkServed({ root }: Context, project: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, called] of SERVED) {
    const record = await readServedRecord(root, project, name).catch(() => undefined);
    if (!record) continue;
    const { address, problem, fix = '' } = record;
    checks.push(problem === undefined ? ok(called, address) : warn(called, problem, fix));
  }
  return checks;
}

const SERVED = [
  ['keys', 'payload keys'],
  ['metrics', 'metrics'],
  ['codec', 'codec server'],
] as const;

/** An open run whose workflow fails: nothing moves although every other check may pass. */
async function checkRun(context: Context, project: string, worker: boolean): Promise<Check[]> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (embedded && (await serverStatus(context.root)).state !== 'running') return [];
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  const connected = await connect(context, { start: false, project }).catch(() => undefined);
  if (!connected) return [];
  try {
    const facts = await new RunApi(connected.client, project).facts();
    if (!facts?.open || !facts.failing || !(worker || !embedded)) return [];
    const [what, log, fix] = failingLines(workerLogs(context.root, project), facts.failing);
    return [fail('open run', `run ${facts.runId ?? ''}: ${what}`, `${log}; ${fix}`)];
  } catch {
    return [];
  } finally {
    await connected.close();
  }
}

async function checkServer(context: Context): Promise<Check> {
  const target = await connectTarget(context, { start: false, onProgress: () => {} }).catch((error: Error) => error);
  if (target instanceof Error)
    return fail('server', target.message.split('\n')[0] ?? '', 'fix temporal.toml or TEMPORAL_ADDRESS');
  if (target.kind !== 'embedded') return checkExternal(context, target.description);
  const { state, record } = await serverStatus(context.root);
  const problem = await databaseProblem(context.root);
  if (state === 'running' && record) {
    const what = `Temporal ${record.version.server} at ${record.address}`;
    if (!problem) return ok('server', what);
    // The server keeps working on the open file, and loses all of it when it ends.
    return fail('server', `${what} runs, but ${problem}`, 'let open runs end, then: ralphctl server stop');
  }
  if (problem)
    return fail('server', `not running, and ${problem}`, `restore a copy of yours, or: ralphctl start. ${LOSS}`);
  return (await programFor(context)) ?? info('server', 'not running; ralphctl start starts it');
}

async function checkExternal(context: Context, description: string): Promise<Check> {
  const { connect } = await import('../api/connection.js');
  try {
    const connected = await connect(context, { start: false });
    await connected.close();
    return ok('server', description);
  } catch (error) {
    return fail('server', (error as Error).message, 'check the address, and check that the server runs');
  }
}

/** Where ralphctl would get the server program; undefined when it has one. */
async function programFor({ env, cacheRoot }: Context): Promise<Check | undefined> {
  const configured = env.RALPHCTL_TEMPORAL_BIN;
  if (configured) {
    if (await isExecutable(configured)) return undefined;
    return fail('server', `RALPHCTL_TEMPORAL_BIN=${configured} is not an executable program`, 'fix or unset it');
  }
  if ((await which('temporal', env)) || (await isExecutable(cachedBinary(cacheRoot)))) return undefined;
  const way = (await which('go', env)) ? 'downloads it, or builds it with Go in some minutes' : 'downloads it';
  return info('server', `no temporal program yet; the first start ${way}`);
}
