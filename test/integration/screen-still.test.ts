/**
 * The full screen of a run that does not move, in a pseudo terminal: it says why, since when, and what goes on again. Each
 * standstill is a real one. Features: C6 G5. These tests have a server of their own.
 */
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RunApi } from '../../src/client/api/run.js';
import { projectDir, runDir } from '../../src/config/paths.js';
import { ownIdentity } from '../../src/process/identity.js';
import { autopilotId, COMMAND, mainQueue } from '../../src/protocol/names.js';
import { clock } from '../../src/screen/text/time.js';
import { dataConverter } from '../../src/server/codec.js';
import { readRecord } from '../../src/server/files.js';
import { stopServer } from '../../src/server/stop.js';
import { removeWorkerRecord, writeWorkerRecord } from '../../src/worker/record.js';
import { Held } from '../support/held.js';
import { projectOf } from '../support/news.js';
import { cliPath, until } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';
import { quietRuntime } from './rollover-world.js';

const SLOW = 300_000;
const HOURS_5 = 5 * 3_600_000;

let root: string;
let held: Held | undefined;
let screen: PtyScreen | undefined;
beforeAll(async () => {
  quietRuntime();
  root = await mkdtemp(join(tmpdir(), 'ralphctl-still-'));
});
afterEach(async () => {
  await screen?.dispose();
  await held?.box.dispose();
  screen = undefined;
  held = undefined;
});
afterAll(async () => {
  await stopServer(root);
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
});

/** A run whose agent is at work. */
async function working(...flags: string[]): Promise<{ held: Held; project: string; runId: string }> {
  held = await Held.open(root, [{ id: 'a-1', steps: [{ signal: 'COMPLETE' }] }]);
  await held.start(...flags);
  if (!flags.includes('--no-worker')) await held.began('a-1');
  const project = projectOf(held.box.repo);
  const [runId = ''] = await readdir(join(projectDir(root, project), 'runs'));
  return { held, project, runId };
}

function open(args: string[], env: NodeJS.ProcessEnv = {}): PtyScreen {
  const { box } = held as Held;
  screen = new PtyScreen(process.execPath, [cliPath, ...args], {
    ...{ columns: 120, rows: 40, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color', ...env },
  });
  return screen;
}

async function temporal<T>(use: (client: Client, address: string) => Promise<T>): Promise<T> {
  const { address = '' } = (await readRecord(root)) ?? {};
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection, dataConverter }), address);
  } finally {
    await connection.close();
  }
}

it(
  'C6 G5: a stopped worker is told with the time of the last event, which is hours old; W brings it back, and the run goes on',
  async () => {
    const { held, project, runId } = await working();
    expect((await held.box.run('worker', '--stop')).code).toBe(0);
    const path = join(runDir(root, project, runId), 'events.jsonl');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const old = lines.map((line) => {
      const event = JSON.parse(line) as { at: string };
      return { ...event, at: new Date(Date.parse(event.at) - HOURS_5).toISOString() };
    });
    await writeFile(path, old.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const last = clock(Date.parse(old.at(-1)?.at ?? ''), Date.now());

    const screen = open(['top']);
    const text = await screen.shows('nothing moves');
    expect(text.split('\n')[0]).toContain(`! nothing moves: no worker answers since ${last}`);
    expect(text.split('\n')[0]).toMatch(new RegExp(`as of ${last}(?: {3}\\d\\d:\\d\\d)?$`));
    expect(text.split('\n')[1]).toContain('W starts a worker');
    screen.press('W');
    await screen.shows(/^[^\n]*▸ running/);
    await held.go('a-1-1');
    await screen.shows(/^[^\n]*✓ completed|1 landed +0 not/);
    screen.press('q');
    expect(await screen.exited).toBe(0);
  },
  SLOW,
);

it(
  'C6 G5: a server that stops under the open screen is told with the time of the last answer; W brings both back',
  async () => {
    const { held } = await working();
    const screen = open(['top']);
    await screen.shows(/^[^\n]*▸ running/);
    const from = Date.now();
    expect((await held.box.run('server', 'stop', '--force')).code).toBe(0);
    const [first = '', second] = (await screen.shows('no server answers since')).split('\n');
    const [, since = ''] = /no server answers since (\d\d:\d\d)/.exec(first) ?? [];
    // The time of an answer or an event just before, in minutes.
    expect([clock(from - 60_000, from), clock(from, from), clock(Date.now(), from)]).toContain(since);
    expect(second).toContain('W starts server and worker');
    screen.press('W');
    await screen.shows(/^[^\n]*▸ running/);
    await held.go('a-1-1');
    await screen.shows(/1 landed +0 not/);
    screen.press('q');
    expect(await screen.exited).toBe(0);
  },
  SLOW,
);

it(
  'C6 G5: an external Temporal that cannot be reached is no server, and not a busy worker',
  async () => {
    const { runId } = await working();
    const dead = createServer().listen(0, '127.0.0.1');
    await until('a port', () => Promise.resolve(dead.listening));
    const { port } = dead.address() as { port: number };
    await new Promise((closed) => dead.close(closed));
    const screen = open(['top'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
    const [first, second] = (await screen.shows(/nothing moves|busy/)).split('\n');
    expect(first).toMatch(/! nothing moves: no server answers since \d\d:\d\d/);
    expect(second).toContain(`127.0.0.1:${port}, namespace "default" (from TEMPORAL_ADDRESS)`);
    expect(second).not.toContain('W starts');
    expect(await screen.text()).not.toContain('busy');
    expect(runId).not.toBe('');
    screen.press('q');
    expect(await screen.exited).toBe(0);
  },
  SLOW,
);

it(
  'C6 G5: a run on an external Temporal that nobody serves has no worker',
  async () => {
    held = await Held.open(root, [{ id: 'a-1', steps: [{ signal: 'COMPLETE', free: true }] }]);
    expect((await held.box.run('server', 'start')).code).toBe(0);
    const { address = '' } = (await readRecord(root)) ?? {};
    held.box.env.TEMPORAL_ADDRESS = address;
    await held.start('--no-worker');
    const screen = open(['top']);
    const text = await screen.shows(/nothing moves|busy/);
    expect(text.split('\n')[0]).toMatch(/! nothing moves: no worker answers since \d\d:\d\d/);
    screen.press('W');
    await screen.shows(/1 landed +0 not/);
    screen.press('q');
    expect(await screen.exited).toBe(0);
  },
  SLOW,
);

it(
  'A8 C6 G5: a run whose workflow fails its tasks is stuck since the first failure, with the error; a worker that can goes on',
  async () => {
    const { held, project } = await working();
    expect((await held.box.run('worker', '--stop')).code).toBe(0);
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-fails-')));
    await symlink(new URL('../../node_modules', import.meta.url).pathname, join(dir, 'node_modules'));
    await writeFile(
      join(dir, 'fails.cjs'),
      "exports.autopilot = exports.idea = async () => { throw new TypeError('no such field\\nx'); };\n",
    );
    await temporal(async (client, address) => {
      const native = await NativeConnection.connect({ address });
      const worker = await Worker.create({
        ...{ connection: native, taskQueue: mainQueue(project), workflowsPath: join(dir, 'fails.cjs') },
      });
      const running = worker.run();
      try {
        // Stands in for the worker of the project: its process lives.
        const keeper = await ownIdentity();
        await writeWorkerRecord(root, project, { keeper, buildId: 'fails', startedAt: new Date().toISOString() });
        const api = new RunApi(client, project);
        await client.workflow.getHandle(autopilotId(project)).signal(COMMAND, { verb: 'hint', idea: 'a-1', text: 'x' });
        const since = await until('a failed task', async () => (await api.facts())?.failingSince);
        const screen = open(['top']);
        const [first, second] = (await screen.shows("the run's own code fails")).split('\n');
        expect(first).toMatch(
          new RegExp(`! stuck: the run's own code fails, \\d+ tries since ${clock(since.getTime(), Date.now())}`),
        );
        expect(second).toMatch(/TypeError: no such field|no such field/);
      } finally {
        worker.shutdown();
        await running;
        await native.close();
        await removeWorkerRecord(root, project);
        await rm(dir, { recursive: true, force: true });
      }
    });
    await screen?.shows('no worker answers since');
    screen?.press('W');
    await screen?.shows(/^[^\n]*▸ running/);
    await held.go('a-1-1');
    await screen?.shows(/1 landed +0 not/);
  },
  SLOW,
);

it(
  'A8 G5: a run that somebody terminates reads terminated and not running, nothing works in it, and its report opens',
  async () => {
    const { project } = await working();
    const screen = open(['top']);
    await screen.shows(/^[^\n]*▸ running/);
    await temporal(async ({ workflow }) => {
      await workflow.getHandle(autopilotId(project)).terminate('a test');
    });
    // The report takes the place of the run.
    const report = await screen.shows('terminated');
    expect(report).toMatch(/0 landed +1 not/);
    expect(report).not.toMatch(/ works/);
    screen.press('1');
    const run = await screen.shows(/^[^\n]*! terminated/);
    expect(run).not.toMatch(/Slots|▸ running/);
    screen.press('q');
    // Not everything has landed.
    expect(await screen.exited).toBe(3);
    expect(await screen.text()).toContain('terminated; 0 of 1 landed');
    await screen.dispose();

    // A start takes the idea up; terminated in turn, its own screen shows the same.
    const attached = open(['start']);
    await attached.shows(/^[^\n]*▸ running/);
    await temporal(async ({ workflow }) => {
      await workflow.getHandle(autopilotId(project)).terminate('a test');
    });
    expect(await attached.shows(/0 landed +1 not[^\n]*\n +terminated/)).not.toMatch(/ works/);
    attached.press('q');
    expect(await attached.exited).toBe(6);
    expect((await attached.text()).replaceAll(/\s+/g, ' ')).toMatch(
      /run \S+ was terminated on the server \(a test\)\. See: ralphctl report\. Start another run with: ralphctl start/,
    );
  },
  SLOW,
);
