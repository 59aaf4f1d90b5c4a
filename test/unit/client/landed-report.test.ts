/** What a person is told about ideas that count as landed (C3, D3). */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import { attachedLines, landedReport, reportLines } from '../../../src/client/open-run/landed-report.js';
import { goneAtEnd } from '../../../src/client/report/gone-at-end.js';
import type { Idea } from '../../../src/protocol/idea.js';
import type { RunSummary } from '../../../src/protocol/run.js';
import { addIdeas, writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';

const ROADMAP = '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n';
let repo: TestRepo;
let landed: string;
beforeEach(async () => {
  repo = await makeRepo({ 'roadmap.md': ROADMAP });
  const text = ROADMAP.replace('[ ] **a-1', '[x] **a-1');
  landed = await commitFiles(repo.root, { 'a.txt': 'a\n', 'roadmap.md': text }, 'feat: a\n\nRalph-Idea: a-1');
});
afterEach(() => repo.remove());

async function report(ticks = true, again: string[] = []) {
  const file = join(repo.root, 'roadmap.md');
  const { ideas } = await readBacklog(file);
  return landedReport({ root: repo.root, target: 'main', file, ideas, ticks, again });
}

it('C3 an id that is used again is said to have landed before, and how it runs', async () => {
  expect(await report()).toEqual({ takenBack: [], unticked: [] });
  await commitFiles(repo.root, { 'roadmap.md': ROADMAP.replace('Do it\n', 'Something else\n') }, 'new plan');
  const told = await report();
  expect(told).toEqual({ takenBack: [], unticked: [{ idea: 'a-1', landed }] });
  expect(reportLines(told, 'main')).toEqual([
    `a-1 is not ticked, but landed before as ${landed.slice(0, 8)}, so it does not run. ` +
      'Run it again with: ralphctl start --again a-1; or give new work another id',
  ]);
  expect(await report(true, ['a-1'])).toEqual({ takenBack: [], unticked: [] });
  expect(await report(false)).toEqual({ takenBack: [], unticked: [] });
});

it('E7: a part of a split has no line in the backlog, so no missing tick is told of it', async () => {
  await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'feat: b\n\nRalph-Idea: a-2-1');
  const file = join(repo.root, 'roadmap.md');
  const { ideas } = await readBacklog(file);
  const part = { ...(ideas[1] as Idea), id: 'a-2-1', parent: 'a-2' };
  const asked = { root: repo.root, target: 'main', file, ideas: [...ideas, part], ticks: true };
  expect((await landedReport({ ...asked, parts: ['a-2-1'] })).unticked).toEqual([]);
});

it('C3: a start that attaches advises nothing that the open run refuses', async () => {
  await commitFiles(repo.root, { 'roadmap.md': ROADMAP.replace('Do it\n', 'Something else\n') }, 'new plan');
  expect(attachedLines(await report(), 'main')).toEqual([]);
  await sh(repo.root, 'rm', '-q', 'a.txt');
  const by = await commitFiles(repo.root, {}, 'my edit');
  expect(attachedLines(await report(), 'main')).toEqual([
    `a-1 landed as ${landed.slice(0, 8)}, and ${by.slice(0, 8)} (my edit) took it off main again. What to do about it: ralphctl status`,
  ]);
});

it('C1 an idea that was partly taken back is named with commit and file, and does not run again', async () => {
  const both = await commitFiles(
    repo.root,
    { 'one.txt': '1\n', 'two words.txt': '2\n' },
    'feat: a-1\n\nRalph-Idea: a-1\nRalph-Agent: scripted',
  );
  await sh(repo.root, 'rm', '-q', 'two words.txt');
  const by = await commitFiles(repo.root, {}, 'my edit');
  const told = await report();
  expect(told).toMatchObject({ takenBack: [{ idea: 'a-1', landed: both, part: ['two words.txt'] }], unticked: [] });
  expect(reportLines(told, 'main')).toEqual([
    `a-1 landed as ${both.slice(0, 8)}, and ${by.slice(0, 8)} (my edit) took part of it off main again: two words.txt. ` +
      `See it with: git show ${by.slice(0, 8)} -- 'two words.txt'`,
  ]);
});

it('C3 a file that merely lags behind the target is no such case', async () => {
  await put(repo.root, { 'roadmap.md': `${ROADMAP}- [ ] **a-3**: New\n` });
  expect(await report()).toEqual({ takenBack: [], unticked: [] });
  await sh(repo.root, 'rm', '-q', '--cached', 'roadmap.md');
  await sh(repo.root, 'commit', '-q', '-m', 'not tracked any more');
  expect(await report()).toMatchObject({ unticked: [{ idea: 'a-1' }] });
});

it('E1 C1: landed work of an idea that a wave added is missed at the end, and the run of its source brings it back', async () => {
  const context = { cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: '', env: {}, json: false };
  const waves = { maxWaves: 1, batchSize: 1 };
  const file = { file: join(repo.scratch, 'tracker'), format: 'ideas', sha256: '', from: 'reports of r.jsonl' };
  const config = { slots: 1, agent: 'x', agents: {}, gate: { commands: [] }, maxIterations: 1, landing: {} };
  const ref = { project: 'p', runId: '20260101-000000-aaaa' };
  const run = {
    ...{ version: 1, ...ref, repo: repo.root, target: 'main', backlog: file, config, tick: false, waves },
    ...{ createdAt: '2020-01-01T00:00:00.000Z', named: { source: 'r.jsonl', tracker: true } },
  } as unknown as RunFile;
  await writeRun(context.root, run, []);
  const idea = (await readBacklog(join(repo.root, 'roadmap.md'))).ideas[0];
  await addIdeas(context.root, ref, [{ ...idea, id: 'report-1' } as Idea]);
  await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'feat: b\n\nRalph-Idea: report-1');
  const summary = { notLanded: [] } as unknown as RunSummary;
  expect(await goneAtEnd(context, 'p', ref.runId, summary)).toEqual([]);
  await sh(repo.root, 'revert', '--no-edit', 'HEAD');
  expect(await goneAtEnd(context, 'p', ref.runId, summary)).toEqual([
    expect.stringMatching(/^report-1 landed as .*took it off main again\. Run it again with: ralphctl run r\.jsonl$/),
  ]);
});
