/** Commands about ideas while no run is open, and a backlog that cannot be read. Features: C2 C5. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { amendWithoutRun, ideaOfNextRun } from '../../../src/client/after-run/amend.js';
import { assertOver, type Closed, withClosed } from '../../../src/client/after-run/closed.js';
import { findProject } from '../../../src/client/context.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { projectDir } from '../../../src/config/paths.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EXIT, UserError } from '../../../src/protocol/user-error.js';
import type { AmendedFields } from '../../../src/run-files/amendments.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { keep, keptHints } from '../../../src/run-files/kept.js';
import { writeRun } from '../../../src/run-files/run.js';
import { makeRepo, put, sh, type TestRepo } from '../git/repo.js';
import { plannedRepo } from './planned-repo.js';

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
  repo = await plannedRepo();
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

it('C2: an idea that was split takes no command, and a damaged split keeps none from the other ideas', async () => {
  const act = (...verbs: ('retry' | 'bump' | 'score')[]) =>
    withClosed(context(), project, noRun, async (closed) => {
      const done: string[] = [];
      for (const verb of verbs) done.push(await actWithoutRun(closed, { verb, idea: 'a-1', n: 5 }));
      return done;
    });
  const file = join(projectDir(context().root, project), 'amendments', 'a-2.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"version":1,"idea":');
  expect(await act('bump', 'score')).toEqual([
    expect.stringContaining('a-1 is ahead'),
    expect.stringContaining('a-1 has 5 points'),
  ]);
  await rm(file);
  const idea = await withClosed(context(), project, noRun, (closed) => ideaOfNextRun(closed, 'a-1', 'split'));
  const part = (n: number) => ({ ...idea, id: `a-1-${n}`, title: `Part ${n}`, parent: 'a-1' });
  const change = { parts: [part(1), part(2)] };
  await withClosed(context(), project, noRun, (closed) => amendWithoutRun(closed, idea, { verb: 'split', change }));
  for (const verb of ['bump', 'score'] as const) await expect(act(verb)).rejects.toThrow('a-1 is an epic');
});

it('B10: a single attempt gets no more iterations, unless the backlog now gives it more than one', async () => {
  const more = () =>
    withClosed(context(), project, noRun, (closed) => actWithoutRun(closed, { verb: 'limit', idea: 'a-1', n: 5 }));
  await expect(more()).rejects.toThrow(
    'a-1 has a single attempt (ralph: false), so more iterations do not help it. For a longer agent run: ralphctl edit a-1 --iteration-timeout MINUTES',
  );
  await put(repo.root, { 'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n  - ralph: true\n- [ ] **a-2**: Do it too\n' });
  expect(await more()).toContain('a-1 may use 5 more iterations');
});

it('B10 C3: an edit of the iterations of a single attempt is refused, and its other limits change', async () => {
  const change = (fields: AmendedFields) =>
    withClosed(context(), project, noRun, async (closed) =>
      amendWithoutRun(closed, await ideaOfNextRun(closed, 'a-1', 'edit'), { verb: 'edit', change: { fields } }),
    );
  await expect(change({ maxIterations: 9 })).rejects.toThrow(
    'a-1 has a single attempt (ralph: false), so more iterations do not help it. For a longer agent run: ralphctl edit a-1 --iteration-timeout MINUTES. The idea is unchanged',
  );
  expect(await change({ iterationTimeoutMinutes: 9 })).toBe(0);
  await put(repo.root, { 'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n  - ralph: true\n' });
  expect(await change({ maxIterations: 9 })).toBe(0);
});

it('C5 G8: the folder of a start that failed is no open run, also while no server answers', async () => {
  const { root } = context();
  const down = new UserError('no server', EXIT.unreachable);
  const plan = await planRun(context(), {});
  const failed = { project, runId: '20260102-000000-bbbb' };
  await writeRun(root, runFile(plan, failed.runId), plan.ideas);
  await assertOver(context(), project, down);
  const found = await withClosed(context(), project, noRun, ({ recorded }) =>
    Promise.resolve(recorded?.run.file.runId),
  );
  expect(found).toBe(runId);
  const at = new Date(2000).toISOString();
  await mkdir(dirname(eventsPath(root, failed)), { recursive: true });
  await writeFile(
    eventsPath(root, failed),
    `${JSON.stringify({ at, kind: 'run', state: 'running', landed: 0, total: 2 })}\n`,
  );
  await expect(assertOver(context(), project, down)).rejects.toBe(down);
});

it('C2: without any run, a command says why none can start, as start does', async () => {
  const bare = await makeRepo({ 'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n', 'ralphctl.yaml': 'version: 1\n' });
  try {
    await sh(bare.root, 'checkout', '-q', '--detach');
    const about = { ...context(), cwd: bare.root, root: join(bare.scratch, 'state') };
    const { id } = await findProject(about);
    const bump = withClosed(about, id, noRun, (closed) => actWithoutRun(closed, { verb: 'bump', idea: 'a-1' }));
    await expect(bump).rejects.toMatchObject({
      message: expect.stringMatching(/^no run is open .*none can start: no branch is checked out.*--target main$/),
      exitCode: EXIT.noRun,
    });
  } finally {
    await bare.remove();
  }
});

it('C2: a retry names what it depends on and the next start leaves out', async () => {
  await keep(context().root, project, 'a-1', { verb: 'rollback', at: new Date(2000).toISOString() });
  const done = await withClosed(context(), project, noRun, (closed) => {
    const { ideas } = closed.recorded?.model ?? expect.fail('no run');
    const [out, one] = [ideas.get('a-1') ?? expect.fail('no a-1'), ideas.get('a-2') ?? expect.fail('no a-2')];
    one.dependsOn = ['a-1'];
    one.status = 'failed';
    out.forNext = { leftOut: true, rolledBack: true, words: [] };
    return actWithoutRun(closed, { verb: 'retry', idea: 'a-2' });
  });
  expect(done).toContain('It waits for a-1, which the next start leaves out until: ralphctl retry a-1. Then a start');
});
