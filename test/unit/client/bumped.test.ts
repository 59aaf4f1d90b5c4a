/** A first place and points of a person between runs: in the score of `why` and of a dry run. Features: A2 C4. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { showPlan } from '../../../src/client/open-run/dry-run.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { IdeaReport } from '../../../src/client/views/idea-report.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { printed } from '../../support/printed.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

const runId = '20260101-000000-aaaa';
let repo: TestRepo;
const context = (json: boolean) => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json },
});

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '- [ ] **i-1**: Do it\n- [ ] **i-2**: Do that\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  const { root } = context(true);
  const plan = await planRun(context(true), {});
  const ref = { project: plan.project.id, runId };
  await writeRun(root, runFile(plan, runId), plan.ideas);
  const writer = new EventWriter(root, () => {});
  writer.write(ref, { kind: 'run', state: 'running', landed: 0, total: 2 }, 1000);
  writer.write(ref, { kind: 'run', state: 'stopped', landed: 0, total: 2 }, 1001);
  await writer.flush();
  const say = (command: { verb: 'bump' } | { verb: 'score'; n: number }) =>
    withClosed(
      context(true),
      plan.project.id,
      () => Promise.resolve(false),
      (closed) => actWithoutRun(closed, { ...command, idea: 'i-2' }),
    );
  await say({ verb: 'bump' });
  await say({ verb: 'score', n: 5 });
});
afterEach(() => repo.remove());

it('A2: a dry run says that it is bumped, and shows the score without the place', async () => {
  const text = await printed(() => showPlan(context(false), {}));
  expect(text).toContain('  1  i-2  Do that  [scripted, bumped, score 5]\n');
  expect(text).toContain('  1  i-1  Do it  [scripted, score 0]\n');
  const { order } = JSON.parse(await printed(() => showPlan(context(true), {}))) as { order: object[] };
  expect(order).toMatchObject([
    { id: 'i-2', score: 1_000_005, first: 1_000_000 },
    { id: 'i-1', score: 0 },
  ]);
  expect(order[1]).not.toHaveProperty('first');
});

it('A2: why has both, of the next start', async () => {
  const report = JSON.parse(await printed(() => why(context(true), 'i-2'))) as IdeaReport;
  expect(report.parts).toEqual([
    { label: 'bumped, with the next start', value: 1_000_000 },
    { label: 'set by a person, with the next start', value: 5 },
  ]);
  expect(report.score).toBe(1_000_005);
  const other = JSON.parse(await printed(() => why(context(true), 'i-1'))) as IdeaReport;
  expect(other).toMatchObject({ parts: [], score: 0 });
});
