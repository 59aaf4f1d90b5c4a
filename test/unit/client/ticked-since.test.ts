/** What a person ticks after the run is no work any more: no view promises it, as no start runs it. Features: A4 C2 C3. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeForNext } from '../../../src/client/model/for-next.js';
import { takeLines } from '../../../src/client/model/take-lines.js';
import { orderOf } from '../../../src/client/plan/order.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { fold } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { makeReport } from '../../../src/report/build.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { showText } from '../../../src/report/show.js';
import { textReport } from '../../../src/report/text.js';
import { emptyModel } from '../../../src/run-files/read-model.js';
import { writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

const roadmap = (...ticked: string[]): string =>
  `# R\n\n${['a-1', 'b-1', 'c-1'].map((id) => `- [${ticked.includes(id) ? 'x' : ' '}] **${id}**: Do ${id}`).join('\n')}\n`;

let repo: TestRepo;
let root: string;
beforeEach(async () => {
  repo = await makeRepo({
    'ralphctl.yaml': 'version: 1\nagent: scripted\nbacklog: roadmap.md\n',
    'roadmap.md': roadmap(),
    '.ralph-script.yaml': 'default: []\n',
  });
  root = join(repo.scratch, 'state');
});
afterEach(() => repo.remove());

const contextOf = () => ({ cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false });

/** A run that is over: `a-1` failed, the others did not begin. */
async function over(): Promise<{ model: RunModel; file: RunFile }> {
  const plan = await planRun(contextOf(), {}, { agents: false });
  const file = runFile(plan, '20260101-000000-aaaa');
  await writeRun(root, file, plan.ideas);
  const { model } = (await emptyModel(root, { project: file.project, runId: file.runId })) ?? expect.fail('no run');
  const at = '2026-01-01T00:00:00.000Z';
  fold(model, { at, kind: 'run', state: 'running', landed: 0, total: 3 });
  fold(model, { at, kind: 'idea', idea: 'a-1', title: 'Do a-1', status: 'failed', reason: 'no' });
  fold(model, { at, kind: 'run', state: 'stopped', landed: 0, total: 3 });
  return { model, file };
}

it('C3: the report, show, the screen and the dry run leave it out alike, until somebody unticks it', async () => {
  const { model, file } = await over();
  await writeFile(join(repo.root, 'roadmap.md'), roadmap('a-1', 'b-1'));
  expect(await takeForNext(root, model, file)).toBe(true);
  model.events += 1;
  const { order, todo } = await orderOf(contextOf(), await planRun(contextOf(), {}, { agents: false }));
  expect([order.map(({ id }) => id), todo, model.counts.todo]).toEqual([['c-1'], 1, 1]);

  const report = makeReport(model, { now: 0, zone: 'UTC', over: true });
  // The run ended with three open ideas; what a person did since is told beside that.
  expect(report.counts.open).toBe(3);
  expect(report.todo.map(({ subject, text }) => [subject, text])).toEqual([
    ['the rest', '1 idea did not run or did not finish: c-1'],
  ]);
  for (const text of [textReport(report).join('\n'), markdownReport(report).replaceAll('\\', '')])
    expect(text).toContain('since then: a-1, b-1 ticked in roadmap.md');
  const said = 'roadmap.md has it ticked, so no start runs it without --again';
  for (const id of ['a-1', 'b-1']) {
    const idea = model.ideas.get(id) ?? expect.fail(id);
    expect(showText({ model, idea, now: 0, commands: [], others: [] }).join('\n')).toContain(said);
  }
  const ui = { ...initialUi(), screen: 'ideas' as const };
  const { lines } = compose(model, ui, noDetails(), { columns: 120, rows: 40 }, { colour: true, ascii: false }, 0);
  expect(report.open.map(({ idea, state }) => [idea, state])).toEqual([
    ['a-1', 'failed'],
    ['b-1', 'skipped'],
    ['c-1', 'ready'],
  ]);
  const rows = lines.map(plainLine).join('\n');
  for (const row of [
    /✗ a-1 .*roadmap\.md has it ticked.* failed/,
    /⊘ b-1 .*roadmap\.md has it ticked.* skipped/,
    /◦ c-1 .* ready/,
  ])
    expect(rows).toMatch(row);

  await writeFile(join(repo.root, 'roadmap.md'), roadmap('b-1'));
  expect(await takeForNext(root, model, file)).toBe(true);
  expect([model.counts.needYou, model.ideas.get('a-1')?.lineGone]).toEqual([1, undefined]);
});

it('C2: a tick says nothing of an older run, of what landed, and of what left the target', async () => {
  const { model, file } = await over();
  await writeFile(join(repo.root, 'roadmap.md'), roadmap('a-1', 'b-1', 'c-1'));
  expect(await takeLines(root, model, file, { ticks: false })).toBe(false);
  const [a, b] = [model.ideas.get('a-1'), model.ideas.get('b-1')];
  if (!a || !b) throw new Error('no idea');
  a.status = 'landed';
  b.off = { text: 'it was reset', landed: 'abc', command: 'ralphctl start' };
  expect(await takeLines(root, model, { ...file, again: ['c-1'] })).toBe(false);
  expect(await takeLines(root, model, file)).toBe(true);
  expect([...model.ideas.values()].map(({ id, lineGone }) => [id, lineGone?.ticked])).toEqual([
    ['a-1', undefined],
    ['b-1', undefined],
    ['c-1', true],
  ]);
});

it('G4: of what was ticked before the run began, no page says that it landed', async () => {
  await writeFile(join(repo.root, 'roadmap.md'), roadmap('b-1'));
  const { model } = await over();
  const idea = model.ideas.get('b-1') ?? expect.fail('no idea');
  const text = 'the backlog had it ticked before this run';
  expect(showText({ model, idea, now: 0, commands: [], others: [] }).join('\n')).toContain(text);
  const ui = { ...initialUi(), screen: 'idea' as const, idea: 'b-1', tab: 'timeline' as const };
  const { lines } = compose(model, ui, noDetails(), { columns: 80, rows: 40 }, { colour: true, ascii: false }, 0);
  const page = lines.map(plainLine).join('\n');
  expect(page).toContain(text);
  expect(page).not.toContain('it landed before');
});
