import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir, runDir } from '../../../../src/config/paths.js';
import { configSchema } from '../../../../src/config/schema/config.js';
import { healRun } from '../../../../src/jobs/clean/runs.js';
import { acquireLock } from '../../../../src/process/lock.js';
import { cleanedText } from '../../../../src/run-files/cleaned.js';
import { writeRevision } from '../../../../src/run-files/revisions.js';
import { daysBefore, type OldRun, oldRun } from '../../../support/old-runs.js';
import { at, cleaned, dirOf, freshFolders, NOW, PROJECT, plant, snapshot, there } from './folders.js';

freshFolders();

describe('projects whose repository is gone', () => {
  const GONE = 'gone-33333333';
  const lost = (some: Partial<OldRun> = {}): Promise<string> =>
    oldRun(at.root, { project: GONE, repo: join(at.work, 'lost'), at: daysBefore(NOW.getTime(), 100), ...some });

  it('transcripts, gate logs and events go; ledger, summary and report stay; worktrees are named', async () => {
    const run = await lost({ report: true });
    await writeFile(join(projectDir(at.root, GONE), 'ledger.jsonl'), 'evidence\n');
    await mkdir(join(projectDir(at.root, GONE), 'worktrees', 'ralph-tree-001'), { recursive: true });
    await plant(1);
    const { items, stays } = await cleaned();
    expect(items).toEqual([
      expect.objectContaining({
        what: 'project',
        name: GONE,
        why: `its repository ${join(at.work, 'lost')} is gone`,
      }),
    ]);
    expect((await readdir(runDir(at.root, GONE, run))).sort()).toEqual([
      ...['backlog.json', 'ideas', 'report.html', 'report.md', 'run.json', 'summary.json'],
    ]);
    expect(await readFile(join(projectDir(at.root, GONE), 'ledger.jsonl'), 'utf8')).toBe('evidence\n');
    expect(await there(projectDir(at.root, GONE), 'worktrees', 'ralph-tree-001')).toBe(true);
    expect(stays.join()).toMatch(/a worktree of .*lost, which is gone.* rm -r '[^']*worktrees'$/);
    expect((await cleaned()).items).toEqual([]);
  });

  it.each([
    ['whose own folder is missing', async () => rm(join(at.root, 'work'), { recursive: true })],
    [
      'whose own folder is empty, as that of a disk that is not mounted',
      async () => {
        await rm(join(at.root, 'work'), { recursive: true });
        await mkdir(join(at.root, 'work'));
      },
    ],
    ['that is there', async () => mkdir(join(at.work, 'lost'))],
  ])('stays: a repository %s', async (_, change) => {
    await lost();
    await plant(1);
    await change();
    const before = snapshot(projectDir(at.root, GONE));
    expect((await cleaned()).items).toEqual([]);
    expect(snapshot(projectDir(at.root, GONE))).toBe(before);
  });

  it('stays where its own configuration turned the automatic cleaning off, until somebody asks', async () => {
    const config = configSchema.parse({ retention: { automatic: false } });
    await lost({ config });
    const changed = 'gone-44444444';
    const made = { project: changed, repo: join(at.work, 'lost'), at: daysBefore(NOW.getTime(), 100) };
    const run = await oldRun(at.root, made);
    // A configuration that the run read again.
    await writeRevision(at.root, { project: changed, runId: run }, { config, tick: true });
    await plant(1);
    expect((await cleaned({}, { byItself: true })).items).toEqual([]);
    expect((await cleaned()).items.map(({ name }) => name)).toEqual([GONE, changed]);
  });

  it('stays where nobody can read whether its configuration turned the automatic cleaning off', async () => {
    const run = await lost();
    const ref = { project: GONE, runId: run };
    await writeRevision(at.root, ref, { config: configSchema.parse({}), tick: true });
    await writeFile(join(runDir(at.root, GONE, run), 'config', '1.json'), '{');
    await plant(1);
    expect((await cleaned({}, { byItself: true })).items).toEqual([]);
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
    const release = await acquireLock(join(projectDir(at.root, PROJECT), 'clean.lock'), { waitMs: 0 });
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
    expect(await cleanedText(at.root, ref, ['transcripts'])).toContain('were cleaned on 2026-11-26');
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
