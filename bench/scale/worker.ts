/**
 * The worker of the scale benchmark: the real workflows, queues, heartbeats, codec and event file; only the work behind
 * the activities does nothing. It keeps books, so that a lost or doubled idea is seen.
 */
import { existsSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.js';
import type { DoWork, WorkName, WorkResult } from '../../src/jobs/job.js';
import type { PrepareInput } from '../../src/protocol/activities.js';
import type { RunAgentInput } from '../../src/protocol/agent-run.js';
import type { LandInput } from '../../src/protocol/git-work.js';
import { agentsQueue, gitQueue } from '../../src/protocol/names.js';
import { EventWriter } from '../../src/run-files/events.js';
import { dataConverter } from '../../src/server/codec.js';
import { createWorkers } from '../../src/worker/workers.js';
import { cards, type ScaleOptions, type WorkerBooks, type WorkerTick } from './shared.js';

const options = JSON.parse(process.argv[2] ?? '{}') as ScaleOptions;
const { project, address, root, bundle } = options;
const HOST = 'bench';

const landings = new Map<string, number>();
const iterations = new Map<string, number[]>();
const working = new Set<string>();
const wrongs: string[] = [];
let mostAtWork = 0;

let heldMs = 0;
let heldSince: number | undefined;
let letGo: () => void = () => {};
let onHold: Promise<void> | undefined;

/** Held at first: what stands still with every slot taken is asked for its status before anything moves. */
let atRest = true;

function watchHold(): void {
  const there = atRest || (options.hold !== undefined && existsSync(options.hold));
  if (there && heldSince === undefined) {
    heldSince = Date.now();
    onHold = new Promise((resolve) => {
      letGo = resolve;
    });
  } else if (!there && heldSince !== undefined) {
    heldMs += Date.now() - heldSince;
    heldSince = undefined;
    onHold = undefined;
    letGo();
  }
}
const heldSoFar = (): number => heldMs + (heldSince === undefined ? 0 : Date.now() - heldSince);
const fake = (text: string): string => Buffer.from(text.padEnd(20, text)).toString('hex').padEnd(40, '0').slice(-40);

function prepare({ idea, agentName }: PrepareInput): WorkResult<'prepareIdea'> {
  return {
    worktree: `${root}/projects/${project}/worktrees/${agentName}-${idea}`,
    branch: `ralph/${idea}`,
    base: fake('base'),
    origin: 'recycled',
    limits: { maxIterations: 30, timeoutMs: 3_600_000, iterationTimeoutMs: 600_000, loop: true, allowEmpty: false },
  };
}

async function agent({ idea, iteration }: RunAgentInput): Promise<WorkResult<'runAgent'>> {
  if (working.has(idea)) wrongs.push(`${idea}: two agents at once`);
  working.add(idea);
  mostAtWork = Math.max(mostAtWork, working.size);
  const done = iterations.get(idea) ?? [];
  if (done.includes(iteration)) wrongs.push(`${idea}: iteration ${iteration} twice`);
  iterations.set(idea, [...done, iteration]);
  await new Promise((resolve) => setTimeout(resolve, options.agentMs));
  working.delete(idea);
  const last = iteration >= options.iterations;
  return {
    outcome: { kind: 'ok' },
    signal: last ? { kind: 'complete' } : { kind: 'progress', percent: 50 },
    durationMs: options.agentMs,
    exitCode: 0,
    head: fake(`${idea}${iteration}`),
    commits: 1,
    changed: true,
    // As long as a final message usually is.
    tail: `Did ${idea}. `.repeat(40),
    dir: `${root}/projects/${project}/runs/${options.runId}/ideas/${idea}/001`,
  };
}

function land({ idea }: LandInput): WorkResult<'landIdea'> {
  const before = landings.get(idea) ?? 0;
  if (before > 0) wrongs.push(`${idea}: landed twice`);
  landings.set(idea, before + 1);
  return { kind: 'landed', commit: fake(idea), commits: 1, durationMs: 1 };
}

const gate = (): WorkResult<'runGate'> => ({
  pass: true,
  commands: [{ command: 'npm test', exitCode: 0, durationMs: 1 }],
  durationMs: 1,
});

/** Of the git queue, which has few places: agents at work soon wait for one, and the rest waits in the server. */
const HELD = new Set<WorkName>(['prepareIdea', 'runGate', 'landIdea']);

const doWork: DoWork = async (name, input) => {
  const work: { [Name in WorkName]?: () => WorkResult<Name> | Promise<WorkResult<Name>> } = {
    openRun: () => ({
      agentsQueue: agentsQueue(project, HOST),
      gitQueue: gitQueue(project, HOST),
      target: 'main',
      cards: cards(options.ideas),
      landed: [],
    }),
    closeRun: () => undefined,
    prepareIdea: () => prepare(input as PrepareInput),
    runAgent: () => agent(input as RunAgentInput),
    runGate: gate,
    landIdea: () => land(input as LandInput),
  };
  const mine = work[name];
  if (!mine) throw new Error(`this benchmark has no ${name}`);
  if (HELD.has(name)) await onHold;
  return (await mine()) as never;
};

const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.error, error: console.error };
Runtime.install({
  logger: quiet,
  shutdownSignals: [],
  telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
});
const [connection, plain] = await Promise.all([NativeConnection.connect({ address }), Connection.connect({ address })]);
const client = new Client({ connection: plain, dataConverter });
const events = new EventWriter(root, (error) => wrongs.push(`events could not be written: ${String(error)}`));
const workers = await createWorkers({
  connection,
  namespace: 'default',
  project,
  host: HOST,
  workflows: { workflowBundle: { codePath: bundle } },
  activities: createActivities({ root, host: HOST, env: {}, client: client.workflow }, doWork),
  sinks: { ralph: { event: { fn: (_info, ref, event, at) => events.write(ref, event, at) } } },
  capacity: { agents: 100, git: 8 },
  graceMs: 1000,
});
const running = Promise.all(workers.map((worker) => worker.run()));

const tick = (): WorkerTick => {
  const { user, system } = process.cpuUsage();
  return {
    landed: landings.size,
    cpuMs: (user + system) / 1000,
    heldMs: heldSoFar(),
    held: heldSince !== undefined,
  };
};
const books = (): WorkerBooks => {
  const { rss, heapUsed } = process.memoryUsage();
  const lost = cards(options.ideas).filter(({ id, blue }) => !blue && !landings.has(id)).length;
  return { ...tick(), lost, wrongs, mostAtWork, rss, heapUsed };
};
process.on('message', (message) => {
  if (message === 'tick') process.send?.(tick());
  if (message === 'go') {
    atRest = false;
    watchHold();
  }
  if (message === 'books') process.send?.(books());
  if (message === 'stop') for (const worker of workers) worker.shutdown();
});
// Never outlives the one that measures, which may fail.
process.once('disconnect', () => process.exit(1));
watchHold();
setInterval(watchHold, 500).unref();
process.send?.('ready');
await running;
await events.flush();
process.disconnect?.();
process.exit(0);
