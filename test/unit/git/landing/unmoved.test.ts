/** A landing changed the files of the checkout, and git then cannot move the branch. Features: C1 C6. */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n', 'gone.txt': 'here\n', '.gitignore': '*.log\n' });
});
afterEach(() => repo.remove());

const status = () => sh(repo.root, 'status', '--porcelain');
const tip = () => sh(repo.root, 'rev-parse', 'refs/heads/main');
const log = () => join(repo.root, '.git/logs/refs/heads/main');

/** git cannot append to a folder, and so moves no branch, after it has changed the files. */
async function blockReflog(): Promise<void> {
  await rename(log(), `${log()}.aside`);
  await put(log(), { 'in-the-way': '' });
}
async function freeReflog(): Promise<void> {
  await rm(log(), { recursive: true });
  await rename(`${log()}.aside`, log());
}

/** Changes, adds and deletes a file. */
async function work(): Promise<void> {
  const { path } = await worktreeOf(repo);
  await rm(join(path, 'gone.txt'));
  await commitFiles(path, { 'a.txt': 'two\n', 'deep/er/fresh.txt': 'f\n' }, 'work');
}

describe('a landing whose branch does not move', () => {
  it('C1 C6 leaves the clean checkout clean, and lands once the branch can be moved', async () => {
    await work();
    await blockReflog();
    await expect(landWork(repo)).rejects.toThrow(/logs\/refs\/heads\/main/);
    expect(await tip()).toBe(repo.base);
    expect(await status()).toBe('');
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await read(repo.root, 'gone.txt')).toBe('here\n');
    expect(await readdir(repo.root)).not.toContain('deep');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
    await freeReflog();
    const got = await landWork(repo);
    expect(got).toMatchObject({ kind: 'landed', commit: await tip() });
    expect(got).not.toHaveProperty('note', expect.anything());
    expect(await status()).toBe('');
    expect(await read(repo.root, 'deep/er/fresh.txt')).toBe('f\n');
  });

  it('C1 keeps edits of other paths, and what a person had staged of the very same content', async () => {
    await work();
    await put(repo.root, { 'b.txt': 'my edit\n', 'a.txt': 'two\n', 'mine.txt': 'untracked\n', '.gitignore': 'x\n' });
    await sh(repo.root, 'add', 'a.txt', '.gitignore');
    const before = await status();
    await blockReflog();
    await expect(landWork(repo)).rejects.toThrow(/logs\/refs\/heads\/main/);
    expect(await status()).toBe(before);
    expect(before).toBe('M  .gitignore\nM  a.txt\n M b.txt\n?? mine.txt');
    expect(await read(repo.root, 'b.txt')).toBe('my edit\n');
    expect(await read(repo.root, 'mine.txt')).toBe('untracked\n');
    expect(await read(repo.root, 'gone.txt')).toBe('here\n');
  });

  it('C1 lands where git can move the branch in another way', async () => {
    await work();
    const heads = join(repo.root, '.git/logs/HEAD');
    await rm(heads);
    await put(heads, { 'in-the-way': '' });
    const got = await landWork(repo).catch((error: Error) => error.message);
    expect(await status()).toBe('');
    expect(got).toMatchObject({ kind: 'landed', commit: await tip() });
    expect(got).not.toHaveProperty('note', expect.anything());
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
  });
});
