/**
 * `ralphctl run` through the program: waves over forty bug reports, twenty of them garbage. Features: E1 E2 E3 E5.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { runDir } from '../../src/config/paths.js';
import { triage } from '../../src/decide/triage/triage.js';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { BugReport } from '../../src/protocol/triage.js';
import { pidsWith } from '../support/processes.js';
import { events, type Sandbox, sandbox, until, yaml } from '../support/program.js';

/** What the repositories here have: gate 3 compares the files that a report names with them. */
const FILES = ['.ralph-script.yaml', 'ralphctl.yaml', 'reports.jsonl'];
const OWN = fileURLToPath(new URL('../fixtures/triage/own.jsonl', import.meta.url));

/** Twenty reports that triage lets through, and twenty that it rejects by what they say. */
async function forty(): Promise<{ good: BugReport[]; bad: BugReport[]; file: string }> {
  const reports = (await readFile(OWN, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id: string; title: string; body?: string })
    .map(({ id, title, body = '' }): BugReport => ({ id, title, body, labels: [], state: 'open' }));
  const about = { overrules: new Map(), known: [], past: [], files: FILES, now: '2026-06-15T12:00:00Z' };
  const { survivors, rejected } = triage({ reports, ...about });
  const byId = new Map(reports.map((one) => [one.id, one]));
  const some = (ids: string[]): BugReport[] => ids.slice(0, 20).flatMap((id) => byId.get(id) ?? []);
  const good = some(survivors.map(({ id }) => id));
  const bad = some(rejected.filter(({ gate }) => gate === 'coherence' || gate === 'symptom').map(({ id }) => id));
  const file = [...bad, ...good].map(({ id, title, body }) => `${JSON.stringify({ id, title, body })}\n`).join('');
  return { good, bad, file };
}

async function boxWith(files: Record<string, string>, config: Record<string, unknown> = {}): Promise<Sandbox> {
  const box = await sandbox(inject('stateRoot'), {
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'], ...config }),
    ...files,
  });
  onTestFinished(() => box.dispose());
  return box;
}

const eventsOf = async (box: Sandbox): Promise<StampedEvent[]> => events(await box.run('logs', '--json'));
const waves = (all: readonly StampedEvent[], state: string) =>
  all.filter(
    (event): event is Extract<StampedEvent, { kind: 'wave' }> => event.kind === 'wave' && event.state === state,
  );
const over = (box: Sandbox): Promise<true> =>
  until('the end of the run', async () => (await box.run('status', '--json')).code === 6 && true, 150_000);

describe('E1 ralphctl run', () => {
  it('works two waves of a source with forty reports, through a kill -9 of the worker, and ends at --max-waves', async () => {
    const { good, bad, file } = await forty();
    expect([good.length, bad.length]).toEqual([20, 20]);
    const box = await boxWith({ 'reports.jsonl': file });
    const lands = { append: { path: 'work.txt', text: 'x\n' } };
    const script = { default: [{ do: [{ waitFor: { path: `${box.scratch}/go` } }, lands], signal: 'COMPLETE' }] };
    await box.write({ '.ralph-script.yaml': yaml(script) });
    await box.commit('script');
    // A person knows better than two of the verdicts.
    const [garbage, unwanted] = [bad[0]?.id ?? '', good[0]?.id ?? ''];
    const said = ['--file', 'reports.jsonl', '--reason'];
    expect(await box.run('triage', 'accept', garbage, ...said, 'I have seen it')).toMatchObject({ code: 0 });
    expect(await box.run('triage', 'reject', unwanted, ...said, 'is replaced soon')).toMatchObject({ code: 0 });

    const begun = await box.run('run', 'reports.jsonl', '--max-waves', '2', '--batch-size', '3', '--detach', '--json');
    expect(begun).toMatchObject({ code: 0 });
    const project = String(begun.json[0]?.project);
    await until(
      'an agent of the first wave',
      async () => (await eventsOf(box)).some(({ kind }) => kind === 'iteration'),
      120_000,
    );
    // On the open run, the same command attaches; what only a new run can take is refused.
    const again = await box.run('run', 'reports.jsonl', '--detach');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('attached to the open run') });
    expect(again.stderr).not.toContain('the configuration file has changed');
    const more = await box.run('run', '--max-waves', '9', '--detach', 'reports.jsonl');
    expect(more).toMatchObject({ code: 7, stderr: expect.stringContaining('--max-waves 9: the run has 2') });
    const workers = await pidsWith('worker', '--child', '--project', project);
    expect(workers.length).toBeGreaterThan(0);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    // The files of the waves come back from the ledger.
    const files = join(runDir(inject('stateRoot'), project, String(begun.json[0]?.runId)), 'waves');
    await rm(files, { recursive: true });
    await box.write({ '../scratch/go': '' });
    await over(box);
    expect(JSON.parse(await readFile(join(files, '001.json'), 'utf8'))).toMatchObject({ wave: 1, rebuilt: true });

    const all = await eventsOf(box);
    const taken = waves(all, 'began').map((event) => event.taken?.map(({ idea }) => idea.replace('report-', '')) ?? []);
    expect(taken.map((ids) => ids.length)).toEqual([3, 3]);
    const ids = taken.flat();
    expect(new Set(ids).size).toBe(6);
    const may = new Set([...good.map(({ id }) => id), garbage]);
    expect(ids.filter((id) => !may.has(id) || id === unwanted)).toEqual([]);
    expect(waves(all, 'ended').map(({ wave, attempted, passed }) => [wave, attempted, passed])).toEqual([
      [1, 3, 3],
      [2, 3, 3],
    ]);
    expect(waves(all, 'over')).toMatchObject([{ end: 'max-waves', wave: 2 }]);
    // Each rejection once, with gate, reason and quote.
    const rejected = all.flatMap((event) => (event.kind === 'rejected' ? [event] : []));
    const expected = [...bad.map(({ id }) => id).filter((id) => id !== garbage), unwanted].sort();
    expect(rejected.map(({ report }) => report).sort()).toEqual(expected);
    expect(rejected.find(({ report }) => report === unwanted)).toMatchObject({
      gate: 'person',
      reason: 'is replaced soon',
    });
    for (const one of rejected) {
      expect(one.reason).not.toBe('');
      const text = [...good, ...bad].find(({ id }) => id === one.report);
      expect(`${text?.title}\n${text?.body}`.replace(/\s+/g, ' ')).toContain(one.quote.replace(/\s+/g, ' '));
    }
    // Nothing is lost or doubled: one landing for each idea.
    const trailers = (await box.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main')).split('\n');
    expect(trailers.filter(Boolean).sort()).toEqual(ids.map((id) => `report-${id}`).sort());

    const [run] = (await box.run('runs', '--json')).json as { waves?: { passed: number }[] }[];
    expect(run?.waves?.map(({ passed }) => passed)).toEqual([3, 3]);
    const report = (await box.run('report', '--json')).json[0] as { waves: unknown[]; rejected: unknown[] };
    expect([report.waves.length, report.rejected.length]).toEqual([2, 20]);
    expect((await box.run('report', '--no-pager')).stdout).toContain('3 of 3 passed');
    const ledger = await box.run('ledger');
    expect(ledger.stdout).toMatch(/wave-1\s+landed/);
    expect(ledger.stdout).toMatch(new RegExp(`report-${unwanted}\\s+rejected by triage`));
    expect((await box.run('ledger', 'wave-2')).stdout).toContain('3 of 3 passed, 0 failed, 0 skipped');
    expect(await box.run('ledger', 'verify')).toMatchObject({ code: 0 });
  });

  it('E2 ends after two waves without a success, says why, and exits as a start does', async () => {
    const { file } = await forty();
    const box = await boxWith({
      'reports.jsonl': file,
      '.ralph-script.yaml': yaml({ default: [{ do: [], signal: 'BLOCKED: there is no key' }] }),
    });
    const run = await box.run('run', 'reports.jsonl', '--batch-size', '2', '--slots', '2', '--no-wait');
    expect(run.code, run.stderr + run.stdout).toBe(3);
    expect(run.stdout).toContain('wave 2 of 5 is over: 0 of 2 passed, 2 failed');
    expect(run.stdout).toContain('no further wave: 2 waves in a row had no success');
    expect(run.stdout).not.toContain('wave 3');
  });

  it('F1 takes the entries of a backlog as they are, with waves.* of the configuration, and asks before another wave', async () => {
    const box = await boxWith(
      {
        'roadmap.md': '# R\n\n- [ ] **b-1**: Dark mode\n  - ralph: true\n- [ ] **b-2**: asdf\n  - ralph: true\n',
        '.ralph-script.yaml': yaml({ default: [{ do: [{ append: { path: 'w', text: 'x\n' } }], signal: 'COMPLETE' }] }),
      },
      { waves: { maxWaves: 4, batchSize: 1, confirm: true } },
    );
    await box.run('run', '--detach');
    const asks = await until(
      'the question',
      async () => {
        const { stdout } = await box.run('status');
        return stdout.includes('Another wave?') && stdout;
      },
      120_000,
    );
    expect(asks).toContain('wave 1 of 4 is over: 1 of 1 passed');
    expect(asks).toContain('waves: wave 1 of 4 is over');
    expect((await box.git('log', '--format=%s', 'main')).match(/b-\d/g)).toEqual(['b-1']);
    expect(await box.run('resume')).toMatchObject({ code: 0 });
    await until(
      'the second question',
      async () => (await box.run('status')).stdout.includes('wave 2 of 4 is over'),
      120_000,
    );
    expect(await box.run('stop')).toMatchObject({ code: 0 });
    await over(box);
    expect(await box.git('show', 'main:roadmap.md')).toMatch(/\[x\] \*\*b-1.*[\s\S]*\[x\] \*\*b-2/);
  });

  it('G3: a dry run shows the first wave; the open run takes what it can; every next step is a run of that source', async () => {
    const { good, bad, file } = await forty();
    const rows = file.split('\n').filter((row) => [good[0]?.id, bad[0]?.id].some((id) => row.includes(`"id":"${id}"`)));
    const box = await boxWith({
      'reports.jsonl': `${rows.join('\n')}\n`,
      'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
    });
    const idea = `report-${good[0]?.id}`;
    const script = {
      default: [{ do: [{ waitFor: { path: `${box.scratch}/go` } }], signal: 'BLOCKED: there is no key' }],
    };
    await box.write({ '.ralph-script.yaml': yaml(script) });
    await box.commit('script');

    const dry = await box.run('run', 'reports.jsonl', '--dry-run');
    expect(dry, dry.stderr).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain('wave 1 of 5 waves of up to 5 would take 1 report; 0 for later waves, 1 rejected');
    expect(dry.stdout).toMatch(new RegExp(`1  ${idea}  T\\d  score`));
    expect(dry.stdout).toMatch(/rejected:\n {2}\S+ {2}gate \d, [\s\S]*nothing was started/);
    const told = (await box.run('run', 'reports.jsonl', '--dry-run', '--json')).json[0];
    expect(told).toMatchObject({ slots: 1, wave: { taken: [{ idea }], left: 0, rejected: [{ report: bad[0]?.id }] } });
    expect((await box.run('runs', '--json')).json).toEqual([]);

    const begun = await box.run('run', 'reports.jsonl', '--max-waves', '1', '--detach');
    expect(begun, begun.stderr).toMatchObject({ code: 0 });
    await until(
      'an agent of the wave',
      async () => (await eventsOf(box)).some(({ kind }) => kind === 'iteration'),
      120_000,
    );
    const ask = await box.run('run', 'reports.jsonl', '--confirm', '--detach');
    expect([ask.code, ask.stderr]).toEqual([7, expect.stringContaining('--confirm: the run begins the next wave')]);
    const typo = await box.run('run', 'reports.jsonl', '--agent', 'scriptd', '--detach');
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('Did you mean scripted?')]);
    // Without --slots, they come from waves.slots, and follow it.
    const slots = async () => (await box.run('config', 'show', 'slots', '--json')).json[0]?.keys;
    expect(await slots()).toMatchObject([{ key: 'slots', value: 1, origin: 'default' }]);
    const waves = { slots: 2 };
    await box.write({
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'], slots: 7, waves }),
    });
    expect((await box.run('config', 'reload')).stdout).toContain('slots: 1 → 2');
    expect(await slots()).toMatchObject([{ value: 2, origin: expect.stringMatching(/^ralphctl\.yaml:\d+$/) }]);

    await box.write({ '../scratch/go': '' });
    await over(box);
    const again = 'ralphctl run reports.jsonl --max-waves 1';
    expect((await box.run('status')).stdout).toContain(`try them again with: ${again}`);
    expect((await box.run('report', '--no-pager')).stdout.replace(/\s+/g, ' ')).toContain(again);
    expect((await box.run('why', idea)).stdout).toContain(`${again} (tries it again`);
    expect((await box.run('retry', idea)).stdout).toContain(`its work so far is kept: ${again}`);
    expect((await box.run('hint', idea, 'look at a.txt')).stdout).toContain(`Start one with: ${again}`);

    // A run that only rejected has a report of its own.
    await box.write({ 'reports.jsonl': `${rows.filter((row) => row.includes(`"id":"${bad[0]?.id}"`)).join('\n')}\n` });
    const empty = await box.run('run', 'reports.jsonl', '--no-wait');
    expect(empty.code, empty.stderr).not.toBe(2);
    const report = await box.run('report', '--json');
    expect(report.stderr).not.toContain('did no work');
    expect(report.json[0]).toMatchObject({ rejected: [{ report: bad[0]?.id }] });
  });

  it('C1: an open run without waves refuses them, also where no new run could start', async () => {
    const box = await boxWith({
      'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
      '.ralph-script.yaml': yaml({ default: [{ do: [{ waitFor: { path: 'never' } }], signal: 'COMPLETE' }] }),
    });
    expect((await box.run('start', '--detach')).code).toBe(0);
    const refused = async (): Promise<void> => {
      const { code, stderr } = await box.run('run', '--detach');
      expect([code, stderr]).toEqual([7, expect.stringContaining('is open and has no waves')]);
    };
    await refused();
    expect((await box.run('run', '--dry-run')).stdout).toContain('run would refuse: run');
    await box.write({ 'ralphctl.yaml': 'version: 1\nslots: many\n' });
    await refused();
    expect((await box.run('abort')).code).toBe(0);
    await over(box);
  });

  it('refuses bad input before anything starts', async () => {
    const box = await boxWith({
      'reports.jsonl': '{"id":"a"}\n',
      'empty.jsonl': '',
      'roadmap.md': '- [ ] **a-1**: Do it\n',
    });
    const refused = async (...args: string[]) => {
      const { code, stderr } = await box.run('run', ...args);
      expect(code, stderr).toBe(2);
      return stderr;
    };
    expect(await refused('reports.jsonl')).toContain('reports.jsonl:1: title is missing');
    const nothing = await box.run('run', 'empty.jsonl');
    expect(nothing, nothing.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to start') });
    expect(await refused('nowhere.jsonl')).toContain('nowhere.jsonl');
    expect(await refused('--max-waves', '0')).toContain('--max-waves');
    expect(await refused('--max-waves', '101')).toContain('from 1 to 100');
    expect(await refused('--batch-size', '51')).toContain('from 1 to 50');
    await box.write({ 'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', waves: { maxWaves: 0 } }) });
    expect(await refused()).toContain('waves.maxWaves');
    expect((await box.run('runs', '--json')).json).toEqual([]);
  });
});
