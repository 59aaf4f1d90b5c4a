/**
 * An attached `start` while server, supervisor or worker go: it says so, brings back what was killed, and ends with the way
 * back where somebody stopped it. Features: A8 C6. Each case has a server of its own.
 */
import type { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { terminate } from '../../src/process/identity.js';
import { readRecord } from '../../src/server/files.js';
import { stopServer } from '../../src/server/stop.js';
import { runningWorker } from '../../src/worker/record.js';
import { Held } from '../support/held.js';
import { pidsWith } from '../support/processes.js';
import { cliPath, until } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

const PATIENT_MS = 120_000;

let root: string;
let held: Held;
let project: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-attached-'));
  held = await Held.open(root, [{ id: 'a-1', steps: [{ signal: 'COMPLETE' }] }]);
}, 900_000);
afterEach(async () => {
  await held?.box.dispose();
  await stopServer(root);
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
});

/** An attached `start` whose agent is at work. */
async function attached() {
  const child = held.box.spawn('start', '--wait');
  const view = watch(child);
  await until('the agent to begin', async () => (await held.times('a-1', 1)) > 0, PATIENT_MS);
  project = String((await held.box.run('status', '--json')).json[0]?.project);
  return view;
}

function watch(child: ReturnType<typeof spawn>) {
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (told += String(chunk)));
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, told: () => told };
}

const supervisors = () => pidsWith('worker', '--supervise', '--project', project);
const workers = () => pidsWith('worker', '--child', '--project', project);
const killAll = (pids: number[]): void => pids.forEach((pid) => void process.kill(pid, 'SIGKILL'));

it('a server is not stopped under an open run without --force; what is attached ends with 5 and the way back (A8)', async () => {
  const view = await attached();
  const refused = await held.box.run('server', 'stop');
  expect(refused.code).toBe(7);
  expect(refused.stderr).toContain(`did not stop the server: a run is open on this server (${held.box.repo})`);
  expect(refused.stderr).toContain('ralphctl server stop --force');
  expect(await readRecord(root)).toBeDefined();

  expect((await held.box.run('server', 'stop', '--force')).code).toBe(0);
  expect(await view.code).toBe(5);
  expect(view.told()).toMatch(
    /the Temporal server was stopped\. Run \S+ stays in its database.*Continue with: ralphctl start/,
  );
  // The run is open, and does nothing.
  expect((await held.box.run('runs')).stdout).toMatch(/! no server/);

  await held.go('a-1-1');
  const back = await held.box.run('start', '--wait');
  expect(back.stderr).toContain('attached to the open run');
  expect(back.code, back.stderr).toBe(0);
  // With nothing open, nothing is asked.
  expect((await held.box.run('server', 'stop')).code).toBe(0);
}, 300_000);

it('in a terminal, server stop asks under an open run: only a yes stops the server (A8)', async () => {
  await held.start();
  await until('the agent to begin', async () => (await held.times('a-1', 1)) > 0, PATIENT_MS);
  const stop = async (answer: string): Promise<{ code: number; text: string }> => {
    const { env, repo } = held.box;
    const screen = new PtyScreen(process.execPath, [cliPath, 'server', 'stop'], { cwd: repo, env, columns: 400 });
    try {
      const asked = await screen.shows('[y/N]');
      expect(asked).toContain(`a run is open on this server (${repo}) and would stop moving`);
      expect(asked).toContain('Stop the server? [y/N]');
      screen.press(...answer, 'enter');
      const code = await screen.exited;
      return { code, text: await screen.text() };
    } finally {
      await screen.dispose();
    }
  };
  for (const answer of ['', 'n', 'yep'])
    expect(await stop(answer)).toEqual({ code: 7, text: expect.stringContaining('ralphctl did not stop the server') });
  expect((await held.box.run('server', 'status')).code).toBe(0);
  expect(await readRecord(root)).toBeDefined();
  expect(await stop('y')).toEqual({ code: 0, text: expect.stringContaining('server stopped; its data stays') });
  expect(await readRecord(root)).toBeUndefined();
  expect((await held.box.run('server', 'status')).code).toBe(5);
}, 300_000);

it('a killed supervisor comes back by its worker, without anybody attached (C6)', async () => {
  await held.start();
  await until('the agent to begin', async () => (await held.times('a-1', 1)) > 0, PATIENT_MS);
  project = String((await held.box.run('status', '--json')).json[0]?.project);
  const [before] = await supervisors();
  killAll(await supervisors());
  await until('another supervisor', async () => (await supervisors()).some((pid) => pid !== before), PATIENT_MS);
  await held.go('a-1-1');
  await held.closed();
  expect(await held.box.git('log', '--oneline', 'main')).toMatch(/#a-1/);
}, 300_000);

it('supervisor and worker killed together are brought back by an attached start, which says so (C6)', async () => {
  const view = await attached();
  killAll([...(await supervisors()), ...(await workers())]);
  const said = 'the worker of this project was killed; ralphctl starts another one';
  await until('the word', async () => view.told().includes(said), PATIENT_MS);
  await until('another worker', async () => await runningWorker(root, project), PATIENT_MS);
  await held.go('a-1-1');
  expect(await view.code, view.told()).toBe(0);
}, 300_000);

it('a worker that is stopped on purpose stays stopped, and an attached start says that the run stands still', async () => {
  const view = await attached();
  expect((await held.box.run('worker', '--stop')).stdout).toContain('worker stopped');
  await until('the word', async () => view.told().includes('so the run is not moving'), PATIENT_MS);
  expect(await runningWorker(root, project)).toBeUndefined();
  await held.go('a-1-1');
  expect((await held.box.run('start', '--detach')).code).toBe(0);
  expect(await view.code, view.told()).toBe(0);
}, 300_000);

it('a database that goes under an attached start is told with what is lost, and the next start takes the idea up', async () => {
  const view = await attached();
  const record = await readRecord(root);
  if (!record) throw new Error('no server');
  await rm(join(root, 'server', 'temporal.db'));
  await terminate(record, 5000);
  expect(await view.code, view.told()).toBe(6);
  expect(view.told()).toMatch(/run \S+ is no longer in the database.*temporal\.db was deleted.*Lost: .*ralphctl start/);
  await held.go('a-1-1');
  const again = await held.box.run('start', '--wait');
  expect(again.code, again.stderr).toBe(0);
}, 300_000);

it('F6 C6: a start that stood still with server and worker, as on a machine that sleeps, says so and ends as if nothing was', async () => {
  const child = held.box.spawn('start', '--wait');
  const view = watch(child);
  await until('the agent to begin', async () => (await held.times('a-1', 1)) > 0, PATIENT_MS);
  project = String((await held.box.run('status', '--json')).json[0]?.project);
  const record = await readRecord(root);
  if (!record || child.pid === undefined) throw new Error('no server, or no start');
  const all = [...(await supervisors()), ...(await workers()), record.pid, child.pid];
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  try {
    // A sleep is time that passes: longer than the minute for which a start waits for its server.
    await new Promise((over) => setTimeout(over, 65_000));
  } finally {
    for (const pid of all.toReversed()) process.kill(pid, 'SIGCONT');
  }
  await until('the gap to be said', async () => /this command stood still for 1m/.test(view.told()), PATIENT_MS);
  await held.go('a-1-1');
  expect(await view.code, view.told()).toBe(0);
  expect(view.told()).toContain('1 landed, 0 did not land');
}, 300_000);

it('F6: a start that is stopped by itself while the run ends says the gap, what happened, and the end', async () => {
  const child = held.box.spawn('start', '--wait');
  const view = watch(child);
  await until('the agent to begin', async () => (await held.times('a-1', 1)) > 0, PATIENT_MS);
  process.kill(child.pid ?? 0, 'SIGSTOP');
  const stopped = Date.now();
  await held.go('a-1-1');
  await held.closed();
  await until('a gap that is worth a word', async () => Date.now() - stopped > 15_000, PATIENT_MS);
  process.kill(child.pid ?? 0, 'SIGCONT');
  expect(await view.code, view.told()).toBe(0);
  expect(view.told()).toMatch(/this command stood still for \d+s: it was stopped, or the machine slept/);
  expect(view.told()).toMatch(/✓ a-1 landed/);
  expect(view.told()).toContain('1 landed, 0 did not land');
}, 300_000);
