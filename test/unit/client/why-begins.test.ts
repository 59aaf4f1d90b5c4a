/** From where the next start goes on with an idea, as `why` and `retry` say it. Features: C2 C5. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { iterationDir, worktreesDir } from '../../../src/config/paths.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

const runId = '20260101-000000-aaaa';
let repo: TestRepo;
let project: string;
const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: true },
});

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '- [ ] **i-1**: Do it\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\nlanding: { tick: false }\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

/** A run that was stopped, with these events of its one idea. */
async function stopped(...events: RunEvent[]): Promise<void> {
  const { root } = context();
  const plan = await planRun(context(), {});
  project = plan.project.id;
  await writeRun(root, runFile(plan, runId), plan.ideas);
  await mkdir(iterationDir(root, project, runId, 'i-1', 1), { recursive: true });
  const writer = new EventWriter(root, () => {});
  const told: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 1 },
    ...events,
    { kind: 'run', state: 'stopped', landed: 0, total: 1 },
  ];
  for (const [at, event] of told.entries()) writer.write({ project, runId }, event, 1000 + at);
  await writer.flush();
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
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await why(context(), 'i-1');
  } finally {
    write.mockRestore();
  }
  const report = JSON.parse(lines.join('')) as { commands: string[] };
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
