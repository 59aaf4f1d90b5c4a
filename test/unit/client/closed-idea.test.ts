/** Commands about ideas while no run is open, and a backlog that cannot be read. Features: C2 C5. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { ideaOfNextRun } from '../../../src/client/after-run/amend.js';
import { type Closed, withClosed } from '../../../src/client/after-run/closed.js';
import { findProject } from '../../../src/client/context.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { keptHints } from '../../../src/run-files/kept.js';
import { writeRun } from '../../../src/run-files/run.js';
import { commitFiles, makeRepo, put, type TestRepo } from '../git/repo.js';

const runId = '20260101-000000-aaaa';
let repo: TestRepo;
let project: string;
const context = () => ({
  cwd: repo.root,
  root: join(repo.scratch, 'state'),
  cacheRoot: repo.scratch,
  env: process.env,
  json: false,
});
const noRun = () => Promise.resolve(false);

beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
  const files = {
    '.ralph-script.yaml': 'default: []\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n',
  };
  await commitFiles(repo.root, files, 'plan');
  project = (await findProject(context())).id;
  const plan = await planRun(context(), {});
  const { root } = context();
  await writeRun(root, runFile(plan, runId), plan.ideas);
  const told: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'run', state: 'stopped', landed: 0, total: 2 },
  ];
  const events = eventsPath(root, { project, runId });
  await mkdir(dirname(events), { recursive: true });
  const at = new Date(1000).toISOString();
  await writeFile(events, told.map((event) => `${JSON.stringify({ at, ...event })}\n`).join(''));
});
afterEach(() => repo.remove());

it('C5: a command about an idea of the last run does not read the backlog, which may be a tracker that is down', async () => {
  let read = 0;
  const counted = (closed: Closed): Closed => ({
    ...closed,
    plan: () => {
      read += 1;
      return closed.plan();
    },
  });
  const hint = (idea: string) =>
    withClosed(context(), project, noRun, (closed) =>
      actWithoutRun(counted(closed), { verb: 'hint', idea, text: 'look at x' }),
    );
  expect(await hint('a-1')).toContain('a-1 gets your text');
  expect(await keptHints(context().root, project, 'a-1')).toEqual(['look at x']);
  expect(read).toBe(0);
  // An id that the run did not have can be in the backlog.
  await expect(hint('a-9')).rejects.toThrow('there is no idea a-9');
  expect(read).toBe(1);
});

it('C2: edit and split say why the backlog cannot be read, and not that it lacks the idea', async () => {
  const amend = () => withClosed(context(), project, noRun, (closed) => ideaOfNextRun(closed, 'a-1', 'edit'));
  expect((await amend()).title).toBe('Do it');
  await put(repo.root, { 'roadmap.md': '# R\n\n- [ ] **a-2**: Do it too\n' });
  await expect(amend()).rejects.toThrow('the backlog no longer has a-1');
  await put(repo.root, { 'roadmap.md': '# R\n' });
  await expect(amend()).rejects.toThrow('roadmap.md');
});
