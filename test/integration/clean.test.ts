/** `ralphctl clean` through the program: 1,000 runs, a kill in the middle, a real run that cleans by itself. Features: G9. */
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { integrationDir, projectDir, runDir, worktreesDir } from '../../src/config/paths.js';
import { readRecord } from '../../src/server/files.js';
import { keepHistory } from '../../src/server/history.js';
import { projectOf } from '../support/news.js';
import { daysBefore, oldRun } from '../support/old-runs.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

const there = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function boxIn(state: string, retention: object = {}): Promise<{ box: Sandbox; state: string; project: string }> {
  const box = await sandbox(state, {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'], stepDelayMs: 0, retention }),
    '.ralph-script.yaml': 'default: [{do: [{append: {path: done.txt, text: "x"}}], signal: COMPLETE}]\n',
  });
  onTestFinished(() => box.dispose());
  return { box, state, project: projectOf(box.repo) };
}

async function stateFolder(): Promise<string> {
  const state = await mkdtemp(join(tmpdir(), 'ralphctl-clean-'));
  onTestFinished(() => rm(state, { recursive: true, force: true, maxRetries: 3 }));
  return state;
}

/** One run a day, the newest yesterday. */
async function plant(box: Sandbox, state: string, count: number, output = 2000): Promise<string[]> {
  const [project, now] = [projectOf(box.repo), Date.now()];
  const runs: string[] = [];
  for (let days = 1; days <= count; days += 10) {
    const some = Array.from({ length: Math.min(10, count - days + 1) }, (_, n) => days + n);
    const one = (day: number): Promise<string> =>
      oldRun(state, {
        project,
        repo: box.repo,
        at: daysBefore(now, day),
        output,
        gateLog: 500,
        report: day % 50 !== 0,
      });
    runs.push(...(await Promise.all(some.map(one))));
  }
  return runs;
}

describe('G9 ralphctl clean', () => {
  it('a state folder of 1,000 runs: in seconds, and runs, report, show and logs read what is left', async () => {
    const { box, state, project } = await boxIn(await stateFolder());
    const runs = await plant(box, state, 1000);
    const [oldest = '', bare = '', young = ''] = [runs[998], runs.at(-1), runs[2]];
    const dry = await box.run('clean', '--dry-run');
    expect(dry.stdout).toMatch(/^transcripts of 91\d runs {2}\d+ MB$/m);
    expect(await there(join(runDir(state, project, oldest), 'events.jsonl'))).toBe(true);
    const began = performance.now();
    const done = await box.run('clean');
    const seconds = (performance.now() - began) / 1000;
    console.log(`cleaned 1,000 runs in ${seconds.toFixed(1)} s`);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/^transcripts of 91\d runs {2}\d+ MB$/m);
    expect(done.stdout).toMatch(/^gate logs of 97\d runs {2}/m);
    expect(done.stdout).toMatch(/^events of 63\d runs {2}/m);
    expect(done.stdout).toMatch(/^freed \d+ MB; the state folder has \d+ MB$/m);
    expect(seconds).toBeLessThan(120);
    expect(await readdir(runDir(state, project, oldest))).toEqual(
      expect.arrayContaining(['backlog.json', 'report.html', 'report.md', 'run.json', 'summary.json']),
    );
    expect(await there(join(runDir(state, project, oldest), 'events.jsonl'))).toBe(false);
    expect(await there(join(runDir(state, project, young), 'ideas/a-1/001/output.log'))).toBe(true);

    expect((await box.run('runs', '--json')).json).toHaveLength(1000);
    const report = await box.run('report', '--run', oldest);
    expect(report).toMatchObject({ code: 0 });
    expect(report.stdout).toBe(`the report of ${oldest}`);
    expect((await box.run('report', '--run', bare)).stdout).toContain('1 landed');
    const today = new Date().toISOString().slice(0, 10);
    const said = `the transcripts, gate logs and events of run ${oldest} were cleaned on ${today}`;
    const shown = await box.run('show', 'a-1', '--run', oldest);
    expect(shown.stdout).toContain(said);
    const logs = await box.run('logs', 'a-1', '--run', oldest);
    expect(logs.code).toBe(0);
    expect(logs.stderr).toContain(`the transcripts and gate logs of run ${oldest} were cleaned on ${today}`);
    expect((await box.run('clean')).stdout).toMatch(/^nothing to clean; the state folder has/);
    const rows = (await readFile(join(projectDir(state, project), 'cleaned.jsonl'), 'utf8')).trim().split('\n');
    expect(rows).toHaveLength(1);
    const doctor = await box.run('doctor', '--quick', '--json');
    const { checks } = doctor.json[0] as { checks: { what: string; found: string }[] };
    expect(checks.find(({ what }) => what === 'size of the state folder')?.found).toMatch(/ MB: projects\//);
  });

  it('SIGKILL in the middle: every run is whole or cleaned, and the next one ends the work', async () => {
    const { box, state, project } = await boxIn(await stateFolder());
    const runs = await plant(box, state, 300, 200_000);
    for (let kill = 0; kill < 3; kill++) {
      const child = box.spawn('clean');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const done = async (): Promise<number> => {
        const found = await Promise.all(
          runs.map((run) => there(join(runDir(state, project, run), 'ideas/.cleaned.json'))),
        );
        return found.filter(Boolean).length;
      };
      const before = await done();
      await until('some runs are cleaned', async () => (await done()) > before + 5);
      child.kill('SIGKILL');
      await ended;
      for (const run of runs) {
        const dir = runDir(state, project, run);
        const ideas = (await there(join(dir, 'ideas'))) ? join(dir, 'ideas') : join(dir, 'ideas.next');
        const [cleaned, output, prompt, result] = await Promise.all(
          ['.cleaned.json', 'a-1/001/output.log', 'a-1/001/prompt.md', 'a-1/001/result.json'].map((name) =>
            there(join(ideas, name)),
          ),
        );
        expect({ run, output, prompt, result }).toEqual({ run, output: prompt, prompt: output, result: true });
        expect(output || cleaned).toBe(true);
      }
    }
    const two = await Promise.all([box.run('clean'), box.run('clean')]);
    expect(two.map(({ code }) => code)).toEqual([0, 0]);
    for (const run of runs) {
      const names = await readdir(runDir(state, project, run));
      expect(names.filter((name) => name.startsWith('.cleaning') || name === 'ideas.next')).toEqual([]);
    }
    expect((await box.run('clean', '--json')).json).toEqual([
      expect.objectContaining({ kind: 'summary', items: 0, stays: [] }),
    ]);
  });

  it('a run cleans by itself, tells it, and its agent does not wait; with automatic: false nothing goes', async () => {
    const { box, state, project } = await boxIn(inject('stateRoot'));
    const old = await plant(box, state, 100);
    const oldest = old.at(-1) ?? '';
    const ran = await box.run('start', '--plain');
    expect(ran.code).toBe(0);
    const text = ran.stdout + ran.stderr;
    expect(text).toMatch(/cleaned: \d+(\.\d)? [MG]?k?B freed: transcripts of \d+ runs?/);
    expect(await there(join(runDir(state, project, oldest), 'ideas/a-1/001/output.log'))).toBe(false);
    const events = await box.run('events', '--json');
    const kinds = events.json.map(({ kind }) => kind);
    // It does not begin before the first agent has.
    expect(kinds.indexOf('cleaned')).toBeGreaterThan(kinds.indexOf('iteration'));
    expect((await box.run('status')).stdout).not.toContain('the state folder');
    // Its own worktree is young, and its report is there.
    expect(await readdir(worktreesDir(state, project))).toContain('ralph-tree-001');
    expect(await there(integrationDir(state, project))).toBe(true);
    expect((await box.run('report')).stdout).toContain('t-1');

    const off = await boxIn(inject('stateRoot'), { automatic: false, serverHistoryDays: 45 });
    const [first = ''] = (await plant(off.box, state, 100)).slice(-1);
    expect((await off.box.run('start', '--plain')).code).toBe(0);
    expect(await there(join(runDir(state, off.project, first), 'ideas/a-1/001/output.log'))).toBe(true);
    const { address } = (await readRecord(state)) ?? {};
    const connection = await Connection.connect({ address: address ?? '' });
    onTestFinished(() => connection.close());
    const seconds = async (): Promise<number> => {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      return Number(config?.workflowExecutionRetentionTtl?.seconds);
    };
    await until('the server keeps closed workflows for 45 days', async () => (await seconds()) === 45 * 86_400);
    // A larger value that a person set stays.
    const config = { workflowExecutionRetentionTtl: msToTs('60 days') };
    await connection.workflowService.updateNamespace({ namespace: 'default', config });
    await keepHistory(state, off.project, 50, address ?? '');
    expect(await seconds()).toBe(60 * 86_400);
  });

  it('status tells a state folder that is larger than stated', async () => {
    const { box, state } = await boxIn(await stateFolder());
    await plant(box, state, 1);
    const sizes = { at: '2026-11-03T00:00:00.000Z', bytes: 30e9, parts: [], partial: true };
    await writeFile(join(state, 'sizes.json'), JSON.stringify(sizes));
    const said = `! the state folder ${state} has more than 30 GB (2026-11-03). What is large: ralphctl doctor --quick`;
    expect((await box.run('status')).stdout).toContain(said);
    await writeFile(join(state, 'sizes.json'), JSON.stringify({ ...sizes, bytes: 19e9 }));
    expect((await box.run('status')).stdout).not.toContain('the state folder');
  });

  it('refuses a wrong value, and works without a run and without configuration', async () => {
    const { box } = await boxIn(await stateFolder(), { keepDays: 0 });
    const refused = await box.run('clean');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('keepDays');
    await box.write({ 'ralphctl.yaml': '' });
    expect(await box.run('clean', '--dry-run')).toMatchObject({ code: 0, stdout: 'nothing to clean' });
  });
});
