/** A stopped worker does not concern a run that is over. Features: C6. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isOver } from '../../../src/client/open-run/over.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

const runId = '20260101-000000-aaaa';
let repo: TestRepo;
let project: string;
const root = () => join(repo.scratch, 'state');
const noServer = (): Promise<never> => Promise.reject(new Error('no server'));
const tell = async (...states: ('running' | 'completed')[]) => {
  const events = new EventWriter(root(), () => {});
  for (const state of states) events.write({ project, runId }, { kind: 'run', state, landed: 0, total: 1 }, 1000);
  await events.flush();
};

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '- [ ] **a-1**: Do it\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  const context = { cwd: repo.root, root: root(), cacheRoot: repo.scratch, env: process.env, json: true };
  const plan = await planRun(context, {});
  project = plan.project.id;
  await writeRun(root(), runFile(plan, runId), plan.ideas);
});
afterEach(() => repo.remove());

it('the server says whether the run is over, and without a server its files do', async () => {
  await tell('running');
  expect(await isOver(() => Promise.resolve({ open: true }), root(), project)).toBe(false);
  expect(await isOver(() => Promise.resolve({ open: false }), root(), project)).toBe(true);
  expect(await isOver(noServer, root(), project)).toBe(false);
  await tell('completed');
  expect(await isOver(noServer, root(), project)).toBe(true);
  // Somebody has started the next run.
  expect(await isOver(() => Promise.resolve({ open: true }), root(), project)).toBe(false);
});
