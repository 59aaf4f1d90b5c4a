/** Ideas that still work for a run that somebody terminated: said in status, and ended only where a person agrees. Features: C2 C5. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { type Closed, withClosed } from '../../../src/client/after-run/closed.js';
import { LeftWork } from '../../../src/client/after-run/left-work.js';
import { endLeft, type LeftWorking, leftWorking } from '../../../src/client/api/left-working.js';
import { resetClosed } from '../../../src/client/commands/recover/reset.js';
import { findProject } from '../../../src/client/context.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { endedHereLines, leftLines } from '../../../src/client/views/left-working-lines.js';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { localTime } from '../../../src/client/views/terminal.js';
import { worktreesDir } from '../../../src/config/paths.js';
import { ensureWorktree } from '../../../src/git/worktrees/ensure.js';
import { fold, newModel } from '../../../src/model/fold.js';
import { ABORT } from '../../../src/protocol/names.js';
import { EXIT } from '../../../src/protocol/user-error.js';
import { lookOf } from '../../../src/report/look.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { sh, type TestRepo } from '../git/repo.js';
import { plannedRepo } from './planned-repo.js';

const SINCE = Date.parse('2026-01-01T12:03:00Z');
const agent: LeftWorking = { idea: 'a-1', doing: 'agent', since: SINCE };
const waits: LeftWorking = { idea: 'a-2', doing: 'waits', since: SINCE };

describe('what the server knows of them', () => {
  const working = (name: string) => [{ activityType: { name }, lastStartedTime: { seconds: SINCE / 1000 } }];
  const about = (name: string, pendingActivities: unknown[] = []) => ({
    ...{ status: { name }, startTime: new Date(SINCE - 60_000), raw: { pendingActivities } },
  });
  const clientOf = (flows: Record<string, unknown>): Client =>
    ({
      workflow: {
        async *list() {
          for (const id of Object.keys(flows)) yield { workflowId: `ralph:p:idea:${id}` };
        },
        getHandle: (id: string) => ({
          describe: async () => {
            const found = flows[id.slice('ralph:p:idea:'.length)];
            if (!found) throw new WorkflowNotFoundError('gone', id, undefined);
            return found;
          },
        }),
      },
    }) as unknown as Client;

  it('tells agents and gates from ideas that wait, and leaves out what has ended since the list', async () => {
    const client = clientOf({
      ...{ 'g-1': about('RUNNING', working('runGate')), 'a-1': about('RUNNING', working('runAgent')) },
      ...{ 'w-1': about('RUNNING'), 'o-1': about('COMPLETED'), 'n-1': undefined },
    });
    expect(await leftWorking(client, 'p')).toEqual([
      { idea: 'a-1', doing: 'agent', since: SINCE },
      { idea: 'g-1', doing: 'gate', since: SINCE },
      { idea: 'w-1', doing: 'waits', since: SINCE - 60_000 },
    ]);
  });

  it.each([
    ['its worker answers', 2, 10_000, [ABORT]],
    ['no worker answers', Number.POSITIVE_INFINITY, 1, [ABORT, 'terminate']],
  ])('ends one: %s', async (_when, polls, waitMs, wanted) => {
    const told: string[] = [];
    let asked = 0;
    const handle = {
      signal: async (name: string) => void told.push(name),
      describe: async () => about(++asked >= polls ? 'COMPLETED' : 'RUNNING'),
      terminate: async () => void told.push('terminate'),
    };
    await endLeft({ workflow: { getHandle: () => handle } } as unknown as Client, 'p', 'a-1', waitMs);
    expect(told).toEqual(wanted);
  });
});

it('C5: status names them, since when, and both commands', () => {
  expect(leftLines([agent, waits], 'ralphctl start')).toEqual([
    `! 1 idea still works for a run that has ended: a-1 (its agent works since ${localTime(SINCE)})`,
    '  to take it over: ralphctl start; to end it, with its work saved: ralphctl cleanup a-1 --force',
    '  the next start also takes over: a-2',
  ]);
  expect(leftLines([waits], 'ralphctl start')).toEqual([
    'left open by a run that has ended, and taken over by the next start: a-2',
  ]);
  expect(leftLines([], 'ralphctl start')).toEqual([]);
});

it('C5: why says it of the idea, with both commands', async () => {
  const view = { idea: 'a-1', title: 'Do it', status: 'running', score: 0, parts: [], waitsFor: [] } as const;
  const about = { root: '/', project: 'p', over: true };
  const text = async (left: LeftWorking) => describeIdea(await reportOn({ ...view } as never, { ...about, left }));
  expect(await text(agent)).toEqual(
    expect.arrayContaining([
      `! its agent works since ${localTime(SINCE)}, for a run that has ended`,
      '  to take it over: ralphctl start; to end it, with its work saved: ralphctl cleanup a-1 --force',
    ]),
  );
  expect(await text({ ...waits, idea: 'a-1' })).toContain(
    `it waits since ${localTime(SINCE)}, for a run that has ended; the next start takes it over`,
  );
});

it('C5: an idea that the run ends is named in logs, status and report, once, and is no idea of the run', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
  const event = {
    at: '2026-01-01T12:00:00.000Z',
    kind: 'left',
    idea: 'x-1',
    why: 'its backlog does not have it',
  } as const;
  for (let n = 0; n < 2; n++) fold(model, event);
  const words =
    'x-1 was open from an earlier run, and this run does not work on it (its backlog does not have it): it ends after its iteration, and its work stays on its branch';
  expect(new LiveLines(false).lines(event).at(-1)).toContain(words);
  expect(endedHereLines(model)).toEqual([`! ${words}`]);
  expect(lookOf(model, [], { now: 0, zone: 'UTC', over: true })).toContainEqual({ kind: 'left', text: words });
  expect([...model.ideas.keys()]).toEqual([]);
  expect(endedHereLines(undefined)).toEqual([]);
});

describe('commands', () => {
  const runId = '20260101-000000-aaaa';
  let repo: TestRepo;
  let project: string;
  let worktree: string;
  let ended: string[];
  const context = () => ({
    ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
    ...{ env: process.env, json: false },
  });
  const inClosed = <T>(act: (closed: Closed) => Promise<T>, left = [agent, waits]): Promise<T> =>
    withClosed(
      context(),
      project,
      () => Promise.resolve(false),
      (closed) => {
        const server = { list: async () => left, end: async (idea: string) => void ended.push(idea) };
        return act({ ...closed, left: new LeftWork(context(), server) });
      },
    );
  const isThere = () =>
    access(worktree).then(
      () => true,
      () => false,
    );

  beforeEach(async () => {
    ended = [];
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    repo = await plannedRepo();
    project = (await findProject(context())).id;
    const { root } = context();
    const plan = await planRun(context(), {});
    await writeRun(root, runFile(plan, runId), plan.ideas);
    const events = eventsPath(root, { project, runId });
    await mkdir(dirname(events), { recursive: true });
    await writeFile(
      events,
      `${JSON.stringify({ at: new Date(1000).toISOString(), kind: 'run', state: 'running', landed: 0, total: 2 })}\n`,
    );
    const base = await sh(repo.root, 'rev-parse', 'HEAD');
    const where = { repo: repo.root, worktreesRoot: worktreesDir(root, project), agentName: 'ed-001' };
    ({ path: worktree } = await ensureWorktree({ ...where, idea: 'a-1', base, keep: [], recycle: false }));
    await writeFile(join(worktree, 'new.txt'), 'new\n');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await repo.remove();
  });

  it.each([
    ['cleanup', { verb: 'cleanup' }],
    ['rollback', { verb: 'rollback' }],
  ] as const)('C2: %s refuses, names what works, and changes nothing', async (_name, command) => {
    const done = inClosed((closed) => actWithoutRun(closed, { ...command, idea: 'a-1' }));
    await expect(done).rejects.toMatchObject({
      exitCode: EXIT.refused,
      message: expect.stringMatching(
        /^nothing was changed: 1 idea still works for a run that has ended: a-1 \(its agent works since .*\)\. Take it over: ralphctl start\. Or end it, with the work saved: ralphctl cleanup a-1 --force$/,
      ),
    });
    expect(ended).toEqual([]);
    expect(await isThere()).toBe(true);
  });

  it.each(['abandon', 'skip'] as const)('C2: %s says that its agent works, and how to end it', async (verb) => {
    const does = `But its agent works since ${localTime(SINCE)}, for a run that has ended: the next run ends it after its iteration. To end it now, with its work saved: ralphctl cleanup a-1 --force`;
    expect(await inClosed((closed) => actWithoutRun(closed, { verb, idea: 'a-1' }))).toContain(`. ${does}`);
    expect(await inClosed((closed) => actWithoutRun(closed, { verb, idea: 'a-2' }))).not.toContain('But ');
    expect(ended).toEqual([]);
  });

  it('C2: cleanup --force ends it first, and saves the work', async () => {
    const done = await inClosed((closed) => actWithoutRun(closed, { verb: 'cleanup', idea: 'a-1', force: true }));
    expect(done).toMatch(/the worktree of a-1 was removed.*saved as/);
    expect(ended).toEqual(['a-1']);
    expect(await isThere()).toBe(false);
  });

  it('C2: reset refuses as a whole, says it in a dry run, and ends all of them with --force', async () => {
    const printed: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    await expect(inClosed((closed) => resetClosed(closed, ['a-1'], {}))).rejects.toMatchObject({
      exitCode: EXIT.refused,
      message: expect.stringMatching(/a-1 \(its agent works since .*: ralphctl reset a-1 --force$/),
    });
    expect(ended).toEqual([]);
    expect(await isThere()).toBe(true);
    expect(await inClosed((closed) => resetClosed(closed, [], { all: true, dryRun: true }))).toBe(EXIT.ok);
    expect(printed.join('')).toMatch(
      /^a-1: asks first, because its agent works since .* for a run that has ended, then ends it; saves and removes its branch/m,
    );
    expect(ended).toEqual([]);
    expect(await inClosed((closed) => resetClosed(closed, ['a-1'], { force: true }))).toBe(EXIT.ok);
    expect(ended).toEqual(['a-1']);
    expect(await isThere()).toBe(false);
  });

  it('C2: an idea that only waits is no reason to ask', async () => {
    const left: LeftWorking[] = [{ ...agent, doing: 'waits' }];
    await inClosed((closed) => resetClosed(closed, ['a-1'], {}), left);
    expect(ended).toEqual(['a-1']);
  });
});
