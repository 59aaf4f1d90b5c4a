/** Cleaning where the disk of the state folder is full: a real small file system. Mounting one needs root. Features: G9. */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Context } from '../../../../src/client/context.js';
import { assertStateFolder } from '../../../../src/client/state-folder.js';
import { greensDir, runDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { exists } from '../../../../src/git/worktrees/list.js';
import { clean } from '../../../../src/jobs/clean/clean.js';
import { measure } from '../../../../src/jobs/clean/measure.js';
import type { Cleaned } from '../../../../src/protocol/retention.js';
import { cleanedText } from '../../../../src/run-files/cleaned.js';
import { daysBefore, oldRun } from '../../../support/old-runs.js';

const PROJECT = 'mine-11111111';
const NOW = new Date('2026-11-26T12:00:00Z');
let root: string;
let mounted: boolean;
let old: string;
let young: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'ralphctl-test', root], { stdio: 'ignore' });
    mounted = true;
  } catch {
    mounted = false;
  }
  const plant = (days: number): Promise<string> =>
    oldRun(root, { project: PROJECT, repo: join(root, 'repo'), at: daysBefore(NOW.getTime(), days), output: 300_000 });
  [old, young] = [await plant(100), await plant(1)];
});
afterEach(async () => {
  if (mounted) execFileSync('umount', ['--lazy', root]);
  await rm(root, { recursive: true, force: true });
});

/** To the last byte. */
async function fill(): Promise<void> {
  const block = Buffer.alloc(64 << 10);
  for (let size = block.length; size > 0; ) {
    const full = await appendFile(join(root, 'other'), block.subarray(0, size)).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
    );
    if (full) size = Math.floor(size / 2);
  }
}
const cleaned = (): Promise<Cleaned> =>
  clean({
    ...{ root, project: PROJECT, rules: DEFAULT_RETENTION, dryRun: false, byItself: false, now: NOW },
    ...{ stop: () => false, waitMs: 5000 },
  });

it('the check of the command lets a full disk pass, and that of other commands does not', async (test) => {
  if (!mounted) test.skip('no small file system can be mounted here');
  await fill();
  const context = { root, env: {} } as Context;
  await expect(assertStateFolder(context)).rejects.toThrow('the disk is full');
  await assertStateFolder(context, { mayBeFull: true });
  await expect(assertStateFolder({ ...context, root: join(root, 'other') }, { mayBeFull: true })).rejects.toThrow(
    'cannot use',
  );
});

it('old results of gates go without a lock; what they freed takes the lock, and the runs go', async (test) => {
  if (!mounted) test.skip('no small file system can be mounted here');
  const green = join(greensDir(root, PROJECT), 'x.json');
  await mkdir(greensDir(root, PROJECT), { recursive: true });
  await writeFile(green, 'x'.repeat(20_000));
  await utimes(green, daysBefore(NOW.getTime(), 90) / 1000, daysBefore(NOW.getTime(), 90) / 1000);
  await fill();
  const { items, bytes } = await cleaned();
  expect(items.map(({ what }) => what)).toEqual(['gates', 'gateLogs', 'transcripts']);
  expect(bytes).toBeGreaterThan(600_000);
  expect(await exists(green)).toBe(false);
  expect((await readdir(join(runDir(root, PROJECT, old), 'ideas/a-1/001'))).sort()).toEqual([
    'notes.json',
    'result.json',
  ]);
  expect(await cleanedText(root, { project: PROJECT, runId: old }, ['gateLogs'])).toContain('2026-11-26');
  expect(await exists(join(runDir(root, PROJECT, young), 'ideas/a-1/001/output.log'))).toBe(true);
});

it('the sizes of the last cleaning, which are measured again, make room', async (test) => {
  if (!mounted) test.skip('no small file system can be mounted here');
  await measure(root, () => false, NOW);
  await cleanLock();
  await fill();
  expect((await cleaned()).items.map(({ what }) => what)).toEqual(['gateLogs', 'transcripts']);
});

it('where nothing makes room for the lock, it says so and names the largest parts', async (test) => {
  if (!mounted) test.skip('no small file system can be mounted here');
  await fill();
  const { items, stays } = await cleaned();
  expect(items).toEqual([]);
  expect(stays[0]).toMatch(/^the disk is full: there is no room for the lock .*clean\.lock/);
  expect(stays.join('\n')).toContain(`rm -r '${join(runDir(root, PROJECT, old), 'ideas')}'`);
  expect(stays.join('\n')).not.toContain(young);
});

/** As after an earlier cleaning. */
async function cleanLock(): Promise<void> {
  await mkdir(join(root, 'projects', PROJECT, 'clean.lock'), { recursive: true });
}
