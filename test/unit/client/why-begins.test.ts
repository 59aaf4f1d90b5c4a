/** From where the next start goes on with an idea, as `why` and `retry` say it. Features: C2 C5. */
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { iterationDir, worktreesDir } from '../../../src/config/paths.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { printed } from '../../support/printed.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned, RUN_ID, repoOfOne, toldRun } from './told-run.js';

let repo: TestRepo;
let project: string;
const context = () => contextOf(repo, true);

beforeEach(async () => {
  repo = await repoOfOne('landing: { tick: false }\n');
});
afterEach(() => repo.remove());

/** A run that was stopped, with these events of its one idea. */
async function stopped(...events: RunEvent[]): Promise<void> {
  project = await planned(context());
  await mkdir(iterationDir(context().root, project, RUN_ID, 'i-1', 1), { recursive: true });
  await toldRun(context(), project, 'stopped', events);
}

const is = (status: 'running' | 'failed' | 'pending'): RunEvent => ({
  ...{ kind: 'idea', idea: 'i-1', title: 'Do it', status },
});
const works = (serial: number): RunEvent[] => [
  is('running'),
  { kind: 'iteration', idea: 'i-1', serial, iteration: serial, max: 5, agentName: 'ed-001' },
  {
    ...{ kind: 'iteration-end', idea: 'i-1', serial, iteration: serial, durationMs: 1, commits: 1 },
    ...{ signal: { kind: 'progress', percent: 40 }, outcome: 'ok' },
  },
];
const told = (verb: string, done = 'done'): RunEvent => ({ kind: 'command', verb, idea: 'i-1', done });

async function firstCommand(): Promise<string> {
  const report = JSON.parse(await printed(() => why(context(), 'i-1'))) as { commands: string[] };
  return report.commands[0] ?? '';
}

const retry = (fresh = false) =>
  withClosed(
    context(),
    project,
    () => Promise.resolve(false),
    (at) => actWithoutRun(at, { verb: 'retry', idea: 'i-1', ...(fresh ? { fresh: true } : {}) }),
  );

const KEPT = 'ralphctl start (tries it again, its work so far is kept)';
const ANEW = 'ralphctl start (runs it from its beginning)';

it.each([
  ['rollback', told('rollback')],
  ['retry --fresh', told('retry', 'i-1 starts over on main as it is now: ralphctl first saves its work so far')],
])('C2: after a %s in the run, and work since, its work since is kept', async (_, back) => {
  await stopped(...works(1), is('failed'), back, is('pending'), ...works(2), is('pending'));
  expect(await firstCommand()).toBe(KEPT);
});

it('C2: after a rollback without work since it begins anew, also when a hint came after it', async () => {
  await stopped(...works(1), is('failed'), told('rollback'), is('pending'), told('hint'));
  expect(await firstCommand()).toBe(ANEW);
});

it('C2: after a retry --fresh without a run it begins anew, too', async () => {
  await stopped(...works(1), is('failed'));
  const { path } = await worktreeOf(repo, 'i-1', { worktreesRoot: worktreesDir(context().root, project) });
  await commitFiles(path, { 'work.txt': 'w\n' }, 'work');
  expect(await retry(true)).toContain('begins again: 1 commit taken off its branch');
  expect(await firstCommand()).toBe(ANEW);
});

it('C2: what was taken off the target begins anew, and where a later run left a branch, it goes on from that', async () => {
  await commitFiles(repo.root, { 'i.txt': 'i\n' }, 'feat: i\n\nRalph-Idea: i-1');
  await sh(repo.root, 'revert', '--no-edit', 'HEAD');
  await stopped();
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'work.txt': 'w\n' }, 'work');
  expect(await retry()).toContain('its work so far is kept');
  expect(await firstCommand()).toBe('ralphctl start (continues from its branch)');
  await sh(repo.root, 'worktree', 'remove', '--force', path);
  await sh(repo.root, 'branch', '-D', 'ralph/i-1');
  // A second retry changes nothing, and its refusal says how the next start begins.
  await expect(retry()).rejects.toThrow('runs it from its beginning');
  expect(await firstCommand()).toBe(ANEW);
});
