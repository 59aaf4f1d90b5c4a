/**
 * The worker process: waits for the server, ends leftovers of an earlier worker, polls until a stop.
 * Invariant: the first stop signal returns running iterations after a grace time and leaves no process behind. The
 * second one ends at once. Every end has a log line and an exit code.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities, type Taken } from '../activities/index.js';
import { awakeOf } from '../config/schema/awake.js';
import type { DoWork } from '../jobs/job.js';
import { endProcesses } from '../process/beside.js';
import { powerSource } from '../process/power.js';
import { programFile } from '../process/program-file.js';
import { alertsId, autopilotId, trackerId } from '../protocol/names.js';
import { EventWriter } from '../run-files/events.js';
import { listRuns, loadNewest } from '../run-files/run.js';
import { resolveConnection } from '../server/connection.js';
import { pagesOf, readRecord } from '../server/files.js';
import type { ProjectPayloads } from '../server/payloads/project.js';
import { connectTarget, type Target } from '../server/target.js';
import { Awake } from './awake.js';
import { buildId } from './build-id.js';
import { cleanerOf } from './cleaner.js';
import { hostLabel } from './host-label.js';
import { JobProcess } from './job-process/client.js';
import { openWorkerLog, type WorkerLog } from './log.js';
import { WorkerMetrics } from './metrics/metrics.js';
import { otherHosts } from './old-hosts.js';
import { workerPayloads } from './payloads.js';
import { whenNoCommandWorks, workerProblems } from './preflight.js';
import { noteTaken, reap, resetStickyQueue } from './recovery.js';
import { serveCodec } from './served/codec.js';
import { createWorkers } from './workers.js';

export interface ServeOptions {
  root: string;
  cacheRoot: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** Print readable lines to stderr as well. */
  echo: boolean;
  capacity: { agents: number; git: number };
  /** How long running iterations may continue after a stop signal, milliseconds. */
  graceMs: number;
  /** Called when the supervisor is gone; the worker then returns its work and ends. */
  onOrphaned?: () => void;
  /** Time without an open run after which the worker ends; undefined: never. */
  idleExitMs?: number;
  /** Called regularly while the server answers. */
  onAsked?: () => void;
}

export const EXIT_IDLE = 0;
const IDLE_CHECK_MS = 15_000;
const ASK_MS = 10_000;

/** Runs until stopped. Resolves to the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const { root, project } = options;
  const log = await openWorkerLog(root, project, options.echo);
  const bundle = programFile('workflow-bundle.js');
  const problems = await workerProblems(root, project, bundle);
  if (problems.length > 0) {
    for (const problem of problems) {
      log.event(`cannot start: ${problem}`);
      if (!options.echo) process.stderr.write(`${problem}\n`);
    }
    log.close();
    return 1;
  }
  const metrics = await WorkerMetrics.prepare({ root, project, log });
  const logging = { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) };
  Runtime.install({
    logger: log.sdk,
    shutdownSignals: [],
    telemetryOptions: { logging, ...metrics.telemetry },
  });
  metrics.start();
  const codec = serveCodec({ root, project, log, env: options.env });
  codec.start();
  const stop = new StopRequest(options.onOrphaned);
  try {
    const { target, connection } = await untilConnected(options, log, stop.signal);
    if (!connection) return 0;
    const payloads = await workerPayloads(options, { connection, namespace: target.namespace }, log, stop.signal);
    return await poll(options, log, bundle, { target, connection, payloads }, stop);
  } catch (error) {
    log.problem('the worker failed', error);
    return 1;
  } finally {
    stop.dispose();
    await Promise.all([metrics.close(), codec.close()]);
    log.close();
  }
}

async function poll(
  options: ServeOptions,
  log: WorkerLog,
  bundle: string,
  { target, connection, payloads }: { target: Target; connection: NativeConnection; payloads: ProjectPayloads },
  stop: StopRequest,
): Promise<number> {
  const { root, project, env, capacity, graceMs } = options;
  const client = new Client({ connection, namespace: target.namespace, dataConverter: payloads.dataConverter });
  const events = new EventWriter(root, (error) => log.problem('events could not be written', error));
  const host = await hostLabel(root, env);
  // Two processes, because starting a child blocks the parent: agents and landings then do not wait for each other.
  // One of them does all work on the repository's shared metadata, under that metadata's lock.
  const onLost = (why: string): void => log.event('a job process ended', { why });
  const own = { root, project, host, onLost, onNote: log.event };
  const [agents, repository] = [new JobProcess(own), new JobProcess(own)];
  const note = (taken: Taken): Promise<() => Promise<void>> => noteTaken(root, project, taken);
  const launched: DoWork = (name, input, context) =>
    (name === 'runAgent' ? agents : repository).doWork(name, input, context);
  // Reads the address each time, because a restarted server may have other ports.
  const pages = async (): Promise<string | undefined> => (target.kind === 'embedded' ? pagesOf(root) : undefined);
  const doWork: DoWork = (name, input, context) => {
    if (name === 'openRun') return whenNoCommandWorks(root, project).then(() => launched(name, input, context));
    const done = awake.during(name, launched(name, input, context));
    if (name === 'runAgent') cleanUp.begun();
    return done;
  };
  const cleanUp = cleanerOf({ root, project, target, doWork: repository.doWork, log, signal: stop.signal });
  const mode = async () => {
    const [runId = ''] = await listRuns(root, project);
    return awakeOf((await loadNewest(root, { project, runId })).file.config);
  };
  const awake = new Awake({ project, env, mode, power: powerSource(env), onNote: log.event });
  const others = await alsoFor(options, client, host, log);
  // In parallel, because both take a while and polling starts after both.
  const [workers] = await Promise.all([
    createWorkers({
      connection,
      namespace: target.namespace,
      project,
      host,
      otherHosts: others,
      workflows: { workflowBundle: { codePath: bundle } },
      activities: createActivities(
        { root, host, env, client: client.workflow, note, pages, flushed: () => events.flush() },
        doWork,
      ),
      sinks: { ralph: { event: { fn: (_info, ref, event, at) => events.write(ref, event, at) } } },
      capacity,
      graceMs,
      payloads,
    }),
    resetStickyQueue(client, root, project).then(() => reap(root, project, client.activity, log)),
  ]);
  log.event('polling', { project, address: target.address, host, build: buildId().slice(0, 8) });
  const running = Promise.all(workers.map((worker) => worker.run()));
  let idle = false;
  const watchIdle = idleWatch(options, client, stop.signal, () => cleanUp.ended()).then((isIdle) => {
    idle = isIdle;
  });
  void stop.asked.then(() => {
    log.event(idle ? 'no run is open; ending' : 'stopping', { graceMs });
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  void watchIdle.then(() => idle && stop.ask());
  try {
    await running;
    return EXIT_IDLE;
  } finally {
    stop.ask();
    awake.close();
    await Promise.all([agents.close(), repository.close()]);
    // Ends leftovers that an activity could not end in time.
    await endProcesses(project);
    await events.flush();
    await connection.close();
    log.event('stopped');
  }
}

/** When RALPHCTL_HOST names the host, this worker leaves queues of other names to their own workers. */
async function alsoFor(
  { root, project, env }: ServeOptions,
  client: Client,
  own: string,
  log: WorkerLog,
): Promise<string[]> {
  if (env.RALPHCTL_HOST) return [];
  try {
    const hosts = await client.withDeadline(Date.now() + ASK_MS, () => otherHosts(client, { root, project, own }));
    for (const host of hosts) log.event('also takes the work of an open run of this host under its old name', { host });
    return hosts;
  } catch (error) {
    log.problem('whether open runs wait for this host under an older name could not be asked', error);
    return [];
  }
}

/** The SDK does not retry the first connection, so this function retries and logs it. */
async function untilConnected(
  options: ServeOptions,
  log: WorkerLog,
  signal: AbortSignal,
): Promise<{ target: Target; connection?: NativeConnection }> {
  let said = '';
  for (let wait = 200; ; wait = Math.min(wait * 2, 5000)) {
    const target = await connectTarget(options, { start: false });
    if (signal.aborted) return { target };
    try {
      if (!target.known) throw new Error('it has not been started yet');
      return { target, connection: await NativeConnection.connect(target.options) };
    } catch (error) {
      const why = `waiting for the Temporal server at ${target.address}`;
      if (said !== why) log.problem(why, error);
      said = why;
    }
    await delay(wait, undefined, { signal }).catch(() => {});
  }
}

/**
 * Resolves to true once no run of the project has been open for the configured time. An unreachable server proves
 * nothing, unless a person stopped it: a worker that left would abandon the run.
 */
async function idleWatch(
  options: ServeOptions,
  client: Client,
  signal: AbortSignal,
  onClosed: () => Promise<void>,
): Promise<boolean> {
  const { idleExitMs = Number.POSITIVE_INFINITY, project, onAsked } = options;
  let since = performance.now();
  let wasOpen = false;
  while (!signal.aborted) {
    try {
      const open = await isOpen(client, autopilotId(project));
      if (wasOpen && !open) void onClosed();
      wasOpen = open;
      if (open) since = performance.now();
      // Alerts may wait for the end of quiet hours, or for their receiver.
      else if (await isOpen(client, alertsId(project))) since = performance.now();
      // So may what a tracker is told, for the end of a limit.
      else if (await isOpen(client, trackerId(project))) since = performance.now();
      onAsked?.();
    } catch {
      if (await comesBack(options)) since = performance.now();
    }
    if (performance.now() - since >= idleExitMs) return true;
    await delay(Math.min(IDLE_CHECK_MS, idleExitMs), undefined, { signal }).catch(() => {});
  }
  return false;
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** The command that stops the embedded server removes its record. */
async function comesBack({ root, env }: ServeOptions): Promise<boolean> {
  if ((await resolveConnection({ env, root })).kind !== 'embedded') return true;
  return (await readRecord(root)) !== undefined;
}

/** The process's own stop policy replaces the SDK's signal handling. */
class StopRequest {
  readonly #controller = new AbortController();
  readonly asked: Promise<void>;
  readonly #onSignal = (): void => {
    if (this.#controller.signal.aborted) process.exit(130);
    this.ask();
  };

  constructor(onOrphaned: () => void = () => {}) {
    this.asked = new Promise((resolve) => {
      this.#controller.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal);
    // No command finds a worker whose supervisor was killed, so the worker returns its work and ends.
    if (!process.connected) return;
    process.once('disconnect', () => {
      onOrphaned();
      this.ask();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  ask(): void {
    this.#controller.abort();
  }

  dispose(): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.#onSignal);
  }
}
