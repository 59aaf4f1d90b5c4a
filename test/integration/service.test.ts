/**
 * The command line of the service, as the unit has it, after a simulated reboot: supervisor, worker, agents and server
 * were killed while a run was open. In a state folder of its own, because it kills the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectDir } from '../../src/config/paths.js';
import { descendantsOf, processTable } from '../../src/process/table.js';
import { findByToken, killByToken } from '../../src/process/tokens.js';
import { readRecord } from '../../src/server/files.js';
import { stopServer } from '../../src/server/stop.js';
import { runningWorker } from '../../src/worker/record.js';
import { DONE, Held } from '../support/held.js';
import { pidsWith } from '../support/processes.js';
import { until } from '../support/program.js';

const HOUR = 3_600_000;
let held: Held;
let root: string;
let service: ChildProcess | undefined;
beforeEach(async () => {
  // Whatever systemd treats in its own way.
  root = join(await mkdtemp(join(tmpdir(), 'ralphctl-reboot-')), `my 100%h state $HOME`);
  await mkdir(root);
});
afterEach(async () => {
  service?.kill('SIGKILL');
  await held?.box.dispose();
  await stopServer(root);
  await rm(join(root, '..'), { recursive: true, force: true });
});

const project = async (): Promise<string> => String((await held.box.run('status', '--json')).json[0]?.project);

/** Stand-ins on PATH; systemd-inhibit runs its command, and says that it was called. */
async function standIns(): Promise<void> {
  const bin = join(held.box.scratch, 'bin');
  await mkdir(bin);
  const programs = {
    systemctl: 'case "$*" in *show*) echo UnitFileState=enabled; echo ActiveState=inactive;; esac',
    loginctl: 'echo yes',
    'systemd-inhibit': `echo "$*" >> "${held.box.scratch}/awake"; exec cat`,
  };
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }
  held.box.env.PATH = `${bin}${delimiter}${held.box.env.PATH}`;
}

/** As systemd does: quotes, C escapes, specifiers, dollars; the environment is its own and that of the file. */
async function startService(): Promise<{ said: () => string; ended: Promise<number | null> }> {
  const id = await project();
  const unit = await readFile(
    join(String(held.box.env.HOME), '.config', 'systemd', 'user', `ralphctl-${id}.service`),
    'utf8',
  );
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '';
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );
  const file = join(projectDir(root, id), 'service.env');
  const script = `set -a; . "$0"; set +a; exec "$@"`;
  service = spawn('sh', ['-c', script, file, ...words], {
    ...{ cwd: '/', env: { HOME: held.box.env.HOME, PATH: '/usr/bin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
    detached: true,
  });
  let text = '';
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const ended = new Promise<number | null>((resolve) => service?.once('exit', resolve));
  return { said: () => text, ended };
}

/** All that a power cut ends: nothing of it can say goodbye. */
async function powerCut(): Promise<void> {
  const id = await project();
  const keeper = await runningWorker(root, id);
  const server = await readRecord(root);
  const first = [keeper?.keeper.pid ?? 0, ...(await pidsWith('worker', '--child', '--project', id))];
  const below = descendantsOf(new Set(first), await processTable()).map(({ pid }) => pid);
  for (const pid of [...first, ...below, server?.pid ?? 0]) {
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // Its parent has ended it.
    }
  }
  await killByToken(id, 0);
  await until('an end of all', async () => !(await runningWorker(root, id)) && (await findByToken(id)).length === 0);
}

it(
  'G5: a service starts nothing without an open run, goes on with one after a reboot, and leaves a running worker alone',
  async () => {
    held = await Held.open(root, [
      { id: 'a-1', steps: [{ signal: 'CONTINUE', free: true }, { signal: 'COMPLETE' }] },
      { id: 'b-1', steps: [DONE], depends: 'a-1' },
    ]);
    const { box } = held;
    await standIns();
    const installed = await box.run('service', 'install');
    expect(installed, installed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('enabled') });

    // Nothing to go on with: not even the server starts.
    const idle = await startService();
    expect(await idle.ended).toBe(0);
    expect(idle.said()).toContain('is open; nothing to do');
    expect(existsSync(join(root, 'server'))).toBe(false);

    await held.start();
    await held.began('a-1', 2);
    await until('a machine that is kept awake', async () => existsSync(join(box.scratch, 'awake')));
    const id = await project();
    const before = await runningWorker(root, id);
    const beside = await startService();
    expect(await beside.ended).toBe(0);
    expect(beside.said()).toContain('already runs; nothing to do');
    expect(await runningWorker(root, id)).toEqual(before);

    await powerCut();
    await held.go('a-1-2');
    const after = await startService();
    await until('the service as worker', async () => (await runningWorker(root, id))?.keeper.pid === service?.pid);
    // A start beside it attaches to the same worker.
    await held.start();
    expect((await runningWorker(root, id))?.keeper.pid).toBe(service?.pid);
    const summary = await held.finish();
    expect(summary).toMatchObject({ landed: 2, notLanded: [] });
    expect(after.said()).toContain('going on with the run');
    expect(await box.git('log', '--format=%s', 'main')).toMatch(/b-1/);

    // A person stops it in order: code 0, so the manager leaves it down.
    expect((await box.run('worker', '--stop')).code).toBe(0);
    expect(await after.ended).toBe(0);
    expect(await pidsWith('worker', '--child', '--project', id)).toEqual([]);
    const over = await startService();
    expect(await over.ended).toBe(0);
    expect((await box.run('service', 'uninstall')).code).toBe(0);
    expect(existsSync(join(projectDir(root, id), 'service.env'))).toBe(false);
  },
  HOUR,
);
