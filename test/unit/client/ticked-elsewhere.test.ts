/** What is only ticked has not landed on the target: no view counts it as landed there. Features: A4 A8 C1 G1 G4 G5 G9. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { recordedRun } from '../../../src/client/views/recorded.js';
import { Autopilot, firstState } from '../../../src/decide/run/autopilot.js';
import { runDetails } from '../../../src/decide/views/details.js';
import { runStatus, runSummary } from '../../../src/decide/views/status.js';
import { openRun } from '../../../src/jobs/open-run.js';
import { outcomeOf, outcomeOfStatus, outcomeOfSummary } from '../../../src/model/at-end.js';
import { fold } from '../../../src/model/fold.js';
import { makeReport } from '../../../src/report/build.js';
import { emptyModel } from '../../../src/run-files/read-model.js';
import { writeRun } from '../../../src/run-files/run.js';
import { settingsOf } from '../../../src/run-files/settings.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

const BACKLOG = '- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n- [ ] **a-3**: Do that\n- [ ] **a-4**: Do this\n';
const TICKED = BACKLOG.replace('[ ] **a-1', '[x] **a-1').replace('[ ] **a-2', '[x] **a-2');
const AT = '2026-01-01T00:00:00.000Z';
let repo: TestRepo;
const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: false },
});

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': BACKLOG,
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  // a-1 lands on both branches, a-2 on main alone.
  await commitFiles(repo.root, { 'a-1.txt': '1\n' }, 'feat: a-1\n\nRalph-Idea: a-1');
  await sh(repo.root, 'branch', 'other');
  await commitFiles(repo.root, { 'a-2.txt': '2\n', 'roadmap.md': TICKED }, 'feat: a-2\n\nRalph-Idea: a-2');
});
afterEach(() => repo.remove());

/** A run onto that branch, as its job opens it. */
async function opened(target: string) {
  const { root, env } = context();
  const plan = await planRun(context(), { target });
  const file = runFile(plan, '20260101-000000-aaaa');
  const ref = { project: file.project, runId: file.runId };
  await writeRun(root, file, plan.ideas);
  const result = await openRun({ root, host: 'here', env } as Parameters<typeof openRun>[0], ref);
  const settings = settingsOf(plan.config);
  const pilot = new Autopilot(firstState(result, settings, 0), settings);
  const status = runStatus(ref, pilot.state, settings, pilot.graph, 1000);
  const model = async () => {
    const { model: found } = (await emptyModel(root, ref)) ?? expect.fail('no run');
    fold(found, {
      ...{ at: AT, kind: 'run', state: 'running' },
      ...{ landed: status.counts.landed, total: status.total, ticked: result.ticked ?? [] },
    });
    return found;
  };
  return { root, ref, result, pilot, status, model };
}

it('A8 C1 G9: an idea that is ticked for another branch counts in no number of the run', async () => {
  const { result, pilot, status, model } = await opened('other');
  expect(result).toMatchObject({ landed: ['a-1', 'a-2'], ticked: ['a-2'] });
  expect(status).toMatchObject({ counts: { landed: 1, pending: 2 }, landedBefore: 1, total: 3 });
  expect(runDetails(status)).toContain('0 landed on `other` in this run (1 of 3 in all)');
  const outcome = { landed: 1, landedBefore: 1, gone: 0, open: 2, leftOut: 0 };
  expect(outcomeOfStatus(status)).toEqual(outcome);
  expect(outcomeOfSummary(runSummary('completed', pilot.state.entries, status))).toEqual(outcome);
  const found = await model();
  expect(outcomeOf(found)).toEqual(outcome);
  expect(found.counts).toMatchObject({ total: 3, landed: 1, todo: 2 });
  const report = makeReport(found, { now: Date.parse(AT), zone: 'UTC', over: false });
  expect(report.counts).toMatchObject({ landed: 0, landedBefore: 1, open: 2 });
  const size = { columns: 80, rows: 40 };
  const theme = { colour: true, ascii: false };
  const { lines } = compose(found, initialUi(), noDetails(), size, theme, Date.parse(AT));
  expect(lines.map(plainLine).join('\n')).toMatch(/ 1 landed in all .* of 3/);
  // It still needs no work, and what depends on it may start.
  expect(pilot.graph.isDone('a-2')).toBe(true);
});

it('A8 C1: on the branch that has it, it counts', async () => {
  const { result, status, model } = await opened('main');
  expect(result.ticked).toBeUndefined();
  expect(status).toMatchObject({ counts: { landed: 2, pending: 2 }, landedBefore: 2, total: 4 });
  expect(outcomeOf(await model())).toMatchObject({ landed: 2, landedBefore: 2, open: 2 });
  // What takes it off the target later does not change what the run began with.
  await sh(repo.root, 'revert', '--no-edit', 'HEAD');
  await commitFiles(repo.root, { 'roadmap.md': TICKED }, 'ticked by hand');
  expect((await model()).counts).toMatchObject({ total: 4, landed: 2 });
});

it('A8 G1: the status without a server has the same numbers', async () => {
  const { root, ref } = await opened('other');
  const recorded = (await recordedRun(root, ref.project, ref.runId)) ?? expect.fail('no run');
  const { settings, state, graph } = recorded;
  expect(runStatus(ref, state, settings, graph, 1000)).toMatchObject({ total: 3, landedBefore: 1 });
});
