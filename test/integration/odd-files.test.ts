/**
 * Something else in the place of a run's files: every command says so or does without, none hangs, and the full screen
 * stays. Features: C6 G1.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { projectDir, runDir } from '../../src/config/paths.js';
import { Held } from '../support/held.js';
import { cliPath, type Sandbox, until } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let box: Sandbox | undefined;
let screen: PtyScreen | undefined;
afterEach(async () => {
  await screen?.dispose();
  await box?.dispose();
});

const PUT = {
  folder: (path: string) => mkdir(path),
  pipe: (path: string) => Promise.resolve(void execFileSync('mkfifo', [path])),
};

it('C6 G1: folders and pipes in the place of its files: commands name them, and the screen says so and stays', async () => {
  const stateRoot = inject('stateRoot');
  const held = await Held.open(stateRoot, [{ id: 'x-1', steps: [{ signal: 'BLOCKED: no key', free: true }] }]);
  box = held.box;
  await held.start();
  await held.finish();
  expect((await box.run('hint', 'x-1', 'kept')).code).toBe(0);
  const project = String((await box.run('status', '--json')).json[0]?.project);
  const own = projectDir(stateRoot, project);
  const [runId = ''] = await readdir(join(own, 'runs'));
  const run = runDir(stateRoot, project, runId);
  const stream = join(run, 'ideas/x-1/001/stream.jsonl');

  const instead = async (path: string, kind: keyof typeof PUT, check: () => Promise<void>): Promise<void> => {
    await rename(path, `${path}.kept`);
    await PUT[kind](path);
    await check();
    await rm(path, { recursive: true });
    await rename(`${path}.kept`, path);
  };
  const names =
    (path: string, ...all: string[][]) =>
    async (): Promise<void> => {
      for (const args of all) {
        const told = await box?.run(...args);
        expect(`${told?.stdout}${told?.stderr}`, args.join(' ')).toContain(`${path} is unusable: `);
      }
      // It always answers.
      expect((await box?.run('status'))?.stdout).toContain('no run is open');
    };
  for (const [path, kind, ...commands] of [
    [join(run, 'run.json'), 'folder', ['report'], ['why', 'x-1']],
    [join(run, 'events.jsonl'), 'pipe', ['logs'], ['show', 'x-1']],
    [join(run, 'summary.json'), 'pipe', ['report']],
    [join(own, 'ledger.jsonl'), 'folder', ['ledger', 'verify']],
    [join(own, 'carried/x-1.json'), 'pipe', ['status'], ['hint', 'x-1', 'more']],
    [stream, 'folder', ['logs', 'x-1']],
  ] as const)
    await instead(path, kind, names(path, ...commands.map((args) => [...args])));

  const events = join(run, 'events.jsonl');
  const env = { ...box.env, TERM: 'xterm-256color' };
  screen = new PtyScreen(process.execPath, [cliPath, 'top'], { columns: 120, rows: 40, cwd: box.repo, env });
  await screen.shows('x-1');
  await instead(stream, 'pipe', async () => {
    screen?.press('3');
    await screen?.shows('3 of 5');
    screen?.press('enter');
    await screen?.shows('unusable');
    screen?.press('esc');
    await screen?.shows('3 of 5');
    screen?.press('q');
    // As `start` ends: its idea has not landed.
    expect(await screen?.exited).toBe(3);
  });
  await screen.dispose();
  await instead(events, 'folder', async () => {
    screen = new PtyScreen(process.execPath, [cliPath, 'top'], { columns: 120, rows: 40, cwd: box?.repo ?? '', env });
    await screen.shows(/events\.jsonl is unusable/);
    screen.press('3');
    // The problem takes the room of the page's number.
    await screen.shows(/is unusable[\s\S]*t tree/);
    screen.press('4');
    await screen.shows(/^(?![\s\S]*t tree)[\s\S]*is unusable/);
    screen.press('q');
    expect(await screen.exited).toBe(0);
  });
}, 240_000);

it('C6 G1: a run with a damaged run.json ends and moves away as the advice says, and the screen opens beside half a run', async () => {
  const stateRoot = inject('stateRoot');
  const held = await Held.open(stateRoot, [{ id: 'x-1', steps: [{ signal: 'COMPLETE' }] }]);
  box = held.box;
  const { run } = box;
  await held.start();
  await held.began('x-1');
  const project = String((await run('status', '--json')).json[0]?.project);
  const runs = join(projectDir(stateRoot, project), 'runs');
  const [runId = ''] = await readdir(runs);
  await truncate(join(runs, runId, 'run.json'));
  // A worker that has not read it before.
  expect((await run('worker', '--stop')).code).toBe(0);
  const told = await run('report');
  expect(told).toMatchObject({ code: 6 });
  expect(told.stderr).toContain('run.json is damaged: it is empty. If the run is open, end it first: ralphctl abort.');
  expect((await run('abort')).code).toBe(0);
  expect((await run('start', '--detach')).stderr).toContain('run.json is damaged');
  await until('the run is over', async () => (await run('status')).stdout.includes('no run is open'), 120_000);
  execFileSync('sh', ['-c', /mv .*$/m.exec(told.stderr)?.[0] ?? 'false']);
  await held.go('x-1-1');
  await held.start();
  await held.finish();
  const half = '20990101-000000-half';
  await mkdir(join(runs, half));
  const env = { ...box.env, TERM: 'xterm-256color' };
  screen = new PtyScreen(process.execPath, [cliPath, 'top'], { columns: 120, rows: 40, cwd: box.repo, env });
  await screen.shows(`run ${half} is left out`);
  await screen.shows('x-1');
  screen.press('q');
  await screen.exited;
  expect((await run('report')).stdout).toContain('x-1');
}, 240_000);
