/** What is next after a run stands in the order in which the next start takes it. Features: A2 C3 G8. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeForNext } from '../../../src/client/model/for-next.js';
import { orderOf } from '../../../src/client/plan/order.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { fold } from '../../../src/model/fold.js';
import { makeReport } from '../../../src/report/build.js';
import { keep } from '../../../src/run-files/kept.js';
import { emptyModel } from '../../../src/run-files/read-model.js';
import { writeRun } from '../../../src/run-files/run.js';
import { listsOf } from '../../../src/screen/lists.js';
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
