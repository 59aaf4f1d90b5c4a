/** The report of an older run keeps the size of a branch on which a newer run has worked. Features: A8 G6. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { gather } from '../../../src/client/report/gather.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, makeRepo, type TestRepo } from '../git/repo.js';

const OLD = '20260101-000000-aaaa';
const NEW = '20260102-000000-bbbb';
let repo: TestRepo;
const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: true },
});

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '- [ ] **i-1**: Do it\n- [ ] **i-2**: Do that\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

/** A run that stopped after an agent run of each of these ideas, with a commit. */
async function ran(runId: string, ...ideas: string[]): Promise<void> {
  const { root } = context();
  const plan = await planRun(context(), {});
  const ref = { project: plan.project.id, runId };
  await writeRun(root, runFile(plan, runId), plan.ideas);
  const of = async (idea: string): Promise<RunEvent[]> => {
    const { path } = await worktreeOf(repo, idea);
    await commitFiles(path, { [`${idea}-${runId}.txt`]: 'x\n' }, 'step');
    return [
      { kind: 'idea', idea, title: idea, status: 'running' },
      { kind: 'iteration', idea, serial: 1, iteration: 1, max: 5, agentName: 'ed-001' },
      {
        ...{ kind: 'iteration-end', idea, serial: 1, iteration: 1, durationMs: 1, commits: 1, outcome: 'ok' },
        signal: { kind: 'progress', percent: 40 },
      },
      { kind: 'idea', idea, title: idea, status: 'pending' },
    ];
  };
  const told: RunEvent[] = [{ kind: 'run', state: 'running', landed: 0, total: 2 }];
  for (const idea of ideas) told.push(...(await of(idea)));
  told.push({ kind: 'run', state: 'stopped', landed: 0, total: 2 });
  const writer = new EventWriter(root, () => {});
  for (const [at, event] of told.entries()) writer.write(ref, event, Date.parse('2026-01-01T00:00:00Z') + at);
  await writer.flush();
}

async function commitsIn(runId: string) {
  const { id } = (await planRun(context(), {})).project;
  const { model, extra } = (await gather(context(), { project: id, runId })) ?? expect.fail('no run');
  return Object.fromEntries(makeReport(model, extra).open.map(({ idea, commits }) => [idea, commits]));
}

it('G6: an older run has its own number of commits, and the newest one what the branch has', async () => {
  await ran(OLD, 'i-1', 'i-2');
  expect(await commitsIn(OLD)).toEqual({ 'i-1': 1, 'i-2': 1 });
  await ran(NEW, 'i-1');
  expect(await commitsIn(OLD)).toEqual({ 'i-1': 1, 'i-2': 1 });
  expect((await commitsIn(NEW))['i-1']).toBe(2);
});
