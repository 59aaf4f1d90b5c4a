/** What landed on one target is not missing on another: `runs` after the target was changed. Features: C1 C5. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { historyRuns } from '../../../src/client/report/history.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { runsText } from '../../../src/report/history.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned } from './told-run.js';

const BACKLOG = '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n';
let repo: TestRepo;
let project: string;
const context = () => contextOf(repo, false);
const git = async (...args: string[]): Promise<string> => (await sh(repo.root, ...args)).trim();

async function tell(runId: string, ...told: RunEvent[]): Promise<void> {
  const path = eventsPath(context().root, { project, runId });
  await mkdir(dirname(path), { recursive: true });
  const at = new Date(1000).toISOString();
  await writeFile(path, told.map((one) => `${JSON.stringify({ at, ...one })}\n`).join(''));
}

/** A run that landed this idea on its target. */
async function ran(runId: string, target: string, id: string): Promise<void> {
  project = await planned(context(), { runId, target });
  await git('checkout', '-q', target);
  const commit = await commitFiles(repo.root, { [`${id}.txt`]: `${id}\n` }, `feat: ${id}\n\nRalph-Idea: ${id}`);
  await git('update-ref', `refs/ralphctl/landing/${id}`, 'HEAD');
  await tell(
    runId,
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', idea: id, title: id, status: 'landed', commit },
    { kind: 'run', state: 'stopped', landed: 1, total: 2 },
  );
}

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': BACKLOG,
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  await git('branch', 'next');
  await ran('20260101-000000-aaaa', 'main', 'a-1');
  await ran('20260102-000000-bbbb', 'next', 'a-2');
});
afterEach(() => repo.remove());

const text = async (): Promise<string> =>
  runsText({ name: 'shop', ...(await historyRuns(context(), project)) }, 0).join('\n');

it('C1 C5: ideas that landed on the target before count as landed there, and nothing was reset', async () => {
  const { runs } = await historyRuns(context(), project);
  expect(runs.map(({ runId, landed, on, gone }) => ({ runId, landed, on, gone }))).toEqual([
    { runId: '20260102-000000-bbbb', landed: 1, on: undefined, gone: undefined },
    { runId: '20260101-000000-aaaa', landed: 1, on: 'main', gone: undefined },
  ]);
  expect(await text()).not.toMatch(/reset or rewritten|no longer on the target/);
  expect(await text()).toMatch(/stopped, landed on main/);
});

it('C1 C5: what leaves either target is told of that one, with the start that runs it there', async () => {
  await git('branch', '-f', 'main', repo.base);
  expect(await text()).toMatch(
    /a-1 landed as \w{8}, which main does not contain any more: it was reset or rewritten\..*ralphctl start --target main --again a-1/,
  );
  expect(await text()).not.toContain('a-2 landed');
  await git('branch', '-D', 'main');
  expect(await text()).not.toContain('main does not');
  await git('branch', 'main', repo.base);
  await git('reset', '-q', '--hard', repo.base);
  expect(await text()).toMatch(/a-2 landed as \w{8}, which next does not contain any more/);
});

it('C2: a rollback is no task of an older run once the idea ran again and ended in another way', async () => {
  await git('reset', '-q', '--hard', repo.base);
  expect(await text()).toMatch(/a-2 landed as \w{8}, which next does not contain any more/);
  const plan = await planRun(context(), { target: 'next' });
  await writeRun(context().root, runFile(plan, '20260103-000000-cccc'), plan.ideas);
  await tell(
    '20260103-000000-cccc',
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', idea: 'a-2', title: 'a-2', status: 'running', agentName: 'ed-001' },
    { kind: 'iteration', idea: 'a-2', serial: 1, iteration: 1, max: 3, agentName: 'ed-001' },
    { kind: 'idea', idea: 'a-2', title: 'a-2', status: 'failed', reason: 'it broke' },
    { kind: 'run', state: 'stopped', landed: 0, total: 2 },
  );
  expect(await text()).not.toContain('a-2 landed as');
  expect(await text()).toMatch(/a-2 .*failed/);
});
