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
import { dataConverter } from '../../src/connect/codec.js';
import { autopilotId, ideaWorkflowId } from '../../src/protocol/names.js';
import type { RunSettings } from '../../src/protocol/run-settings.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { executionSizes, sum } from '../../test/support/history-size.js';
import type { ScaleOptions, WorkerBooks } from './shared.js';

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

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const worker = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), [JSON.stringify(options)]);
const message = <T>(): Promise<T> => new Promise((resolve) => worker.once('message', (value) => resolve(value as T)));
await message();
const books = (): Promise<WorkerBooks> => {
  const answer = message<WorkerBooks>();
  worker.send('books');
  return answer;
};

const connection = await Connection.connect({ address: options.address });
const client = new Client({ connection, dataConverter });
const api = new RunApi(client, options.project);
const before = await databaseBytes();
const started = Date.now();
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

let over = false;
const queries: number[] = [];
const memory: { worker: number; server: number }[] = [];
const watching = (async () => {
  while (!over) {
    const asked = performance.now();
    const status: RunStatus | undefined = await api.status();
    if (status) queries.push(performance.now() - asked);
    const [mine, theirs] = await Promise.all([memoryMb(worker.pid ?? 0), memoryMb(options.serverPid)]);
    memory.push({ worker: mine.now, server: theirs.now });
    if (process.env.SCALE_PROGRESS && status) console.error(status.counts.landed, mine.now, theirs.now);
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
})();
const summary = await api.result();
const ended = Date.now();
over = true;
await watching;

const kept = await books();
const idle: number[] = [];
for (let n = 0; n < 5; n++) {
  const asked = performance.now();
  if (await api.status()) idle.push(performance.now() - asked);
}
const runs = await executionSizes(client, autopilotId(options.project), first);
const sample = Array.from({ length: 20 }, (_, at) => `idea-${Math.floor((at * (options.ideas - 1)) / 19)}`);
const childTypes: Record<string, number> = {};
const children = await Promise.all(
  sample.map(async (idea) => {
    const handle = client.workflow.getHandle(ideaWorkflowId(options.project, idea));
    const { raw } = await handle.describe();
    const firstRun = raw.workflowExecutionInfo?.firstRunId ?? '';
    const all = await executionSizes(client, ideaWorkflowId(options.project, idea), firstRun);
    for (const one of all)
      for (const [type, count] of Object.entries(one.types))
        childTypes[type] = (childTypes[type] ?? 0) + count / sample.length;
    return { events: sum(all.map((one) => one.events)), bytes: sum(all.map((one) => one.bytes)) };
  }),
);
const at = kept.landedAt.map((time) => time - started);
const quarter = Math.floor(at.length / 4);
const perIdea = (from: number, to: number): number =>
  ((at[to - 1] ?? 0) - (from === 0 ? 0 : (at[from - 1] ?? 0))) / (to - from);
const peak = await Promise.all([memoryMb(worker.pid ?? 0), memoryMb(options.serverPid)]);
const result = {
  ideas: options.ideas,
  slots: options.slots,
  seconds: (ended - started) / 1000,
  perSecond: options.ideas / ((ended - started) / 1000),
  firstQuarterMs: perIdea(0, quarter),
  lastQuarterMs: perIdea(at.length - quarter, at.length),
  landed: summary.landed,
  lost: kept.lost,
  wrongs: kept.wrongs,
  mostAtWork: kept.mostAtWork,
  workerMb: {
    quarter: memory[Math.floor(memory.length / 4)]?.worker ?? 0,
    end: peak[0]?.now ?? 0,
    peak: peak[0]?.peak ?? 0,
  },
  serverMb: {
    quarter: memory[Math.floor(memory.length / 4)]?.server ?? 0,
    end: peak[1]?.now ?? 0,
    peak: peak[1]?.peak ?? 0,
  },
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
  statusMs: { busyMedian: median(queries), busyMax: Math.max(0, ...queries), idleMedian: median(idle) },
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
