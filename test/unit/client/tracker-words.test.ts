/** A source that is a tracker is named as one, and is that of the run, whatever the configuration names. Features: E1, A1. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeOver } from '../../../src/client/commands/recover/take-over.js';
import { convert } from '../../../src/client/commands/setup/backlog.js';
import { findProjectId } from '../../../src/client/context.js';
import { leftBehind } from '../../../src/client/follow/left-behind.js';
import { reusedIdLines } from '../../../src/client/open-run/reused-ids.js';
import { lookAhead, sayNothingToStart } from '../../../src/client/plan/nothing-to-start.js';
import { planRun, type RunPlan, runFile } from '../../../src/client/plan/run-plan.js';
import { sourceFlags } from '../../../src/client/plan/waves.js';
import { addIdeas, writeRun } from '../../../src/run-files/run.js';
import { printed } from '../../support/printed.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'reports.jsonl': '{"id":"1","title":"The page is empty"}\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\nbacklog: roadmap.md\n',
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

const context = (json = false) => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json },
});
const planned = async (): Promise<RunPlan> =>
  planRun(context(), { ...(await sourceFlags(context(), 'reports.jsonl')), waves: {} }, { agents: false });

it('where all has landed, no path is named that does not exist, and nothing is said of ticks', async () => {
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: report-1');
  const plan = await planned();
  const found = (await lookAhead(context(), plan)).idle;
  if (!found) throw new Error('there is something to start');
  const said = await printed(() => sayNothingToStart(context(), plan, found));
  expect(said).toContain('the one idea of reports of reports.jsonl has landed or is ticked');
  expect(said).toContain('Add to the reports of reports.jsonl');
  expect(said).not.toMatch(/projects|\/tracker/);
  expect(await reusedIdLines(context(), plan)).toEqual([]);
});

it.each(['roadmap', 'ideas'] as const)(
  'F3: text from outside does not become a backlog of your own: %s',
  async (to) => {
    await put(repo.root, { 'ralphctl.yaml': 'version: 1\nbacklog: { tracker: jsonl, file: reports.jsonl }\n' });
    const failed = convert(context(), undefined, { to, out: 'mine.md' });
    await expect(failed).rejects.toThrow(
      /the backlog is the tracker jsonl.*convert reads backlog files only.*ralphctl start/,
    );
    await expect(readFile(join(repo.root, 'mine.md'), 'utf8')).rejects.toThrow('ENOENT');
  },
);

it('E1: --take-over frees the claim in the source of the run, and needs an idea', async () => {
  const plan = await planned();
  const file = runFile(plan, '20260101-000000-aaaa');
  await writeRun(context().root, file, []);
  await addIdeas(context().root, { project: file.project, runId: file.runId }, plan.ideas);
  const claim = { ref: '1', owner: 'other', run: 'r', idea: 'report-1', life: 1, state: 'works', text: '', at: '' };
  await put(repo.root, { 'reports.ralphctl.jsonl': `${JSON.stringify(claim)}\n` });
  await takeOver(context(), 'report-1');
  const journal = (await readFile(join(repo.root, 'reports.ralphctl.jsonl'), 'utf8')).trim().split('\n');
  expect(JSON.parse(journal.at(-1) ?? '')).toMatchObject({ ref: '1', owner: 'other', state: 'released' });
  await expect(takeOver(context(), 'a-1')).rejects.toThrow('the backlog is a file');
  await expect(takeOver(context(), undefined)).rejects.toThrow('ralphctl retry IDEA --take-over');
});

it('E1: ideas that waves took are not said to be left behind; those that a person added are', async () => {
  const plan = await planned();
  const file = runFile(plan, '20260101-000000-aaaa');
  await writeRun(context().root, file, []);
  const [one] = plan.ideas;
  if (!one) throw new Error('no idea');
  const { origin: _, ...own } = { ...one, id: 'own-1', source: { file: '/other.md', line: 1 } };
  await addIdeas(context().root, { project: file.project, runId: file.runId }, [one, own]);
  const project = await findProjectId(context());
  const [said, ...more] = await leftBehind(context().root, project, '20260102-000000-aaaa', [], new Set());
  expect(said).toContain('the last run also had own-1. They');
  expect(more).toEqual([]);
});

it('an idea that landed and left the target since is not said to have never landed', async () => {
  const plan = await planned();
  const file = runFile(plan, '20260101-000000-aaaa');
  await writeRun(context().root, file, []);
  const [one] = plan.ideas;
  if (!one) throw new Error('no idea');
  const { origin: _, ...own } = { ...one, source: { file: '/other.md', line: 1 } };
  const added = [
    { ...own, id: 'own-1' },
    { ...own, id: 'own-2' },
  ];
  await addIdeas(context().root, { project: file.project, runId: file.runId }, added);
  const before = await sh(repo.root, 'rev-parse', 'HEAD');
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: own-1');
  const landed = await sh(repo.root, 'rev-parse', 'HEAD');
  await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/own-1', landed.trim());
  await sh(repo.root, 'reset', '-q', '--hard', before.trim());
  const project = await findProjectId(context());
  expect(await leftBehind(context().root, project, '20260102-000000-aaaa', [], new Set())).toEqual([
    expect.stringMatching(/^own-1 landed as [0-9a-f]{8}, which main does not contain any more/),
    expect.stringContaining('the last run also had own-2. They'),
  ]);
});

it('C1: where all that landed was taken off the target, a start says so, and how to go on', async () => {
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: a-1');
  await sh(repo.root, 'revert', '--no-edit', 'HEAD');
  const plan = await planRun(context(), {}, { agents: false });
  const found = (await lookAhead(context(), plan)).idle ?? expect.fail('there is something to start');
  const said = (await printed(() => sayNothingToStart(context(), plan, found))).split('\n');
  expect(said[0]).toBe('nothing to start: the one idea of roadmap.md landed, and is on main no more');
  expect(said[1]).toMatch(/^a-1 waits for your retry, because [0-9a-f]{8} .* took it off main: ralphctl retry a-1$/);
  expect(said[2]).toBe('After a retry: ralphctl start. Or add ideas to roadmap.md');
});
