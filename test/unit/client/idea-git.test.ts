/** What git tells the page of an idea, from real repositories. Features: D2 G1 G4. */
import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IdeaGit } from '../../../src/client/screen/idea-git.js';
import { removeWorktree } from '../../../src/git/worktrees/remove.js';
import { newIdea } from '../../../src/model/fold.js';
import type { IdeaModel } from '../../../src/model/model.js';
import { compose } from '../../../src/screen/compose.js';
import type { Details, IdeaDetails } from '../../../src/screen/details.js';
import { noDetails } from '../../../src/screen/details.js';
import { card } from '../../../src/screen/idea/cards.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { landWork, worktreeOf } from '../git/idea-work.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';
import { NOW, shop } from '../screen/shop.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const ideaOf = (more: Partial<IdeaModel>): IdeaModel => ({ ...newIdea('i-1', 'Do i-1'), ...more });

/** The worktree of an idea with two commits in two files. */
async function twoCommits(): Promise<string> {
  const { path: tree } = await worktreeOf(repo);
  await commitFiles(tree, { 'first.txt': '1\n2\n' }, 'feat: first');
  await commitFiles(tree, { 'second.txt': '1\n' }, 'feat: second');
  return tree;
}

it.each(['rebase', 'merge', 'squash'] as const)(
  'G1 D2: the diff and the files of a landed idea are those of all its commits (%s)',
  async (strategy) => {
    await commitFiles(repo.root, { 'before.txt': 'b\n' }, 'Of somebody else');
    await twoCommits();
    const base = await sh(repo.root, 'rev-parse', 'main');
    const landed = await landWork(repo, 'i-1', { strategy });
    if (landed.kind !== 'landed') throw new Error(JSON.stringify(landed));
    await commitFiles(repo.root, { 'after.txt': 'a\n' }, 'Of somebody else');
    const read = await new IdeaGit(repo.root).read(
      ideaOf({ status: 'landed', commit: landed.commit }),
      'main',
      'second.txt',
    );
    expect(read.diff?.files.map(({ path, added }) => [path, added])).toEqual([
      ['first.txt', 2],
      ['second.txt', 1],
    ]);
    expect(read.diff).toMatchObject({ base, file: 'second.txt' });
    expect(read.diff?.lines).toContain('+1');
    expect(read.commit?.files).toBe(2);
  },
);

const cardOf = (idea: IdeaModel, told: Partial<IdeaDetails>): string => {
  const details: Details = { ...noDetails(), idea: { id: idea.id, ...told } };
  const view = {
    ...{ model: shop(), ui: initialUi(), details, size: { columns: 80, rows: 24 } },
    ...{ theme: { colour: true, ascii: false }, now: NOW },
  };
  return card(view, idea, 80).map(plainLine).join('\n');
};

it.each(['timeout', 'failed'] as const)(
  'G4: the card of an idea (%s) tells what git still has of it',
  async (status) => {
    const tree = await twoCommits();
    await put(tree, { 'loose.txt': 'l\n' });
    const startedAt = NOW - 60 * 60_000;
    // Its agent worked for half of the time.
    const iterations = [{ serial: 1, number: 1, startedAt, endedAt: NOW, durationMs: 30 * 60_000 }];
    const idea = ideaOf({ status, startedAt, since: NOW, reason: 'it did not work', iterations });
    const git = async (): Promise<Partial<IdeaDetails>> => ({
      ...(await new IdeaGit(repo.root).read(idea, 'main')),
      ideaLimitMs: 30 * 60_000,
    });
    const kept = cardOf(idea, await git());
    expect(kept).toContain('branch and worktree are kept, 1 file uncommitted');
    expect(kept.includes('30m of 30m')).toBe(status === 'timeout');
    await sh(tree, 'clean', '-fdq');
    await removeWorktree({ repo: repo.root, path: tree });
    expect(cardOf(idea, await git())).toContain('branch is kept, its worktree is gone');
    await sh(repo.root, 'branch', '-D', 'ralph/i-1');
    const gone = cardOf(idea, await git());
    expect(gone).toContain('its branch and worktree are gone');
    // Before git has told.
    expect(cardOf(idea, {})).not.toMatch(/kept|gone/);
  },
);

it('G4: the card of an idea that asks says that its slot is free, where it is', () => {
  const idea = ideaOf({ status: 'needs-human', question: 'Which port?', asking: 'question' });
  expect(cardOf(idea, {})).toMatch(/a answer .* its slot is free meanwhile │$/m);
  expect(cardOf({ ...idea, slot: 1 }, {})).not.toContain('slot is free');
});

it('C1 G1: the card of landed work that a person took off during the run says so', () => {
  const text = 'abcdef01 (my edit) took it off main again';
  const told = cardOf(ideaOf({ status: 'landed', reason: text, reverted: { text } }), {});
  expect(told).toMatch(/landed/);
  expect(told).toContain(text);
  expect(cardOf(ideaOf({ status: 'landed', reason: 'your checkout is behind' }), {})).not.toContain('behind');
});

it('G1: the diff of landed work that a reset took off its target is still there', async () => {
  await twoCommits();
  const base = await sh(repo.root, 'rev-parse', 'main');
  const landed = await landWork(repo, 'i-1');
  if (landed.kind !== 'landed') throw new Error(JSON.stringify(landed));
  await sh(repo.root, 'reset', '-q', '--hard', base);
  const off = { text: 'it was reset', landed: landed.commit, command: 'ralphctl start' };
  const read = await new IdeaGit(repo.root).read(ideaOf({ status: 'pending', off }), 'main');
  expect(read.changed).toEqual({ files: 2, added: 3, deleted: 0 });
});

it('G1: what git could not tell is told as such, and asked for again', async () => {
  await twoCommits();
  const base = await sh(repo.root, 'rev-parse', 'main');
  const idea = ideaOf({ status: 'needs-human', base, commits: 2 });
  const git = new IdeaGit(repo.root);
  const away = `${repo.root}-away`;
  await rename(repo.root, away);
  const failed = await git.read(idea, 'main').finally(() => rename(away, repo.root));
  expect(failed).toEqual({ unread: true });
  expect((await git.read(idea, 'main')).changed).toEqual({ files: 2, added: 3, deleted: 0 });
  const model = shop();
  model.ideas.set(idea.id, idea);
  model.order.push(idea.id);
  const details: Details = { ...noDetails(), idea: { id: idea.id, ...failed } };
  const ui = { ...initialUi(), screen: 'idea' as const, idea: idea.id, tab: 'diff' as const };
  const { lines } = compose(model, ui, details, { columns: 80, rows: 24 }, { colour: true, ascii: false }, NOW);
  expect(lines.map(plainLine).join('\n')).toContain('git did not tell the diff; F5 asks again');
  // The base of an idea comes with an event of its own.
  const begins = new IdeaGit(repo.root);
  expect((await begins.read(ideaOf({ status: 'needs-human', commits: 2 }), 'main')).diff).toBeUndefined();
  expect((await begins.read(idea, 'main')).diff?.files).toHaveLength(2);
});
