/** Cleaning of projects whose repository is gone, two cleanings at once, and one that is cut off. Features: G9. */
import { execFileSync } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectDir, runDir } from '../../../../src/config/paths.js';
import { configSchema } from '../../../../src/config/schema/config.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { type CleanOptions, clean } from '../../../../src/jobs/clean/clean.js';
import { healRun } from '../../../../src/jobs/clean/runs.js';
import { acquireLock } from '../../../../src/process/lock.js';
import type { Retention } from '../../../../src/protocol/retention.js';
import { cleanedText } from '../../../../src/run-files/cleaned.js';
import { writeRevision } from '../../../../src/run-files/revisions.js';
import { daysBefore, type OldRun, oldRun } from '../../../support/old-runs.js';

const NOW = new Date('2026-11-26T12:00:00Z');
let root: string;
let repo: string;
const PROJECT = 'mine-11111111';

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-clean-')));
  repo = join(root, 'work', 'repo');
  await mkdir(join(root, 'work', 'beside'), { recursive: true });
  await mkdir(repo);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const plant = (days: number, some: Partial<OldRun> = {}): Promise<string> =>
  oldRun(root, { project: PROJECT, repo, at: daysBefore(NOW.getTime(), days), ...some });
const cleaned = (rules: Partial<Retention> = {}, options: Partial<CleanOptions> = {}) =>
  clean({
    ...{ root, project: PROJECT, rules: { ...DEFAULT_RETENTION, ...rules }, dryRun: false, byItself: false, now: NOW },
    ...{ stop: () => false, waitMs: 5000, ...options },
  });
const dirOf = (runId: string): string => runDir(root, PROJECT, runId);
const there = (...path: string[]): Promise<boolean> =>
  access(join(...path)).then(
    () => true,
    () => false,
  );
/** Every file below a folder with its content. */
function snapshot(dir: string): string {
  return execFileSync('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort; find . -type l | sort'], {
    cwd: dir,
  }).toString();
}

describe('projects whose repository is gone', () => {
  const GONE = 'gone-33333333';
  const lost = (some: Partial<OldRun> = {}): Promise<string> =>
    oldRun(root, { project: GONE, repo: join(root, 'work', 'lost'), at: daysBefore(NOW.getTime(), 100), ...some });

  it('transcripts, gate logs and events go; ledger, summary and report stay; worktrees are named', async () => {
    const run = await lost({ report: true });
    await writeFile(join(projectDir(root, GONE), 'ledger.jsonl'), 'evidence\n');
    await mkdir(join(projectDir(root, GONE), 'worktrees', 'ralph-tree-001'), { recursive: true });
    await plant(1);
    const { items, stays } = await cleaned();
    expect(items).toEqual([
      expect.objectContaining({
        what: 'project',
        name: GONE,
        why: `its repository ${join(root, 'work', 'lost')} is gone`,
      }),
    ]);
    expect((await readdir(runDir(root, GONE, run))).sort()).toEqual([
      ...['backlog.json', 'ideas', 'report.html', 'report.md', 'run.json', 'summary.json'],
    ]);
    expect(await readFile(join(projectDir(root, GONE), 'ledger.jsonl'), 'utf8')).toBe('evidence\n');
    expect(await there(projectDir(root, GONE), 'worktrees', 'ralph-tree-001')).toBe(true);
    expect(stays.join()).toMatch(/a worktree of .*lost, which is gone.* rm -r /);
    expect((await cleaned()).items).toEqual([]);
  });

  it.each([
    ['whose own folder is missing', async () => rm(join(root, 'work'), { recursive: true })],
    [
      'whose own folder is empty, as that of a disk that is not mounted',
      async () => {
        await rm(join(root, 'work'), { recursive: true });
        await mkdir(join(root, 'work'));
      },
    ],
    ['that is there', async () => mkdir(join(root, 'work', 'lost'))],
  ])('stays: a repository %s', async (_, change) => {
    await lost();
    await plant(1);
    await change();
    const before = snapshot(projectDir(root, GONE));
    expect((await cleaned()).items).toEqual([]);
    expect(snapshot(projectDir(root, GONE))).toBe(before);
  });

  it('stays where its own configuration turned the automatic cleaning off, until somebody asks', async () => {
    const config = configSchema.parse({ retention: { automatic: false } });
    await lost({ config });
    const changed = 'gone-44444444';
    const at = daysBefore(NOW.getTime(), 100);
    const run = await oldRun(root, { project: changed, repo: join(root, 'work', 'lost'), at });
    // A configuration that the run read again.
    await writeRevision(root, { project: changed, runId: run }, { config, tick: true });
    await plant(1);
    expect((await cleaned({}, { byItself: true })).items).toEqual([]);
    expect((await cleaned()).items.map(({ name }) => name)).toEqual([GONE, changed]);
  });

  it('stays while its last run may be open, and while it is young', async () => {
    await lost({ open: true });
    expect((await cleaned()).items).toEqual([]);
    await lost({ at: daysBefore(NOW.getTime(), 80) });
    expect((await cleaned()).items).toEqual([]);
  });
});

describe('two cleanings, and one that is cut off', () => {
  it('two at once: each part goes once', async () => {
    for (const days of [100, 110, 120, 130]) await plant(days);
    await plant(1);
    const [a, b] = await Promise.all([cleaned(), cleaned()]);
    expect([a.items.length, b.items.length].sort()).toEqual([0, 8]);
  });

  it('waits for no other one longer than it may', async () => {
    await plant(100);
    await plant(1);
    const release = await acquireLock(join(projectDir(root, PROJECT), 'clean.lock'), { waitMs: 0 });
    await expect(cleaned({}, { waitMs: 0 })).rejects.toThrow('has held the lock');
    await release();
    expect((await cleaned()).items).toHaveLength(2);
  });

  it('between the two renames: the note is read, and the next cleaning ends the work', async () => {
    const run = await plant(100);
    await plant(1);
    const ref = { project: PROJECT, runId: run };
    await cleaned();
    await rename(join(dirOf(run), 'ideas'), join(dirOf(run), 'ideas.next'));
    expect(await cleanedText(root, ref, ['transcripts'])).toContain('were cleaned on 2026-11-26');
    await mkdir(join(dirOf(run), '.cleaning-999999999-0123abcd', 'a-1'), { recursive: true });
    await writeFile(join(dirOf(run), '.cleaning-999999999-0123abcd', 'a-1', 'output.log'), 'x'.repeat(9000));
    expect((await cleaned()).items.map(({ what }) => what)).toEqual(['leftover']);
    expect((await readdir(dirOf(run))).sort()).toEqual([
      'backlog.json',
      'events.jsonl',
      'ideas',
      'run.json',
      'summary.json',
    ]);
    expect(await there(dirOf(run), 'ideas/a-1/001/result.json')).toBe(true);
  });

  it('before them: the half folder goes, and the run is as it was', async () => {
    const run = await plant(3);
    const before = snapshot(dirOf(run));
    await mkdir(join(dirOf(run), 'ideas.next', 'a-1'), { recursive: true });
    await healRun(dirOf(run));
    expect(snapshot(dirOf(run))).toBe(before);
    expect(await readdir(dirOf(run))).not.toContain('ideas.next');
  });

  it('ends between two runs when its time is up, and says so', async () => {
    for (const days of [100, 110, 120, 130]) await plant(days);
    await plant(1);
    let asked = 0;
    const first = await cleaned({}, { stop: () => ++asked > 8 });
    expect(first.more).toBe(true);
    const all = (await cleaned()).items.length + first.items.length;
    expect(all).toBe(8);
  });
});
