/**
 * One run of the scale benchmark: a worker process of its own, the autopilot started as `ralphctl start` does, status
 * asked for while it runs, and at the end what the server holds of it. Prints one JSON line.
 */
import { fork } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { RunApi } from '../../src/client/api/run.js';
import { autopilotId, ideaWorkflowId } from '../../src/protocol/names.js';
import type { RunSettings } from '../../src/protocol/run-settings.js';
import { dataConverter } from '../../src/server/codec.js';
import { executionSizes, sum } from '../../test/support/history-size.js';
import type { ScaleOptions, WorkerBooks, WorkerTick } from './shared.js';

const options = JSON.parse(process.argv[2] ?? '{}') as ScaleOptions & { serverPid: number };
const settings: RunSettings = {
  slots: options.slots,
  stepDelayMs: 0,
  weights: { unblocks: 10, critical: 50, quickWin: 30, nearComplete: 20, retry: -15 },
  gateWhen: 'claim',
  maxLandingRounds: 2,
  maxWaiting: 0,
  errorThreshold: 3,
  errorStrategy: 'retry',
  maxRetries: 3,
  retryBaseMs: 1000,
  maxRateLimitRetries: 3,
  rateLimitBackoffMs: 30_000,
  rateLimitFactor: 3,
};

async function memoryMb(pid: number): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const value = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024);
  return { now: value('VmRSS'), peak: value('VmHWM') };
}

async function databaseBytes(): Promise<number> {
  const dir = join(options.root, 'server');
  const names = (await readdir(dir)).filter((name) => name.includes('.db'));
  return sum(await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size)));
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const median = (values: readonly number[]): number => quantile(values, 0.5);

/** CPU seconds of a process, ms. */
async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const worker = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), [JSON.stringify(options)]);
const message = <T>(): Promise<T> => new Promise((resolve) => worker.once('message', (value) => resolve(value as T)));
await message();
const asked = <T>(what: 'tick' | 'books'): Promise<T> => {
  const answer = message<T>();
  worker.send(what);
  return answer;
};

const connection = await Connection.connect({ address: options.address });
const client = new Client({ connection, dataConverter });
const api = new RunApi(client, options.project);
const before = await databaseBytes();
await api.start(
  {
    project: options.project,
    runId: options.runId,
    settings,
    ...(options.maxHistory ? { maxHistory: options.maxHistory } : {}),
  },
  { repo: options.root },
);
const first = (await client.workflow.getHandle(autopilotId(options.project)).describe()).runId;

const asks = async (times: number): Promise<number[]> => {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    if (await api.status()) took.push(performance.now() - begun);
  }
  return took;
};
const full = Math.min(options.slots, options.ideas);
while (((await api.status())?.counts.running ?? 0) < full) await new Promise((resolve) => setTimeout(resolve, 200));
const atRest = await asks(100);
const inBytes = Buffer.byteLength(JSON.stringify(await api.status()));
worker.send('go');
const started = Date.now();
const heldBefore = (await asked<WorkerTick>('tick')).heldMs;

interface Sample {
  landed: number;
  /** Since the start, without the time on hold. */
  ms: number;
  workerMb: number;
  serverMb: number;
  workerCpuMs: number;
  serverCpuMs: number;
}

let over = false;
const queries: number[] = [];
let unanswered = 0;
const samples: Sample[] = [];
async function sample(): Promise<void> {
  const { landed, heldMs, held, cpuMs: workerCpuMs } = await asked<WorkerTick>('tick');
  const [mine, theirs] = await Promise.all([memoryMb(worker.pid ?? 0), memoryMb(options.serverPid)]);
  const ms = Date.now() - started - (heldMs - heldBefore);
  const serverCpuMs = await cpuMs(options.serverPid);
  samples.push({ landed, ms, workerMb: mine.now, serverMb: theirs.now, workerCpuMs, serverCpuMs });
  let statusMs: number | undefined;
  if (!held) {
    const begun = performance.now();
    if (await api.status()) {
      statusMs = performance.now() - begun;
      queries.push(statusMs);
    } else unanswered += 1;
  }
  if (process.env.SCALE_PROGRESS)
    console.error(JSON.stringify({ ...samples.at(-1), held, statusMs: Math.round(statusMs ?? -1) }));
}
const watching = (async () => {
  while (!over) {
    await sample();
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
})();
const summary = await api.result();
const ended = Date.now();
over = true;
await watching;

/** What a quarter of the ideas took each, from the samples next to its ends. */
function quarterOf(nth: number): Record<'ms' | 'workerCpuMs' | 'serverCpuMs' | 'workerMb' | 'serverMb', number> {
  const near = (landed: number): Sample =>
    samples.reduce((best, one) => (Math.abs(one.landed - landed) < Math.abs(best.landed - landed) ? one : best));
  const [from, to] = [near((options.ideas * nth) / 4), near((options.ideas * (nth + 1)) / 4)];
  const per = (of: 'ms' | 'workerCpuMs' | 'serverCpuMs'): number =>
    Math.round(((to[of] - from[of]) / Math.max(1, to.landed - from.landed)) * 10) / 10;
  const { workerMb, serverMb } = to;
  return { ms: per('ms'), workerCpuMs: per('workerCpuMs'), serverCpuMs: per('serverCpuMs'), workerMb, serverMb };
}

const kept = await asked<WorkerBooks>('books');
const runs = await executionSizes(client, autopilotId(options.project), first);
const waits = runs.flatMap((run) => run.taskWaitMs);
const takes = runs.flatMap((run) => run.taskTakesMs);
const chosen = Array.from({ length: 20 }, (_, at) => `idea-${Math.floor((at * (options.ideas - 1)) / 19)}`);
const childTypes: Record<string, number> = {};
const children = await Promise.all(
  chosen.map(async (idea) => {
    const handle = client.workflow.getHandle(ideaWorkflowId(options.project, idea));
    const { raw } = await handle.describe();
    const firstRun = raw.workflowExecutionInfo?.firstRunId ?? '';
    const all = await executionSizes(client, ideaWorkflowId(options.project, idea), firstRun);
    for (const one of all)
      for (const [type, count] of Object.entries(one.types))
        childTypes[type] = (childTypes[type] ?? 0) + count / chosen.length;
    return { events: sum(all.map((one) => one.events)), bytes: sum(all.map((one) => one.bytes)) };
  }),
);
const peak = await Promise.all([memoryMb(worker.pid ?? 0), memoryMb(options.serverPid)]);
const seconds = (ended - started - (kept.heldMs - heldBefore)) / 1000;
const result = {
  ideas: options.ideas,
  slots: options.slots,
  seconds,
  heldSeconds: (kept.heldMs - heldBefore) / 1000,
  perSecond: options.ideas / seconds,
  quarters: [0, 1, 2, 3].map(quarterOf),
  landed: summary.landed,
  lost: kept.lost,
  wrongs: kept.wrongs,
  mostAtWork: kept.mostAtWork,
  workerMb: { end: peak[0]?.now ?? 0, peak: peak[0]?.peak ?? 0 },
  serverMb: { end: peak[1]?.now ?? 0, peak: peak[1]?.peak ?? 0 },
  workerCpuMsPerIdea: kept.cpuMs / options.ideas,
  continuedAsNew: runs.length - 1,
  carriedKb: Math.max(0, ...runs.map((run) => run.carried ?? 0)) / 1024,
  parentEventsPerIdea: sum(runs.map((run) => run.events)) / options.ideas,
  parentBytesPerIdea: sum(runs.map((run) => run.bytes)) / options.ideas,
  parentMostEvents: Math.max(...runs.map((run) => run.events)),
  parentMostMb: Math.max(...runs.map((run) => run.bytes)) / 2 ** 20,
  childEvents: Math.max(...children.map((child) => child.events)),
  childBytes: Math.max(...children.map((child) => child.bytes)),
  databaseKbPerIdea: ((await databaseBytes()) - before) / 1024 / options.ideas,
  statusMs: {
    busyMedian: median(queries),
    busy95: quantile(queries, 0.95),
    busyMax: Math.max(0, ...queries),
    asked: queries.length,
    unanswered,
    restMedian: median(atRest),
    rest95: quantile(atRest, 0.95),
    bytes: inBytes,
  },
  parentTaskMs: {
    waitMedian: median(waits),
    wait95: quantile(waits, 0.95),
    takesMedian: median(takes),
    takes95: quantile(takes, 0.95),
  },
  childTypes,
  types: runs.reduce<Record<string, number>>((all, run) => {
    for (const [type, count] of Object.entries(run.types)) all[type] = (all[type] ?? 0) + count;
    return all;
  }, {}),
};
console.log(JSON.stringify(result));
worker.send('stop');
await new Promise((resolve) => worker.once('exit', resolve));
await connection.close();
process.exit(0);
