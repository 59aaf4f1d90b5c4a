/** The log says "again" of an idea that ran before only, in this run or in an earlier one. Features: G3 G6. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ranBefore } from '../../../src/client/model/ran-before.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { iterationDir } from '../../../src/config/paths.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { writeRun } from '../../../src/run-files/run.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

const task = (id: string, tick = ' '): string => `- [${tick}] **${id}**: Do ${id}\n`;
const EARLIER = '20260101-000000-aaaa';
const NOW = '20260102-000000-aaaa';
const LATER = '20260103-000000-aaaa';

let repo: TestRepo;
let root: string;
beforeEach(async () => {
  repo = await makeRepo({
    'ralphctl.yaml': 'version: 1\nagent: scripted\nbacklog: roadmap.md\n',
    'roadmap.md': `# R\n\n${task('a-1')}${task('b-1')}${task('c-1', 'x')}${task('d-1')}`,
    '.ralph-script.yaml': 'default: []\n',
  });
  root = join(repo.scratch, 'state');
});
afterEach(() => repo.remove());

/** A line of the log about the idea, without its time. */
function logOf(before?: ReadonlySet<string>): (idea: string, status: IdeaStatus) => string | undefined {
  const logs = new LiveLines(false, before);
  return (idea, status) =>
    logs.lines({ at: new Date().toISOString(), kind: 'idea', idea, title: 'Do it', status })[0]?.slice(9);
}

it('an idea that never ran is to do; one that ran in this run is to do again', () => {
  const line = logOf(new Set());
  expect(line('a-1', 'pending')).toBe('◦ a-1 to do');
  line('a-1', 'skipped');
  expect(line('a-1', 'pending')).toBe('◦ a-1 to do');
  line('a-1', 'running');
  expect(line('a-1', 'pending')).toBe('◦ a-1 to do again');
});

it('an earlier run counts, and what landed before; a later run does not', async () => {
  const context = { cwd: repo.root, root, cacheRoot: repo.scratch, env: process.env, json: false };
  const plan = await planRun(context, {}, { agents: false });
  for (const runId of [EARLIER, NOW, LATER]) await writeRun(root, runFile(plan, runId), plan.ideas);
  const project = plan.project.id;
  await mkdir(iterationDir(root, project, EARLIER, 'b-1', 1), { recursive: true });
  await mkdir(iterationDir(root, project, LATER, 'd-1', 1), { recursive: true });
  const line = logOf(await ranBefore(root, { project, runId: NOW }));
  expect(['a-1', 'b-1', 'c-1', 'd-1'].map((id) => line(id, 'pending'))).toEqual([
    '◦ a-1 to do',
    '◦ b-1 to do again',
    '◦ c-1 to do again',
    '◦ d-1 to do',
  ]);
});

it('without files of the run, nobody knows', async () => {
  const before = await ranBefore(root, { project: 'p', runId: NOW });
  expect([before, logOf(before)('a-1', 'pending')]).toEqual([undefined, '◦ a-1 to do again']);
});
