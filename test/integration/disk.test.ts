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

let held: Held | undefined;
let disk: string | undefined;
afterEach(async () => {
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
