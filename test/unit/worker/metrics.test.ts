/** The worker's page for Prometheus: over real HTTP, from real files of a run. Feature: G9. */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownNotes } from '../../../src/client/own-notes.js';
import { parseConfig } from '../../../src/config/load.js';
import { projectDir } from '../../../src/config/paths.js';
import { identityOf } from '../../../src/process/identity.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRevision } from '../../../src/run-files/revisions.js';
import { addIdeas, writeRun } from '../../../src/run-files/run.js';
import { writeUsage } from '../../../src/run-files/usage.js';
import type { WorkerLog } from '../../../src/worker/log.js';
import { WorkerMetrics } from '../../../src/worker/metrics/metrics.js';
import { writeWorkerRecord } from '../../../src/worker/record.js';
import { readServedRecord } from '../../../src/worker/served/record.js';
import { idea } from '../../activities/idea.js';
import { until } from '../../support/program.js';
import { freePort, type Page, scrape } from '../../support/prometheus.js';
import { begins, ends, gate, run, slot, status } from '../metrics/counted.js';

const [RUN, LATER] = ['20261117-220000-aaaa', '20261118-220000-bbbb'];
const DAY = Date.parse('2026-11-17T22:00:00.000Z');

let root: string;
let said: string[];
let open: WorkerMetrics[];
let taken: Server | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-metrics-'));
  [said, open, taken] = [[], [], undefined];
});
afterEach(async () => {
  for (const one of open) await one.close();
  taken?.close();
  await rm(root, { recursive: true, force: true });
});

const log: WorkerLog = {
  event: (name) => void said.push(name),
  problem: (name) => void said.push(`problem: ${name}`),
  sdk: new DefaultLogger('ERROR', () => {}),
  close: () => {},
};

const configOf = (port?: number) => parseConfig(port ? `metrics: {listen: "127.0.0.1:${port}"}` : '', 'ralphctl.yaml');

async function beginRun(port: number | undefined, runId = RUN, project = 'p'): Promise<void> {
  const config = configOf(port);
  const about = { version: 1, project, runId, repo: join(root, 'repo'), target: 'main', config, tick: true } as const;
  const backlog = { file: 'roadmap.md', format: 'roadmap', sha256: '' } as const;
  await writeRun(root, { ...about, backlog, createdAt: new Date(DAY).toISOString() }, [idea('a'), idea('b')]);
}

async function tell(events: RunEvent[], runId = RUN): Promise<void> {
  const writer = new EventWriter(root, (error) => void said.push(String(error)));
  for (const [second, event] of events.entries()) writer.write({ project: 'p', runId }, event, DAY + second * 1000);
  await writer.flush();
}

async function serve(project = 'p'): Promise<WorkerMetrics> {
  const one = await WorkerMetrics.prepare({ root, project, log, lookMs: 100 });
  open.push(one);
  one.start();
  return one;
}

const page = (port: number): Promise<Page> => until(`a page on port ${port}`, () => scrape(port), 30_000);

const ITERATION = [run('running'), status('a', 'running', slot(1)), begins('a'), ends('a'), gate('a')];

it('answers with what the run did, and more of it later; a restarted worker says the same, the next run begins at 0', async () => {
  const port = await freePort();
  await beginRun(port);
  await tell(ITERATION);
  const first = await serve();
  const before = await page(port);
  expect(before.value('ralphctl_iterations_total', { agent: 'claude', outcome: 'complete', project: 'p' })).toBe(1);
  expect(before.value('ralphctl_gate_duration_seconds_count', { tree: 'idea', result: 'green' })).toBe(1);
  expect(before.value('ralphctl_gate_duration_seconds_bucket', { le: '5', tree: 'idea', result: 'green' })).toBe(1);
  expect(before.value('ralphctl_gate_duration_seconds_count', { tree: 'merged' })).toBe(0);
  expect(before.value('ralphctl_run_state', { state: 'running' })).toBe(1);
  expect(before.value('ralphctl_run_state')).toBe(1);
  expect(before.value('ralphctl_ideas')).toBe(2);
  expect(before.value('ralphctl_run_start_timestamp_seconds')).toBe(DAY / 1000);
  expect(before.value('ralphctl_run_files_readable')).toBe(1);
  expect(before.value('ralphctl_errors_total', { kind: 'auth' })).toBe(0);
  expect(before.value('process_resident_memory_bytes')).toBeGreaterThan(0);

  await tell([status('a', 'landing'), { kind: 'landing', idea: 'a' }, status('a', 'landed', { commit: 'abc' })]);
  await addIdeas(root, { project: 'p', runId: RUN }, [idea('c')]);
  const row = { at: new Date(DAY).toISOString(), run: RUN, idea: 'a', agent: 'claude', account: 'k', durationMs: 1 };
  for (const serial of [1, 2, 2])
    await writeUsage(root, 'p', { ...row, serial, turns: 1, outcome: serial === 1 ? 'ok' : 'auth' });
  await writeUsage(root, 'p', { ...row, run: 'another', serial: 1, turns: 1, outcome: 'auth' });
  const after = await scrape(port);
  expect(after.value('ralphctl_landing_duration_seconds_count', { outcome: 'landed' })).toBe(1);
  expect(after.value('ralphctl_ideas', { status: 'landed' })).toBe(1);
  expect(after.value('ralphctl_ideas', { status: 'pending' })).toBe(2);
  expect(after.value('ralphctl_errors_total', { kind: 'auth' })).toBe(1);
  expect(after.value('ralphctl_agent_runs_total', { outcome: 'ok' })).toBe(1);
  for (const [name, type] of after.types) expect(name.endsWith('_total'), name).toBe(type === 'counter');

  await first.close();
  await expect(scrape(port)).rejects.toThrow();
  expect(await readServedRecord(root, 'p', 'metrics')).toBeUndefined();
  await serve();
  const again = await page(port);
  const ofRun = (one: Page) =>
    one.series
      .filter(({ name, labels }) => name.startsWith('ralphctl_') && !labels.use)
      .map((all) => JSON.stringify(all));
  expect(ofRun(again).sort()).toEqual(ofRun(after).sort());

  await beginRun(port, LATER);
  const next = await scrape(port);
  expect(next.value('ralphctl_iterations_total')).toBe(0);
  expect(next.value('ralphctl_ideas', { status: 'pending' })).toBe(2);
  await tell(ITERATION, LATER);
  expect((await scrape(port)).value('ralphctl_iterations_total')).toBe(1);
}, 120_000);

it('listens nowhere without metrics.listen, and follows the configuration of an open run', async () => {
  const [one, two] = [await freePort(), await freePort()];
  await beginRun(undefined);
  await serve();
  const revise = (port?: number) =>
    writeRevision(root, { project: 'p', runId: RUN }, { config: configOf(port), tick: true });
  await revise(one);
  await page(one);
  expect(await readServedRecord(root, 'p', 'metrics')).toMatchObject({ address: `http://127.0.0.1:${one}/metrics` });
  await revise(two);
  expect((await page(two)).value('ralphctl_build_info')).toBe(1);
  await expect(scrape(one)).rejects.toThrow();
  await revise();
  await until('no page', () =>
    scrape(two).then(
      () => false,
      () => true,
    ),
  );
  expect(await until('no record', async () => (await readServedRecord(root, 'p', 'metrics')) === undefined)).toBe(true);
}, 120_000);

it('says who has the port and what to do, harms nothing, and serves once it is free', async () => {
  const port = await freePort();
  taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  await beginRun(port);
  await serve();
  const record = await until('a problem', () => readServedRecord(root, 'p', 'metrics'));
  expect(record.problem).toBe(
    `the worker serves no metrics: another program listens on 127.0.0.1:${port}, maybe another project's worker`,
  );
  expect(said).toContain(`problem: ${record.problem}. ${record.fix}`);
  // Without a living worker it says nothing any more.
  expect(await ownNotes({ root }, 'p')).toEqual([]);
  await mkdir(projectDir(root, 'p'), { recursive: true });
  const keeper = await identityOf(process.pid);
  if (!keeper) throw new Error('no identity');
  await writeWorkerRecord(root, 'p', { keeper, buildId: '', startedAt: '' });
  expect(await ownNotes({ root }, 'p')).toEqual([
    expect.stringMatching(/another program listens .* Set another metrics\.listen .*ralphctl config reload$/),
  ]);
  taken.close();
  await page(port);
  expect((await readServedRecord(root, 'p', 'metrics'))?.problem).toBeUndefined();
}, 120_000);

it('serves two projects at once, and on one port only the first', async () => {
  const [one, two] = [await freePort(), await freePort()];
  await beginRun(one, RUN, 'p');
  await beginRun(two, RUN, 'q');
  await beginRun(one, RUN, 'r');
  await serve('p');
  await page(one);
  await serve('q');
  await serve('r');
  expect((await page(two)).value('ralphctl_build_info', { project: 'q' })).toBe(1);
  expect((await until('a problem', () => readServedRecord(root, 'r', 'metrics'))).problem).toContain('another program');
  expect((await scrape(one)).value('ralphctl_build_info', { project: 'p' })).toBe(1);
  expect((await scrape(one)).value('ralphctl_build_info', { project: 'r' })).toBeUndefined();
}, 120_000);

it('tells that files of the run cannot be read, and keeps what it had', async () => {
  const port = await freePort();
  await beginRun(port);
  await tell(ITERATION);
  await serve();
  await page(port);
  await rm(join(projectDir(root, 'p'), 'usage'), { recursive: true, force: true });
  const events = join(projectDir(root, 'p'), 'runs', RUN, 'events.jsonl');
  await rm(events);
  await mkdir(events);
  const broken = await scrape(port);
  expect(broken.value('ralphctl_run_files_readable')).toBe(0);
  expect(broken.value('ralphctl_iterations_total')).toBe(1);
  expect(said).toContain('problem: the metrics of the run could not be read');
});

it('has one page, which is read only, and no foreign name', async () => {
  const port = await freePort();
  await beginRun(port);
  await serve();
  await page(port);
  const ask = async (path: string, more: object = {}) => {
    const asked = request({ host: '127.0.0.1', port, path, ...more }).end();
    const [answer] = await once(asked, 'response');
    let text = '';
    for await (const part of answer) text += String(part);
    return { status: answer.statusCode as number, type: answer.headers['content-type'] as string, text };
  };
  expect(await ask('/metrics?x=1')).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
  expect(await ask('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect(await ask('/')).toMatchObject({ status: 404, text: 'The page is /metrics.\n' });
  expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
  expect((await ask('//[')).status).toBe(404);
  for (const host of ['evil.example', `evil.example:${port}`])
    expect((await ask('/metrics', { headers: { host } })).status, host).toBe(403);
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`])
    expect((await ask('/metrics', { headers: { host } })).status, host).toBe(200);
});
