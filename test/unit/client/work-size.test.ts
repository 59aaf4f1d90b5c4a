/** The size of an idea's work is the same in every view: commits of its branch, lines of its landing. Features: G1 G4 C2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { branchSizes, placesOf } from '../../../src/client/report/places.js';
import { IdeaGit } from '../../../src/client/screen/idea-git.js';
import { factsText } from '../../../src/client/views/fact-lines.js';
import { landedLines } from '../../../src/git/landing/lines.js';
import { rollbackIdea } from '../../../src/git/worktrees/rollback.js';
import { ideaFacts, withSize } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel } from '../../../src/model/model.js';
import { makeReport } from '../../../src/report/build.js';
import { commitsIn } from '../../../src/report/open.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { landWork, worktreeOf } from '../git/idea-work.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';
import { clockAt, idea, NOW } from '../screen/shop.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

it('G4 C2: the branch has the commits of all runs: on the page, in show, in the report and for a rollback', async () => {
  const { path } = await worktreeOf(repo);
  for (const name of ['one', 'two', 'three']) await commitFiles(path, { [`${name}.txt`]: `${name}\n` }, name);
  // The target goes on, and a merge brings that into the branch: two commits more, of which one is its own.
  await commitFiles(repo.root, { 'other.txt': 'o\n' }, 'other');
  await sh(path, 'merge', '-q', '--no-edit', 'main');
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('i-1', 'Do i-1')]);
  const at = new Date(clockAt('23:00')).toISOString();
  const run = { idea: 'i-1', serial: 1, iteration: 1 } as const;
  fold(model, { at, kind: 'idea', idea: 'i-1', title: 'Do i-1', status: 'running', agentName: 'ed-001' });
  fold(model, { at, kind: 'iteration', ...run, max: 5, agentName: 'ed-001' });
  // This run made the last one; the others are of the run before.
  fold(model, {
    at,
    kind: 'iteration-end',
    ...run,
    ...{ signal: { kind: 'none' }, outcome: 'ok', durationMs: 1, commits: 1 },
  });
  const one = model.ideas.get('i-1') ?? expect.fail('no idea');
  const read = await new IdeaGit(repo.root).read(one, 'main');
  const details = { ...noDetails(), idea: { id: 'i-1', serial: 1, ...read } };
  const ui = { ...initialUi(), screen: 'idea' as const, idea: 'i-1', tab: 'agent' as const };
  const size = { columns: 120, rows: 40 };
  const { lines } = compose(model, ui, details, size, { colour: true, ascii: false }, NOW);
  expect(lines.map(plainLine).join('\n')).toMatch(/branch +ralph\/i-1, 4 ahead/);

  fold(model, { at, kind: 'idea', idea: 'i-1', title: 'Do i-1', status: 'failed', reason: 'no' });
  const places = await placesOf(repo.root, 'main', true);
  const extra = { now: NOW, zone: 'UTC', over: true, ...places };
  expect(commitsIn(one, extra)).toBe(4);
  const [open] = makeReport(model, extra).open;
  expect(open).toMatchObject({ commits: 4, notes: ['branch ralph/i-1 is kept, 4 commits'] });
  // Without the target nobody can tell, and what the run told counts.
  expect(commitsIn(one, { ...extra, ...(await placesOf(repo.root, 'gone', true)) })).toBe(1);
  const place = { repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' };
  expect((await rollbackIdea(place)).commits).toBe(4);
});

it('C2 D3: what a killed agent committed counts, in status, report and show, though no event tells it', async () => {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'one.txt': 'one\n' }, 'one');
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('i-1', 'Do i-1')]);
  const at = new Date(clockAt('23:00')).toISOString();
  const is = (status: 'running' | 'failed') => ({ at, kind: 'idea' as const, idea: 'i-1', title: 'Do i-1', status });
  fold(model, { ...is('running'), agentName: 'ed-001' });
  fold(model, { at, kind: 'iteration', idea: 'i-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' });
  fold(model, { at, kind: 'interrupted', idea: 'i-1', iteration: 1 });
  fold(model, is('failed'));
  const one = model.ideas.get('i-1') ?? expect.fail('no idea');
  expect(one.commits).toBe(0);
  const places = await placesOf(repo.root, 'main', true);
  const extra = { now: NOW, zone: 'UTC', over: true, ...places };
  expect(commitsIn(one, extra)).toBe(1);
  expect(makeReport(model, extra).open).toMatchObject([{ branch: 'ralph/i-1', commits: 1 }]);
  const size = await branchSizes(repo.root, 'main');
  const facts = withSize(ideaFacts(one), size);
  expect(factsText(facts, NOW)).toBe('since 23:00 · 1 commit on its branch · cost not reported');
  // A run that did not touch the idea has nothing on its branch.
  expect(withSize({ ...facts, commits: 0, runs: [] }, size).commits).toBe(0);
  // Nobody can tell: what the agent runs told counts.
  expect(withSize({ ...facts, commits: 2 }, await branchSizes(repo.root, 'gone')).commits).toBe(2);
});

it.each(['rebase', 'merge', 'squash'] as const)(
  'G4 C2: the diff of landed work and the report count the same lines, each once (%s)',
  async (strategy) => {
    await commitFiles(repo.root, { 'before.txt': 'b\n' }, 'Of somebody else');
    const { path } = await worktreeOf(repo);
    const fifty = Array.from({ length: 50 }, (_, n) => `${n}\n`);
    await commitFiles(path, { 'new.txt': fifty.join('') }, 'feat: fifty lines');
    await commitFiles(path, { 'new.txt': fifty.with(4, 'four\n').join(''), 'gone.txt': 'g\n' }, 'fix: one of them');
    await commitFiles(path, { 'before.txt': 'after\n' }, 'feat: another file');
    const landed = await landWork(repo, 'i-1', { strategy });
    if (landed.kind !== 'landed') throw new Error(JSON.stringify(landed));
    const told = { id: 'i-1', status: 'landed', commit: landed.commit, iterations: [] } as unknown as IdeaModel;
    const { changed } = await new IdeaGit(repo.root).read(told, 'main');
    expect(changed).toEqual({ files: 3, added: 52, deleted: 1 });
    const lines = await landedLines(repo.root, new Map([['i-1', landed.commit]]));
    expect(lines.get('i-1')).toMatchObject({ added: 52, deleted: 1 });
  },
);

it('a landing that changes nothing shifts no lines of another one, and a first commit of all has its lines', async () => {
  const root = await sh(repo.root, 'rev-list', '--max-parents=0', 'main');
  const commit = async (id: string, files: Record<string, string>): Promise<string> => {
    if (Object.keys(files).length > 0) return commitFiles(repo.root, files, `Do ${id}\n\nRalph-Idea: ${id}`);
    await sh(repo.root, 'commit', '-q', '--allow-empty', '-m', `Do ${id}\n\nRalph-Idea: ${id}`);
    return sh(repo.root, 'rev-parse', 'HEAD');
  };
  const a = await commit('a-1', { 'new.txt': '1\n2\n' });
  const b = await commit('b-1', {});
  const c = await commit('c-1', { 'c.txt': '1\n' });
  const lines = await landedLines(repo.root, new Map(Object.entries({ 'a-1': a, 'b-1': b, 'c-1': c, 'no-1': root })));
  expect([...lines].map(([id, { added, deleted }]) => [id, added, deleted])).toEqual([
    ['a-1', 2, 0],
    ['b-1', 0, 0],
    ['c-1', 1, 0],
  ]);
});
