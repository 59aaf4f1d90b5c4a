/** A worker that a signal or its terminal halted is told as that, and can be stopped. Features: G5 D3. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workerCheck } from '../../../src/client/doctor/services.js';
import { sayStanding } from '../../../src/client/open-run/standing.js';
import { haltedWorker, workerNow } from '../../../src/client/views/worker-ends.js';
import { stopWorker } from '../../../src/client/worker-process.js';
import { haltedWith } from '../../../src/process/halted.js';
import { type Identity, identityOf } from '../../../src/process/identity.js';
import { runningWorker, writeWorkerRecord } from '../../../src/worker/record.js';
import { until } from '../../support/program.js';

let root: string;
let keeper: ChildProcess;
let identity: Identity;
let child: number;

/** A supervisor with a worker, which both end at a SIGTERM. */
const SUPERVISOR = `
  const { spawn } = require('node:child_process');
  const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  process.on('SIGTERM', () => { worker.kill('SIGTERM'); worker.once('exit', () => process.exit(0)); });
  console.log(worker.pid);
  setInterval(() => {}, 1000);`;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-halted-'));
  await mkdir(join(root, 'projects', 'p'), { recursive: true });
  keeper = spawn(process.execPath, ['-e', SUPERVISOR], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(keeper.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  child = Number(said.toString());
  const found = await identityOf(keeper.pid ?? 0);
  if (!found) throw new Error('it has ended');
  identity = found;
  await writeWorkerRecord(root, 'p', { keeper: identity, buildId: 'b', startedAt: new Date().toISOString() });
});
afterEach(async () => {
  for (const pid of [keeper.pid ?? 0, child]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await rm(root, { recursive: true, force: true });
});

async function halt(...pids: number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await until('both to be halted', async () => (await haltedWith(identity)).length === pids.length);
}

it('names the processes and the command, in every view', async () => {
  expect(await workerNow(root, 'p')).toEqual({ worker: true });
  await halt(child);
  const text = `the worker is halted by a signal or by its terminal (process ${child}). Let it go on: kill -CONT ${child}`;
  expect(await workerNow(root, 'p')).toEqual({ worker: true, crashes: text });
  await halt(keeper.pid ?? 0, child);
  const both = `kill -CONT ${[keeper.pid ?? 0, child].sort((a, b) => a - b).join(' ')}`;
  const told = await haltedWorker(identity);
  expect(told).toMatchObject({ what: expect.stringContaining('(processes '), command: both });
  expect(workerCheck(root, 'p', await runningWorker(root, 'p'), told)).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('the worker is halted'),
    fix: `let it go on: ${both}`,
  });
  process.kill(keeper.pid ?? 0, 'SIGCONT');
  process.kill(child, 'SIGCONT');
  await until('it to go on', async () => (await workerNow(root, 'p')).crashes === undefined);
});

it('a start that attaches says it', async () => {
  await halt(child);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    await sayStanding({ facts: async () => ({ open: true }) }, false, { root, project: 'p' });
    expect(said.mock.calls.join('')).toContain(`nothing moves: the worker is halted by a signal`);
  } finally {
    said.mockRestore();
  }
});

it('is stopped as any other, and none of its processes stays', async () => {
  await halt(keeper.pid ?? 0, child);
  const ended = once(keeper, 'exit');
  expect(await stopWorker({ root }, 'p')).toBe(true);
  // A kill would leave the child.
  expect(await ended).toEqual([0, null]);
});
