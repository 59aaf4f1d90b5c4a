/** Cleaning on real folders: what goes of runs, what stays readable, what is never touched. Features: G9. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baselineDir, greensDir, projectDir, runDir } from '../../../../src/config/paths.js';
import { answersInRun } from '../../../../src/jobs/agent-run/answers.js';
import { cleanedText } from '../../../../src/run-files/cleaned.js';
import { readModel } from '../../../../src/run-files/read-model.js';
import { daysBefore, oldRun } from '../../../support/old-runs.js';
import { at, cleaned, dirOf, freshFolders, NOW, PROJECT, plant, snapshot, there } from './folders.js';

freshFolders();

describe('runs', () => {
  it('transcripts and gate logs go by age; what runs, report and show read stays', async () => {
    const [old, month, young] = [await plant(100), await plant(40), await plant(2)];
    await plant(0, { open: true });
    const before = snapshot(dirOf(young));
    const dry = await cleaned({}, { dryRun: true });
    expect(await there(dirOf(old), 'ideas/a-1/001/output.log')).toBe(true);
    const { items, bytes, stays } = await cleaned();
    expect({ items, bytes, stays }).toEqual(dry);
    expect(items.map(({ what, name }) => [what, name])).toEqual([
      ['gateLogs', old],
      ['transcripts', old],
      ['gateLogs', month],
    ]);
    expect(bytes).toBeGreaterThan(60_000);
    expect((await readdir(join(dirOf(old), 'ideas/a-1/001'))).sort()).toEqual(['notes.json', 'result.json']);
    expect(await readdir(join(dirOf(old), 'ideas/a-1'))).toEqual(['001', '002']);
    expect((await readdir(dirOf(old))).sort()).toEqual([
      'backlog.json',
      'events.jsonl',
      'ideas',
      'run.json',
      'summary.json',
    ]);
    expect(await there(dirOf(month), 'ideas/a-1/001/output.log')).toBe(true);
    expect(await there(dirOf(month), 'ideas/a-1/001/gate')).toBe(false);
    expect(snapshot(dirOf(young))).toBe(before);
    expect((await answersInRun(join(dirOf(old), 'ideas/a-1'))).map(({ answer }) => answer)).toEqual([
      'this 1',
      'this 2',
    ]);
    const model = await readModel(at.root, { project: PROJECT, runId: old });
    expect(model?.problems).toEqual([]);
    expect(model?.model.ideas.get('a-1')?.iterations).toHaveLength(2);
    const ref = { project: PROJECT, runId: old };
    expect(await cleanedText(at.root, ref, ['transcripts', 'gateLogs'])).toBe(
      `the transcripts and gate logs of run ${old} were cleaned on 2026-11-26 (retention in ralphctl.yaml)`,
    );
    // Nothing is left for the next one, and the day stays.
    expect((await cleaned({}, { now: new Date(NOW.getTime() + 60_000) })).items).toEqual([]);
    expect(await cleanedText(at.root, { project: PROJECT, runId: young }, ['transcripts'])).toBeUndefined();
  });

  it('events go after a year, where a report was written; the summary tells how it ended', async () => {
    const [bare, told] = [await plant(400), await plant(390, { report: true })];
    await plant(1);
    await cleaned();
    expect(await there(dirOf(bare), 'events.jsonl')).toBe(true);
    expect(await there(dirOf(told), 'events.jsonl')).toBe(false);
    expect(await readFile(join(dirOf(told), 'report.md'), 'utf8')).toContain(told);
    const found = await readModel(at.root, { project: PROJECT, runId: told });
    expect(found?.model.state).toBe('completed');
    expect(found?.problems.join()).toContain(`the events of run ${told} were cleaned on 2026-11-26`);
    // The command writes the report first.
    const reported: string[] = [];
    await cleaned({}, { report: async (runId) => void reported.push(runId) });
    expect(reported).toEqual([bare]);
    expect(await there(dirOf(bare), 'events.jsonl')).toBe(false);
  });

  it('above the size the oldest go first, and nothing young', async () => {
    const runs: string[] = [];
    for (const days of [30, 20, 10, 3]) runs.push(await plant(days, { output: 400_000, agentRuns: 1 }));
    const { items } = await cleaned({ maxMegabytes: 1 });
    expect([...new Set(items.map(({ name }) => name))]).toEqual(runs.slice(0, 2));
    expect(items.find(({ name }) => name === runs[1])?.why).toBe('20 days old; the runs are larger than 1 MB');
  });

  it('an open run stays, however old; one that a newer run has followed goes', async () => {
    const open = await plant(200, { open: true });
    const before = snapshot(dirOf(open));
    expect((await cleaned()).items).toEqual([]);
    expect(snapshot(dirOf(open))).toBe(before);
    // A start that failed is no newer run.
    await mkdir(join(projectDir(at.root, PROJECT), 'runs', '20261120-000000-zzzz'));
    expect((await cleaned()).items).toEqual([]);
    await plant(1);
    expect((await cleaned()).items.map(({ name }) => name)).toEqual([open, open]);
  });

  it('remembered gates go with the gate logs', async () => {
    await plant(1);
    const [old, young] = ['old.json', 'young.json'].map((name) => join(greensDir(at.root, PROJECT), name)) as [
      string,
      string,
    ];
    await mkdir(greensDir(at.root, PROJECT));
    for (const path of [old, young]) await writeFile(path, '{}');
    await utimes(old, daysBefore(NOW.getTime(), 31) / 1000, daysBefore(NOW.getTime(), 31) / 1000);
    await cleaned();
    expect([await there(old), await there(young)]).toEqual([false, true]);
  });

  it('so does the output of gates on bases; a folder that has some of a young one stays', async () => {
    await plant(1);
    const logs = (name: string): string => join(baselineDir(at.root, PROJECT), `${name}-logs`);
    const old = daysBefore(NOW.getTime(), 31) / 1000;
    for (const [name, file, time] of [
      ['old', 'gate-1.log', old],
      ['used', 'gate-1.log', old],
      ['used', 'gate-2.log', NOW.getTime() / 1000],
    ] as const) {
      await mkdir(logs(name), { recursive: true });
      await writeFile(join(logs(name), file), 'g'.repeat(9000));
      await utimes(join(logs(name), file), time, time);
    }
    const { items } = await cleaned();
    expect(items).toEqual([expect.objectContaining({ what: 'gates', name: baselineDir(at.root, PROJECT) })]);
    expect(items[0]?.bytes).toBeGreaterThan(18_000);
    expect(await readdir(baselineDir(at.root, PROJECT))).toEqual(['used-logs']);
    expect(await readdir(logs('used'))).toEqual(['gate-2.log']);
  });
});

describe('what is never touched', () => {
  it('follows no link in the place of a project, of runs, of a run or of an idea', async () => {
    const outside = join(at.root, 'outside');
    await mkdir(join(outside, 'a-9', '001'), { recursive: true });
    await writeFile(join(outside, 'a-9', '001', 'output.log'), 'precious');
    const run = await plant(100);
    await symlink(join(outside, 'a-9'), join(dirOf(run), 'ideas', 'linked'));
    const moved = await plant(101);
    await rename(dirOf(moved), join(outside, moved));
    await symlink(join(outside, moved), dirOf(moved));
    await plant(1);
    const before = snapshot(outside);
    const { items, stays } = await cleaned();
    expect(items.map(({ name }) => name)).toEqual([run, run]);
    expect(stays).toEqual([`${dirOf(moved)} cannot be cleaned: it is a symbolic link, which ralphctl does not follow`]);
    expect(snapshot(outside)).toBe(before);
    const runs = join(projectDir(at.root, PROJECT), 'runs');
    await rename(runs, join(outside, 'runs'));
    await symlink(join(outside, 'runs'), runs);
    expect((await cleaned({ transcriptDays: 1, keepDays: 1 })).stays).toEqual([
      `${runs} cannot be cleaned: it is a symbolic link, which ralphctl does not follow`,
    ]);
  });

  it.each(['ideas', 'ideas.next', 'drafts'])('follows no link in the place of %s of a run', async (name) => {
    const run = await plant(400, { report: true });
    await plant(1);
    const outside = join(at.root, 'outside');
    await mkdir(join(outside, 'a-1', '001'), { recursive: true });
    await writeFile(join(outside, 'a-1', '001', 'output.log'), 'precious'.repeat(9000));
    await writeFile(join(outside, '.cleaned.json'), '{}');
    await rm(join(dirOf(run), name), { recursive: true, force: true });
    await symlink(outside, join(dirOf(run), name));
    const before = snapshot(at.root);
    const { items, bytes, stays } = await cleaned();
    expect({ items, bytes }).toEqual({ items: [], bytes: 0 });
    expect(stays).toEqual([
      `${join(dirOf(run), name)} cannot be cleaned: it is a symbolic link, which ralphctl does not follow`,
    ]);
    // Only the lock of the cleaning is new.
    await rm(join(projectDir(at.root, PROJECT), 'clean.lock'), { recursive: true });
    expect(snapshot(at.root)).toBe(before);
  });

  it('leaves another project as it is', async () => {
    const other = await oldRun(at.root, {
      project: 'other-22222222',
      repo: at.repo,
      at: daysBefore(NOW.getTime(), 500),
      report: true,
    });
    await plant(100);
    await plant(1);
    const before = snapshot(runDir(at.root, 'other-22222222', other));
    await cleaned();
    expect(snapshot(runDir(at.root, 'other-22222222', other))).toBe(before);
    expect(await readdir(projectDir(at.root, 'other-22222222'))).toEqual(['runs']);
  });

  it.runIf(process.getuid?.() === 0)('tells a folder of another user', async () => {
    const run = await plant(100);
    await plant(1);
    await chown(dirOf(run), 12_345, 12_345);
    const { items, stays } = await cleaned();
    expect(items).toEqual([]);
    expect(stays).toEqual([`${dirOf(run)} cannot be cleaned: it belongs to user 12345, and this is user 0`]);
  });
});

describe('a folder without permission', () => {
  it('tells a folder that takes no writing, and cleans the others', async () => {
    const [shut, other] = [await plant(100), await plant(110)];
    await plant(1);
    const user = process.geteuid?.();
    // Permissions do not stop at.root.
    if (user === 0) {
      execFileSync('chown', ['-R', '65534:65534', at.root]);
      process.seteuid?.(65_534);
    }
    try {
      await chmod(dirOf(shut), 0o500);
      const before = snapshot(dirOf(shut));
      const { items, stays } = await cleaned();
      expect(items.map(({ name }) => name)).toEqual([other, other]);
      expect(stays).toEqual([
        expect.stringMatching(`^${dirOf(shut)}.* cannot be cleaned: no permission to write there`),
      ]);
      expect(snapshot(dirOf(shut))).toBe(before);
    } finally {
      await chmod(dirOf(shut), 0o700);
      if (user === 0) process.seteuid?.(0);
    }
  });
});
