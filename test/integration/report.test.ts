/** The report of a real run: when it is over, without a server, and beside the run after it. Features: G1 G2 G4. */
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Report, reportSchema } from '../../src/report/schema.js';
import { NIGHT_FILES, playNight } from '../support/night.js';
import { cliPath, type Sandbox, sandbox } from '../support/program.js';

let box: Sandbox;
let runId: string;
beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), NIGHT_FILES);
  runId = await playNight(box);
}, 300_000);
afterAll(() => box?.dispose());

const read = async (...args: string[]): Promise<Report> => {
  const { json, code, stderr } = await box.run('report', '--json', ...args);
  expect(code, stderr).toBe(0);
  return reportSchema.parse(json[0]);
};

it('says what to do first, each with its command, then what landed, and why the rest did not', async () => {
  const { code, stdout } = await box.run('report');
  expect(code).toBe(0);
  const place = (text: string): number => {
    expect(stdout).toContain(text);
    return stdout.indexOf(text);
  };
  const order = [
    '3 landed   5 not   ',
    'TO DO (5)',
    '? ask-1        Which colour?',
    'ralphctl start, then: ralphctl answer ask-1 "…"',
    '⊗ block-1      the deploy key is not available',
    'ralphctl abandon block-1',
    '✗ fail-1       ',
    '◔ red-1        2 of 2 iterations used; 2 times in a row the gate was red',
    'branch ralph/red-1 is kept, 2 commits',
    'LANDED (3)',
    '✓ land-1       Make the <b>table</b> & its index',
    'the agents did not report their cost',
    'ALSO NOT LANDED (1)',
    '· after-1      after: waits for block-1',
    'WORTH A LOOK',
    '1 answer',
    'commits: git log ',
  ].map(place);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

it('has commits and lines of each landing from git, and the gate of the last one', async () => {
  const report = await read();
  expect(report.run).toMatchObject({ runId, over: true, state: 'stopped', target: 'main' });
  const shown = new Map(report.landed.map((one) => [one.idea, one]));
  expect([...shown.keys()].sort()).toEqual(['land-1', 'land-2', 'told-1']);
  for (const [id, added] of [
    ['land-1', 2],
    ['land-2', 2],
    ['told-1', 1],
  ] as const) {
    // A landing also ticks the backlog: one line out, one in.
    expect(shown.get(id)?.lines, id).toEqual({ added: added + 1, deleted: 1 });
  }
  expect(shown.get('told-1')?.said).toMatchObject([{ verb: 'answer', text: expect.stringContaining('half even') }]);
  expect(shown.get('land-2')?.runs.map(({ signal }) => signal)).toEqual(['PROGRESS 40', 'COMPLETE']);
  expect(report.target).toMatchObject({ green: true, to: await box.git('rev-parse', 'main') });
  const range = `${report.target?.from}..${report.target?.to}`;
  expect(await box.git('log', '--format=%s', range)).toContain('#told-1');
  expect(report.slots.flatMap(({ bars }) => bars).filter(({ kind }) => kind === 'agent').length).toBe(
    report.counts.iterations,
  );
});

it('tells the same without a server, and as Markdown', async () => {
  const [before, after] = await Promise.all([
    box.run('report'),
    // An address where nobody answers.
    execa(process.execPath, [cliPath, 'report'], {
      cwd: box.repo,
      env: { ...box.env, TEMPORAL_ADDRESS: '127.0.0.1:9' },
      extendEnv: false,
    }),
  ]);
  expect(after.stdout).toBe(before.stdout);
  const { stdout } = await box.run('report', '--md');
  expect(stdout).toContain('## To do (5)');
  expect(stdout).toContain('Make the &lt;b&gt;table&lt;/b&gt; &amp; its index');
});

it('names what is missing', async () => {
  const { code, stderr } = await box.run('report', '--run', 'nope');
  expect(code).toBe(6);
  expect(stderr).toContain('there is no run nope. List the runs: ralphctl runs');
});
