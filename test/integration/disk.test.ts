/**
 * A disk that fills up in the middle of an iteration: a real small file system for the worktrees. Field pains E; feature
 * C6. Mounting one needs root (or the right to): elsewhere this is left out, and says so.
 */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { cliPath, until } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let held: Held | undefined;
let disk: string | undefined;
let watched: PtyScreen | undefined;
afterEach(async () => {
  await watched?.dispose();
  watched = undefined;
  await held?.box.dispose();
  if (disk) await execa('umount', ['--lazy', disk], { reject: false });
  if (disk) await rm(disk, { recursive: true, force: true });
});

/** Why it cannot be mounted; undefined when it is. */
async function mounted(size: string): Promise<string | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'ralphctl-disk-'));
  const args = ['-t', 'tmpfs', '-o', size, 'ralphctl-test', path];
  const { exitCode, stderr } = await execa('mount', args, { reject: false }).catch((error: Error) => ({
    exitCode: -1,
    stderr: error.message,
  }));
  if (exitCode === 0) disk = path;
  else await rm(path, { recursive: true, force: true });
  return exitCode === 0 ? undefined : `no small file system can be mounted here: ${stderr}`;
}

/** To the last byte. */
async function fill(path: string): Promise<void> {
  const block = Buffer.alloc(64 << 10);
  for (let size = block.length; size > 0; ) {
    const full = await appendFile(path, block.subarray(0, size)).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
    );
    if (full) size = Math.floor(size / 2);
  }
}

/** As many empty files as there is room for. */
async function fillWithFiles(path: string): Promise<void> {
  await mkdir(path);
  for (let n = 0; ; n++) {
    const full = await writeFile(join(path, String(n)), '').then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
    );
    if (full) return;
  }
}

it.for([
  ['bytes', 'size=16m', fill, /has only \d MB free.*disk\.minFreeMegabytes/],
  ['files', 'size=64m,nr_inodes=400', fillWithFiles, /has only \d+ free inodes.*disk\.minFreeInodes/],
] as const)(
  'a disk that runs out of %s in the middle of an iteration: nothing is lost or half committed, it waits, and goes on when there is room',
  async ([_, size, exhaust, said], context) => {
    const why = await mounted(size);
    if (why !== undefined) context.skip(why);
    const root = join(disk ?? '', 'worktrees');
    await mkdir(root);
    held = await Held.open(inject('stateRoot'), [{ id: 'd-1', steps: [{ signal: 'COMPLETE' }] }], {
      worktrees: { root },
      disk: { minFreeMegabytes: 2, minFreeInodes: 10 },
      errors: { retryBaseMs: 100 },
    });
    const { box } = held;
    await held.start();
    await held.began('d-1');
    const tip = await box.git('rev-parse', 'main');
    await exhaust(join(disk ?? '', 'fill'));
    await held.go('d-1-1');
    const waits = await held.event('the wait for room', (event) => event.kind === 'waiting' && /disk/.test(event.why));
    expect(waits).toMatchObject({
      idea: 'd-1',
      why: expect.stringMatching(said),
    });
    for (const command of [['status'], ['why', 'd-1']])
      expect((await box.run(...command)).stdout).toMatch(
        new RegExp(`it waits, and then tries again: .*${said.source}`),
      );
    // The run goes on, and nobody is asked: room may come by itself.
    expect((await held.status()).state).toBe('running');
    expect(await box.git('rev-parse', 'main')).toBe(tip);
    await rm(join(disk ?? '', 'fill'), { recursive: true });
    expect((await held.finish()).notLanded).toEqual([]);
    expect(await box.git('show', 'main:d-1.txt')).toBe('1');
    expect(await box.git('status', '--porcelain')).toBe('');
    // What the agent that met the full disk had done before is still there: its draft, and that of the next one.
    expect(await box.git('show', 'main:draft-d-1.txt')).toBe('draft 1\ndraft 1');
  },
);

/** As a file system does after an error of its disk. */
async function remount(how: 'ro' | 'rw'): Promise<string | undefined> {
  const { exitCode, stderr } = await execa('mount', ['-o', `remount,${how}`, disk ?? ''], { reject: false });
  return exitCode === 0 ? undefined : `the file system cannot be remounted ${how}: ${stderr}`;
}

it('F6 C6: a disk that turns read-only in the middle of an iteration is named, nothing starts there, and the idea goes on once it is writable', async (context) => {
  const why = await mounted('size=64m');
  if (why !== undefined) context.skip(why);
  const root = join(disk ?? '', 'worktrees');
  await mkdir(root);
  held = await Held.open(inject('stateRoot'), [{ id: 'r-1', steps: [{ signal: 'COMPLETE' }] }], {
    worktrees: { root },
    disk: { minFreeMegabytes: 2, minFreeInodes: 10 },
    errors: { retryBaseMs: 100 },
  });
  const { box } = held;
  await held.start();
  await held.began('r-1');
  const tip = await box.git('rev-parse', 'main');
  const busy = await remount('ro');
  if (busy !== undefined) context.skip(busy);
  await held.go('r-1-1');
  const waits = await held.event('the wait', (event) => event.kind === 'waiting' && /read-only/i.test(event.why));
  expect(waits).toMatchObject({ idea: 'r-1', why: expect.stringMatching(/the disk of .* is read-only \(EROFS\)/) });
  expect((await held.status()).state).toBe('running');
  expect(await box.git('rev-parse', 'main')).toBe(tip);
  expect(await remount('rw')).toBeUndefined();
  expect((await held.finish()).notLanded).toEqual([]);
  expect(await box.git('status', '--porcelain')).toBe('');
  expect((await held.events()).filter(({ kind }) => kind === 'idea').at(-1)).toMatchObject({ status: 'landed' });
});

it('C6 G9: a full and a read-only state folder: every command names the folder, the cause and the fix; reading works', async (context) => {
  const why = await mounted('size=96m');
  if (why !== undefined) context.skip(why);
  const state = join(disk ?? '', 'state');
  held = await Held.open(state, [{ id: 'q-1', steps: [{ signal: 'NEEDS_HUMAN: which colour?', free: true }] }], {
    disk: { minFreeMegabytes: 1, minFreeInodes: 1 },
  });
  const { box } = held;
  await held.start();
  await held.idea('q-1', 'needs-human');
  expect((await box.run('worker', '--stop')).code).toBe(0);
  const writing = [
    ['start', '--detach'],
    ['worker'],
    ['server', 'start'],
    ['edit', 'q-1', '--title', 'x'],
    ['report', '--html'],
  ];
  const names = async (all: readonly string[][], said: RegExp): Promise<void> => {
    for (const args of all) {
      const refused = await box.run(...args);
      expect(refused, args.join(' ')).not.toMatchObject({ code: 0 });
      expect(refused.stderr, args.join(' ')).toContain(disk);
      expect(refused.stderr, args.join(' ')).toMatch(said);
    }
  };
  const screen = new PtyScreen(process.execPath, [cliPath, 'top'], {
    ...{ columns: 120, rows: 40, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color' },
  });
  watched = screen;
  // Whatever else stands still, a disk that takes nothing is the reason to name.
  await screen.shows('no worker answers since');
  await fill(join(disk ?? '', 'fill'));
  const [first, second] = (await screen.shows('the disk is full')).split('\n');
  expect(first).toMatch(/! cannot use the state folder .*: the disk is full \(ENOSPC\)/);
  expect(second).toContain('df -h');
  expect(await screen.text()).toContain('q-1');
  await names(writing, /the disk is full \(ENOSPC\)\. .*df -h /);
  const [full] = (await box.run('edit', 'q-1', '--title', 'x', '--json')).json;
  expect(full).toMatchObject({ kind: 'error', code: 'ENOSPC', path: expect.stringContaining(state) });
  expect((await box.run('status')).stdout).toMatch(/^! cannot use the state folder .*the disk is full \(ENOSPC\)/m);
  await rm(join(disk ?? '', 'fill'));
  // Room is there again, and the screen says what is left: W ends that, too.
  await screen.shows('no worker answers since');
  screen.press('W');
  await screen.shows(/^[^\n]*\? waits for you/);
  screen.press('q');
  expect(await screen.exited).toBe(0);
  expect((await box.run('worker', '--stop')).code).toBe(0);

  // With the server gone, nothing holds a file open for writing.
  expect((await box.run('server', 'stop', '--force')).code).toBe(0);
  await until('the disk to be read-only', async () => (await remount('ro')) === undefined);
  await names(
    [...writing, ['hint', 'q-1', 'x'], ['answer', 'q-1', 'x']],
    /the disk is read-only \(EROFS\)\. .*findmnt -T /,
  );
  for (const args of [['report'], ['show', 'q-1'], ['logs'], ['why', 'q-1'], ['runs'], ['ledger']])
    expect(await box.run(...args), args.join(' ')).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('EROFS'),
    });
  const status = await box.run('status');
  expect(status.stdout).toMatch(/^! cannot use the state folder .*the disk is read-only \(EROFS\)/m);
  expect(status.stdout).toContain('q-1');
  expect(await remount('rw')).toBeUndefined();
}, 240_000);
