/** `show` of an idea that an earlier run landed, and of which the newest run tells its rollback only. Features: G1 C2. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { show } from '../../../src/client/commands/inspect/show.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { commitFiles, makeRepo, type TestRepo } from '../git/repo.js';

const [THEN, NEXT] = ['20260101-000000-aaaa', '20260102-000000-bbbb'] as const;
let repo: TestRepo;
const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: false },
});

/** Each event a minute after the one before. */
async function ran(runId: string, from: string, ...told: RunEvent[]): Promise<void> {
  const { root } = context();
  const plan = await planRun(context(), {});
  await writeRun(root, runFile(plan, runId), plan.ideas);
  const path = eventsPath(root, { project: plan.project.id, runId });
  await mkdir(dirname(path), { recursive: true });
  const at = (n: number): string => new Date(new Date(from).getTime() + n * 60_000).toISOString();
  await writeFile(path, told.map((one, n) => `${JSON.stringify({ at: at(n), ...one })}\n`).join(''));
}

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

it('has the time of the landing, and the agent runs before it', async () => {
  const about = { idea: 'a-1', title: 'Do it' };
  const serial = { idea: 'a-1', serial: 1, iteration: 1 };
  const commit = await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a-1\n\nRalph-Idea: a-1');
  await ran(
    THEN,
    '2026-01-01T08:00:00',
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', ...about, status: 'running', agentName: 'ed-001' },
    { kind: 'iteration', ...serial, max: 5, agentName: 'ed-001' },
    {
      ...{ kind: 'iteration-end', ...serial, signal: { kind: 'complete' }, outcome: 'ok' },
      ...{ durationMs: 60_000, commits: 1 },
    },
    { kind: 'idea', ...about, status: 'landed', commit },
    { kind: 'run', state: 'stopped', landed: 1, total: 2 },
  );
  const off = await commitFiles(repo.root, { 'a.txt': 'no a\n' }, `Revert "feat: a-1"\n\nRalph-Reverted: a-1`);
  const reason = `taken off main by ${off.slice(0, 8)}; start it again with: ralphctl retry a-1`;
  await ran(
    NEXT,
    '2026-01-02T21:00:00',
    { kind: 'run', state: 'running', landed: 1, total: 2, before: 1 },
    { kind: 'command', idea: 'a-1', verb: 'rollback', done: 'a-1 is taken off' },
    { kind: 'idea', ...about, status: 'pending', held: true, reason },
    { kind: 'command', idea: 'a-1', verb: 'rollback', done: 'a-1 was taken off main' },
    { kind: 'run', state: 'stopped', landed: 0, total: 2 },
  );
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await show(context(), 'a-1', {});
  } finally {
    write.mockRestore();
  }
  const text = lines.join('');
  expect(text).toMatch(/taken off the target/);
  expect(text).toMatch(/landed .*08:04/);
  expect(text).not.toMatch(/landed .*21:0/);
  expect(text).toMatch(/#1 .*08:02.*COMPLETE/);
  expect(text).toMatch(/21:0[13].*you said: rollback/);
  expect(text).toMatch(/1 iteration · 1m/);
});
