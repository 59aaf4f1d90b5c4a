/** What is next after a run stands in the order in which the next start takes it. Features: A2 C3 G8. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstOrder } from '../../../src/client/model/first-order.js';
import { takeForNext } from '../../../src/client/model/for-next.js';
import { backlogReads } from '../../../src/client/plan/next-backlog.js';
import { orderOf } from '../../../src/client/plan/order.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { fold } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { makeReport } from '../../../src/report/build.js';
import { keep } from '../../../src/run-files/kept.js';
import { emptyModel } from '../../../src/run-files/read-model.js';
import { writeRun } from '../../../src/run-files/run.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { commitFiles, makeRepo, type TestRepo } from '../git/repo.js';

const ROADMAP = `# R

- [ ] **plain-1**: Do plain-1
- [ ] **waits-1**: Do waits-1
  - depends: quick-1
- [ ] **quick-1**: Do quick-1
  - tags: quick-win
- [ ] **last-1**: Do last-1
- [ ] **over-1**: Do over-1
- [ ] **again-1**: Do again-1
- [ ] **first-1**: Do first-1
`;

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'ralphctl.yaml': 'version: 1\nagent: scripted\nbacklog: roadmap.md\n',
    'roadmap.md': ROADMAP,
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

/** A run that is on disk, and in which nothing has happened. */
async function written() {
  const root = join(repo.scratch, 'state');
  const context = { cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false };
  const plan = await planRun(context, {}, { agents: false });
  const file = runFile(plan, '20260101-000000-aaaa');
  await writeRun(root, file, plan.ideas);
  const { model } = (await emptyModel(root, { project: file.project, runId: file.runId })) ?? expect.fail('no run');
  return { root, context, plan, file, model };
}

it('Next, the report and the dry run have one order, which is that of the scores', async () => {
  const root = join(repo.scratch, 'state');
  const context = { cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false };
  const plan = await planRun(context, {}, { agents: false });
  const file = runFile(plan, '20260101-000000-aaaa');
  const ref = { project: file.project, runId: file.runId };
  await writeRun(root, file, plan.ideas);
  const { model } = (await emptyModel(root, ref)) ?? expect.fail('no run');
  const at = '2026-01-01T00:00:00.000Z';
  const ideas = plan.ideas.length;
  fold(model, { at, kind: 'run', state: 'running', landed: 0, total: ideas });
  fold(model, { at, kind: 'idea', idea: 'over-1', title: 'over', status: 'landed', commit: 'abc' });
  fold(model, { at, kind: 'idea', idea: 'again-1', title: 'again', status: 'failed' });
  fold(model, { at, kind: 'run', state: 'stopped', landed: 1, total: ideas });
  const said = { at };
  await keep(root, file.project, 'first-1', { ...said, verb: 'bump' });
  await keep(root, file.project, 'last-1', { ...said, verb: 'score', n: -50 });
  await keep(root, file.project, 'again-1', { ...said, verb: 'retry' });
  await keep(root, file.project, 'plain-1', { ...said, verb: 'retry' });
  expect(await takeForNext(root, model)).toBe(true);
  model.events += 1;

  // The landing is on the target, as the run left it.
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: over-1');
  const { order, todo } = await orderOf(context, await planRun(context, {}, { agents: false }));
  const dry = order.map(({ id }) => id);
  expect(dry[0]).toBe('first-1');
  expect(dry.indexOf('quick-1')).toBeLessThan(dry.indexOf('plain-1'));
  expect(dry.slice(-2)).toEqual(['last-1', 'waits-1']);
  expect(dry).not.toEqual(plan.ideas.map(({ id }) => id).filter((id) => id !== 'over-1'));
  expect(todo).toBe(dry.length);

  expect(model.nextOrder).toEqual(dry);
  expect(listsOf(model).ready).toEqual(dry.filter((id) => id !== 'waits-1'));
  const report = makeReport(model, { now: Date.parse(at), zone: 'UTC', over: true });
  const text = report.todo.find(({ subject }) => subject === 'the rest')?.text ?? '';
  const queued = new Set(['again-1', 'plain-1']);
  expect(text).toContain(`for the next start: ${dry.filter((id) => queued.has(id)).join(', ')}.`);
  expect(text).toContain(`did not finish: ${dry.filter((id) => !queued.has(id)).join(', ')}`);
  expect(await takeForNext(root, model)).toBe(false);
  // A later command changes it.
  await keep(root, file.project, 'last-1', { ...said, verb: 'score', n: 2_000_000 });
  expect(await takeForNext(root, model)).toBe(true);
  expect(model.nextOrder?.[0]).toBe('last-1');
});

it('A2 G4: before its worker has answered, a run that has just begun has the order of its start', async () => {
  const { root, context, plan, model } = await written();
  fold(model, { at: '2026-01-01T00:00:00.000Z', kind: 'run', state: 'running', landed: 0, total: 7 });
  const dry = (await orderOf(context, plan)).order.map(({ id }) => id).filter((id) => id !== 'waits-1');
  await firstOrder(root, model);
  expect(listsOf(model).ready).toEqual(dry);
  expect(dry[0]).toBe('quick-1');
  // What the worker tells counts.
  model.live = { at: 1, state: 'running', next: ['last-1'] };
  expect(listsOf(model).ready[0]).toBe('last-1');
});

it('A2 G4: with thousands of ideas, too: the best of those that are ready, from the files alone', async () => {
  const root = join(repo.scratch, 'state');
  const many = Array.from({ length: 3000 }, (_, at) => `- [ ] **many-${at}**: Do number ${at}`);
  await commitFiles(
    repo.root,
    { 'roadmap.md': `# R\n\n${many.join('\n')}\n- [ ] **best-1**: Do this first\n` },
    'chore: many',
  );
  const context = { cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false };
  const plan = await planRun(context, {}, { agents: false });
  const file = runFile(plan, '20260101-000000-bbbb');
  await keep(root, file.project, 'best-1', { verb: 'bump', at: '2026-01-01T00:00:00.000Z' });
  await keep(root, file.project, 'many-2000', { verb: 'score', n: 900, at: '2026-01-01T00:00:00.000Z' });
  await writeRun(root, file, plan.ideas);
  const { model } = (await emptyModel(root, { project: file.project, runId: file.runId })) ?? expect.fail('no run');
  const at = '2026-01-01T00:00:00.000Z';
  fold(model, { at, kind: 'run', state: 'running', landed: 0, total: plan.ideas.length });
  expect(model.order.length).toBeGreaterThan(3000);
  await firstOrder(root, model);
  expect(listsOf(model).ready.slice(0, 3)).toEqual(['best-1', 'many-2000', 'many-0']);
  expect(listsOf(model).ready).toHaveLength(3001);
});

it('C2: what depends on an idea that stays out is counted and named as waiting', async () => {
  const root = join(repo.scratch, 'state');
  const context = { cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false };
  const plan = await planRun(context, {}, { agents: false });
  await keep(root, plan.project.id, 'quick-1', { verb: 'rollback', at: '2026-01-01T00:00:00.000Z' });
  const { order, todo, waits } = await orderOf(context, plan);
  expect(waits).toEqual([{ id: 'waits-1', for: ['quick-1'] }]);
  expect(order.map(({ id }) => id)).not.toContain('waits-1');
  expect(order.length + waits.length).toBe(todo);
});

it('A2 C2: after a change of the backlog or the configuration, Next has the ideas and the order of a dry run', async () => {
  const { root, context, plan, file, model } = await written();
  const at = '2026-01-01T00:00:00.000Z';
  fold(model, { at, kind: 'run', state: 'running', landed: 0, total: plan.ideas.length });
  fold(model, { at, kind: 'run', state: 'stopped', landed: 0, total: plan.ideas.length });
  const take = async (): Promise<boolean> => {
    const changed = await takeForNext(root, model, file);
    if (changed) model.events += 1;
    return changed;
  };
  const dry = async () => {
    const { order, waits } = await orderOf(context, await planRun(context, {}, { agents: false }));
    const first = order.filter(({ round }) => round === 1).map(({ id }) => id);
    return { ids: [...order, ...waits].map(({ id }) => id), first };
  };
  await take();
  expect(model.nextOrder).toEqual((await dry()).ids);

  // A new idea, one that waits for it, a changed order, one that a person ticked, and one that is gone.
  const changed = ROADMAP.replace('- [ ] **over-1**: Do over-1\n', '')
    .replace('- [ ] **again-1**', '- [x] **again-1**')
    .replace('- [ ] **last-1**: Do last-1', '- [ ] **last-1**: Do last-1\n  - depends: new-1')
    .replace('  - depends: quick-1\n', '');
  await writeFile(join(repo.root, 'roadmap.md'), `${changed}- [ ] **new-1**: Do something new\n  - priority: 50\n`);
  expect(await take()).toBe(true);
  const now = await dry();
  expect(now.ids).toContain('new-1');
  expect(model.nextOrder).toEqual(now.ids);
  expect(listsOf(model).ready).toEqual(now.first);
  expect(listsOf(model).waiting).toEqual([{ id: 'last-1', after: 'new-1' }]);
  for (const [columns, rows] of [
    [120, 40],
    [80, 24],
  ] as const)
    expect(screenText(model, columns, rows)).toContain('new-1');
  expect(screenText(model, 120, 40)).toContain('Do something new');

  // Unchanged files are not read again.
  const reads = backlogReads();
  for (let look = 0; look < 5; look += 1) expect(await take()).toBe(false);
  expect(backlogReads()).toBe(reads);

  const yaml = 'version: 1\nagent: scripted\nbacklog: roadmap.md\nweights:\n  quickWin: -500\n';
  await writeFile(join(repo.root, 'ralphctl.yaml'), yaml);
  await take();
  expect(model.nextOrder).toEqual((await dry()).ids);
  expect(listsOf(model).ready.at(-1)).toBe('quick-1');
});

function screenText(model: RunModel, columns: number, rows: number): string {
  const theme = { colour: false, ascii: false };
  return compose(model, initialUi(), noDetails(), { columns, rows }, theme, Date.parse('2026-01-01T00:01:00Z'))
    .lines.map(plainLine)
    .join('\n');
}
