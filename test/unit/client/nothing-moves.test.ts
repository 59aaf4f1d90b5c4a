/** Where no worker or no server runs, why, report and runs say so, in the same words. Features: A8 C5 G8. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunApi } from '../../../src/client/api/run.js';
import { workerCheck } from '../../../src/client/doctor/services.js';
import { whyStill } from '../../../src/client/screen/why-still.js';
import { nothingMoves, strandedText } from '../../../src/client/views/nothing-moves.js';
import { stillLines } from '../../../src/client/views/status-lines.js';
import { workerNow } from '../../../src/client/views/worker-ends.js';
import { projectDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import { ownIdentity } from '../../../src/process/identity.js';
import { makeReport } from '../../../src/report/build.js';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { textReport } from '../../../src/report/text.js';
import { recordPath } from '../../../src/server/files.js';
import { runningWorker, workerRecordPath, writeWorkerRecord } from '../../../src/worker/record.js';

let root: string;
let silent: Server | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-still-'));
});
afterEach(async () => {
  await new Promise<void>((done) => (silent ? silent.close(() => done()) : done()));
  silent = undefined;
  await rm(root, { recursive: true });
});

/** A server that takes connections and says nothing, as a busy one. */
async function listens(): Promise<string> {
  silent = createServer((socket) => socket.unref());
  await new Promise<void>((done) => silent?.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${(silent.address() as AddressInfo).port}`;
}

async function record(address: string, of: { pid: number; startTime: string }): Promise<void> {
  const path = recordPath(root);
  await mkdir(dirname(path), { recursive: true });
  const about = { namespace: 'default', ports: { grpc: 1, ui: 2 }, uiUrl: 'http://x', binary: 't', startedAt: 'now' };
  await writeFile(path, JSON.stringify({ ...about, ...of, address, version: { cli: '1', server: '1' } }));
}

async function works(): Promise<void> {
  await mkdir(dirname(workerRecordPath(root, 'p')), { recursive: true });
  await writeWorkerRecord(root, 'p', {
    keeper: await ownIdentity(),
    buildId: 'b',
    startedAt: new Date().toISOString(),
  });
}

const still = async (env: NodeJS.ProcessEnv = {}) => nothingMoves({ root, env }, 'p');

describe('A8 C5: nothing moves', () => {
  it('without a server, and where its port refuses', async () => {
    expect(await still()).toMatchObject({
      outcome: 'no server',
      text: expect.stringMatching(/^the Temporal server is /),
    });
    await works();
    const address = await listens();
    await new Promise((done) => silent?.close(done));
    silent = undefined;
    await record(address, await ownIdentity());
    const text = `the Temporal server does not answer at ${address}, so nothing moves. Continue with: ralphctl start`;
    expect(await still()).toEqual({ outcome: 'no server', text });
  });

  it('without a worker, and not while a busy server says nothing', async () => {
    await record(await listens(), await ownIdentity());
    const text = 'no worker runs, so nothing moves. Continue with: ralphctl start';
    expect(await still()).toEqual({ outcome: 'no worker', text });
    await works();
    expect(await still()).toBeUndefined();
    await writeFile(recordPath(root), '{"pid": 12');
    expect(await still()).toBeUndefined();
  });

  it('status does not say of a busy server that it is not running', async () => {
    expect(await strandedText(root, 'r-1')).toBe(
      'run r-1 is open, but the Temporal server is not running, so nothing moves. Continue with: ralphctl start',
    );
    await record(await listens(), await ownIdentity());
    expect(await strandedText(root, 'r-1')).toMatch(
      /^run r-1 is open, and the Temporal server runs but does not answer: /,
    );
  });

  it('C6 G7: with a worker that ends again and again, in status, why, doctor and on the screen', async () => {
    await record(await listens(), await ownIdentity());
    await works();
    const started = (await runningWorker(root, 'p')) ?? expect.fail('no worker');
    expect(workerCheck(root, 'p', started)).toMatchObject({ state: 'ok' });
    const since = new Date(Date.now() - 60_000).toISOString();
    const ends = { times: 10, since, how: 'exit code 1', error: 'the bundle is missing; run: npm run build' };
    await writeWorkerRecord(root, 'p', { ...started, ends });
    const logs = join(projectDir(root, 'p'), 'logs');
    const text =
      /^the worker ended 10 times in a row since \d\d:\d\d \(exit code 1\): the bundle is missing; run: npm run build\. Log: /;
    const { crashes = '', worker } = await workerNow(root, 'p');
    expect(crashes).toMatch(text);
    expect(crashes.endsWith(`Log: ${logs}`)).toBe(true);
    const told = `nothing moves: ${crashes}`;
    expect(await still()).toEqual({ outcome: 'no worker', text: told });
    // Its workflow fails, too: without a worker that does not matter.
    for (const failing of [undefined, 'TypeError: x'])
      expect(stillLines({ worker, logs, crashes }, failing, 'busy')).toEqual([told]);
    const check = workerCheck(root, 'p', await runningWorker(root, 'p'));
    expect(check).toMatchObject({
      state: 'fail',
      found: crashes,
      fix: expect.stringContaining('ralphctl worker --stop'),
    });

    const api = { facts: () => Promise.resolve({ open: true, runId: 'r' }) } as unknown as RunApi;
    const env = { TEMPORAL_ADDRESS: 'cloud.example:7233' };
    const sight = (unanswered?: number) =>
      whyStill({
        context: { root, cacheRoot: root, cwd: root, env, json: false },
        model: newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }),
        seen: { lastSign: 0, whole: true, ...(unanswered === undefined ? {} : { unanswered }) },
        api: () => Promise.resolve(api),
      });
    const { times, how, error } = ends;
    const crashing = { kind: 'crashing', since: Date.parse(since), times, how, error, log: logs };
    expect(await sight(Date.now() - 60_000)).toEqual({ still: crashing });
    // Another host may serve that server.
    expect(await sight()).toEqual({});
    await writeWorkerRecord(root, 'p', started);
    expect(await sight(Date.now() - 60_000)).toMatchObject({ still: { kind: 'busy' } });
    expect(await still()).toBeUndefined();
  });

  it('is not known of a server elsewhere', async () => {
    expect(await still({ TEMPORAL_ADDRESS: 'cloud.example:7233' })).toBeUndefined();
  });
});

it('C5 G8: a report of such a run calls no idea at work', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
  const at = new Date(0).toISOString();
  fold(model, { at, kind: 'run', state: 'running', landed: 0, total: 1 });
  fold(model, { at, kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' });
  const of = (why?: string) => makeReport(model, { now: 1, zone: 'UTC', over: false, ...(why ? { still: why } : {}) });
  expect(textReport(of()).join('\n')).toMatch(/a-1 +works: A/);
  const report = of('no worker runs, so nothing moves. Continue with: ralphctl start');
  const text = textReport(report).join('\n');
  expect(text).toContain('  no worker runs, so nothing moves. Continue with: ralphctl start\n');
  expect(text).toMatch(/a-1 +waits: its agent works again once a worker runs/);
  for (const made of [htmlReport(report), markdownReport(report)]) expect(made).toContain('no worker runs');
});
