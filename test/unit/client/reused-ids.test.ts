/** With ticks off, nothing in the backlog shows that an idea landed. Features: C3, D3. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reusedIdLines } from '../../../src/client/open-run/reused-ids.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { writeRun } from '../../../src/run-files/run.js';
import { commitFiles, makeRepo, put, type TestRepo } from '../git/repo.js';

const ROADMAP = '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n';
const CONFIG = 'version: 1\nagent: scripted\nlanding: { tick: false }\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'roadmap.md': ROADMAP, 'ralphctl.yaml': CONFIG, '.ralph-script.yaml': 'default: []\n' });
});
afterEach(() => repo.remove());

const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: false },
});
const lines = async (flags = {}): Promise<string[]> => reusedIdLines(context(), await planRun(context(), flags));

/** A run of the backlog as it is, and then the landing of a-1. */
async function landed(): Promise<string> {
  const plan = await planRun(context(), {});
  const file = { ...runFile(plan, '20260101-000000-aaaa'), createdAt: '2020-01-01T00:00:00.000Z' };
  await writeRun(context().root, file, plan.ideas);
  return commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: a-1');
}

it('C3: an id that is used again is named, with both ways out; without a change only the ideas that do not run', async () => {
  expect(await lines()).toEqual([]);
  const commit = (await landed()).slice(0, 8);
  const count = '1 idea landed before and does not run: a-1. Ticks are off, so it has none';
  expect(await lines()).toEqual([count]);
  await put(repo.root, { 'roadmap.md': ROADMAP.replace('Do it\n', 'Something else\n') });
  expect(await lines()).toEqual([
    `warning: a-1 has another text than the idea that landed as ${commit}, and does not run. Give new work another id; ` +
      'or run it again with: ralphctl start --again a-1',
    count,
  ]);
  expect(await lines({ again: ['a-1'] })).toEqual([]);
});

it('E7: a part of a split has no line, so nothing is missing there', async () => {
  const plan = await planRun(context(), {});
  const part = { ...(plan.ideas[1] as Idea), id: 'a-2-1', parent: 'a-2', text: 'edited' };
  const split = { ...plan, ideas: [...plan.ideas, part], amended: { ...plan.amended, parts: ['a-2-1'] } };
  await commitFiles(repo.root, { 'part.txt': '1\n' }, 'feat: part\n\nRalph-Idea: a-2-1');
  expect(await reusedIdLines(context(), split)).toEqual([]);
});

it('says nothing where landings tick the backlog, which landed-report.ts reads', async () => {
  await landed();
  await put(repo.root, { 'ralphctl.yaml': CONFIG.replace('tick: false', 'tick: true') });
  expect(await lines()).toEqual([]);
  expect(await lines({ tick: false })).toHaveLength(1);
});
