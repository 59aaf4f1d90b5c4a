/** Save points listed and brought back: nothing is overwritten. Features: B4 C2. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewSaves } from '../../../../src/git/saves/list.js';
import { restoreSave } from '../../../../src/git/saves/restore.js';
import { keep, savePoint } from '../../../../src/git/saves/saves.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let tree: string;
beforeEach(async () => {
  repo = await makeRepo();
  tree = join(repo.scratch, 'tree');
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', tree);
});
afterEach(() => repo.remove());

const tip = (ref: string) => sh(repo.root, 'rev-parse', ref);
const restore = (n: number, to?: string) => restoreSave({ repo: repo.root, idea: 'i-1', n, ...(to ? { to } : {}) });

/** Save 1: a commit. Save 2: the same with an edit, a new file, and another staged state in between. */
async function saved(): Promise<void> {
  await commitFiles(tree, { 'a.txt': 'two\n' }, 'step 1');
  await savePoint({ worktree: tree, idea: 'i-1', why: 'before landing' });
  await put(tree, { 'a.txt': 'staged\n' });
  await sh(tree, 'add', 'a.txt');
  await put(tree, { 'a.txt': 'edited\n', 'new.txt': 'n\n' });
  await savePoint({ worktree: tree, idea: 'i-1', why: 'rolled back' });
}

describe('a save that git refuses', () => {
  it('C2 C6 has the words of git as its cause, so that a full disk is known as one', async () => {
    await sh(repo.root, 'update-ref', 'refs/ralphctl/save/i-1', repo.base);
    const error = await savePoint({ worktree: tree, idea: 'i-1', why: 'before landing' }).catch((one: Error) => one);
    expect(error).toMatchObject({ message: expect.stringContaining('could not be saved') });
    expect((error as Error).cause).toMatchObject({ stderr: expect.stringContaining('cannot lock ref') });
  });
});

describe('viewSaves', () => {
  it('says when, why, how many files and the last subject, also of commits that are older than their save', async () => {
    const before = Date.now() - 1000;
    await saved();
    await keep(repo.root, 'i-2', repo.base, 'its folder was gone');
    await commitFiles(repo.root, { 'theirs.txt': 't\n' }, 'theirs');
    const views = await viewSaves(repo.root, 'refs/heads/main');
    expect(views).toMatchObject([
      { idea: 'i-1', n: 1, why: 'before landing', files: 1, subject: 'step 1', uncommitted: false },
      { idea: 'i-1', n: 2, why: 'rolled back', files: 2, subject: 'step 1', uncommitted: true },
      { idea: 'i-2', n: 1, why: 'its folder was gone', files: 0, subject: 'Start', uncommitted: false },
    ]);
    for (const { at } of views) expect(at).toBeGreaterThanOrEqual(before);
    expect(await viewSaves(repo.root, 'refs/heads/main', 'i-2')).toHaveLength(1);
    expect(await viewSaves(repo.root, 'refs/heads/main', 'i-3')).toEqual([]);
  });

  it('C2: a save on top of the landing of another idea does not bear its title', async () => {
    await commitFiles(tree, { 'b.txt': 'b\n' }, 'feat: the other\n\nRalph-Idea: i-9');
    await put(tree, { 'new.txt': 'n\n' });
    await savePoint({ worktree: tree, idea: 'i-1', why: 'its agent was interrupted' });
    await commitFiles(tree, { 'new.txt': 'n\n' }, 'feat: mine\n\nRalph-Idea: i-1');
    await savePoint({ worktree: tree, idea: 'i-1', why: 'its agent was interrupted' });
    expect((await viewSaves(repo.root, 'refs/heads/main')).map(({ subject }) => subject)).toEqual(['', 'feat: mine']);
  });

  it('without reflogs it still lists them', async () => {
    await saved();
    await sh(repo.root, 'reflog', 'expire', '--expire=now', '--all');
    const views = await viewSaves(repo.root, 'refs/heads/main');
    expect(views).toMatchObject([
      { n: 1, files: 1 },
      { n: 2, files: 2 },
    ]);
    expect(views[0]).not.toHaveProperty('why', expect.anything());
  });
});

describe('restoreSave', () => {
  it('makes a new branch with the whole state as one plain commit', async () => {
    await saved();
    expect(await restore(2)).toMatchObject({ branch: 'restored/i-1-2', how: 'created' });
    expect(await sh(repo.root, 'show', 'restored/i-1-2:a.txt')).toBe('edited');
    expect(await sh(repo.root, 'show', 'restored/i-1-2:new.txt')).toBe('n');
    expect(await sh(repo.root, 'rev-list', '--parents', '-n1', 'restored/i-1-2')).toMatch(/^\S+ \S+$/);
    expect(await restore(2)).toMatchObject({ how: 'same' });
    expect(await restore(1, 'mine')).toEqual({ branch: 'mine', commit: await tip('ralph/i-1'), how: 'created' });
  });

  it('moves a branch forward that it contains, with its clean checkout', async () => {
    await saved();
    await sh(tree, 'reset', '-q', '--hard', repo.base);
    await sh(tree, 'clean', '-fdq');
    expect(await restore(2, 'ralph/i-1')).toMatchObject({ how: 'moved' });
    expect(await read(tree, 'new.txt')).toBe('n\n');
    expect(await sh(tree, 'status', '--porcelain')).toBe('');
    await sh(repo.root, 'branch', 'loose', 'main');
    expect(await restore(1, 'loose')).toMatchObject({ how: 'moved' });
  });

  it.each([
    ['uncommitted work', async () => put(tree, { 'mine.txt': 'm\n' }), /not committed/],
    [
      'commits of its own',
      async () => void (await commitFiles(tree, { 'mine.txt': 'm\n' }, 'mine')),
      /does not contain/,
    ],
  ])('refuses a branch with %s, and leaves it as it is', async (_, spoil, message) => {
    await saved();
    await sh(tree, 'reset', '-q', '--hard', repo.base);
    await sh(tree, 'clean', '-fdq');
    await spoil();
    const before = await tip('ralph/i-1');
    await expect(restore(2, 'ralph/i-1')).rejects.toThrow(message);
    expect(await tip('ralph/i-1')).toBe(before);
    expect(await read(tree, 'mine.txt')).toBe('m\n');
  });

  it('refuses names that are none, and numbers that are not there', async () => {
    await saved();
    for (const name of ['a..b', '-f', 'refs/heads/x', 'a b', '@{-1}', 'x.lock', 'ralph'])
      await expect(restore(1, name)).rejects.toThrow(/--to NAME/);
    await expect(restore(7)).rejects.toThrow(/has no save 7. Its saves: 1, 2/);
  });
});
