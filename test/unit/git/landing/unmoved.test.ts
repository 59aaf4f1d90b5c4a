/** A landing changed the files of the checkout, and git then cannot move the branch. Features: C1 C6. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { canMount } from '../../../chaos/lib/sandbox.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

const mountable = await canMount();
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

describe('an update that git breaks off', () => {
  /** A filter that works everywhere but in the user's checkout, and there with the old content only. */
  async function brokenFilter(): Promise<void> {
    const script = join(repo.scratch, 'pick.sh');
    await put(repo.scratch, {
      'pick.sh': `text=$(cat)\n[ "$PWD" = '${repo.root}' ] && [ "$text" = new ] && exit 1\nprintf '%s\\n' "$text"\n`,
    });
    await sh(repo.root, 'config', 'filter.pick.smudge', `sh '${script}'`);
    await sh(repo.root, 'config', 'filter.pick.clean', 'cat');
    await sh(repo.root, 'config', 'filter.pick.required', 'true');
    await commitFiles(repo.root, { '.gitattributes': 'm.pick filter=pick\n', 'm.pick': 'old\n' }, 'filtered');
  }

  it('C1 leaves its files as they were, and edits of others, and the note names no edits', async () => {
    await brokenFilter();
    const { path } = await worktreeOf(repo);
    await rm(join(path, 'gone.txt'));
    const files = { 'a.txt': 'two\n', 'deep/er/fresh.txt': 'f\n', 'm.pick': 'new\n', 'z.txt': 'z\n' };
    await commitFiles(path, files, 'work');
    await put(repo.root, { 'b.txt': 'my edit\n', 'mine.txt': 'untracked\n' });
    const got = await landWork(repo);
    expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining('git did not update the files of') });
    expect(await sh(repo.root, 'diff', '--name-only')).toBe('b.txt');
    expect(await sh(repo.root, 'ls-files', '--others')).toBe('mine.txt');
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await read(repo.root, 'm.pick')).toBe('old\n');
    expect(await readdir(repo.root)).not.toContain('deep');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([
      expect.stringContaining('because it could not be updated'),
    ]);
    await sh(repo.root, 'config', '--remove-section', 'filter.pick');
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await status()).toBe(' M b.txt\n?? mine.txt');
    expect(await read(repo.root, 'm.pick')).toBe('new\n');
  });

  it.skipIf(!mountable)('C1 C6 at a full disk leaves no file cut off, and the next landing goes on', async () => {
    await commitFiles(repo.root, { 'big.txt': 'x'.repeat(20_000) }, 'big');
    await sh(repo.root, 'switch', '-q', '-c', 'feature');
    const checkout = join(repo.scratch, 'small disk');
    await mkdir(checkout);
    await shell(checkout, 'mount -t tmpfs -o size=200k tmpfs .');
    try {
      await sh(repo.root, 'worktree', 'add', '-q', checkout, 'main');
      const { path } = await worktreeOf(repo);
      await rm(join(path, 'gone.txt'));
      const big = { 'a.txt': 'two\n', 'big.txt': 'y'.repeat(150_000), 'new/big.txt': 'z'.repeat(100_000) };
      await commitFiles(path, big, 'work');
      const got = await landWork(repo);
      expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining('git did not update the files of') });
      expect(await sh(checkout, 'diff', '--name-only')).toBe('');
      expect(await sh(checkout, 'ls-files', '--others')).toBe('');
      expect(await read(checkout, 'a.txt')).toBe('one\n');
      await shell(checkout, 'mount -o remount,size=4m .');
      const next = await worktreeOf(repo, 'i-2');
      await commitFiles(next.path, { 'b.txt': 'changed\n' }, 'more');
      expect(await landWork(repo, 'i-2')).not.toHaveProperty('note', expect.anything());
      expect(await sh(checkout, 'status', '--porcelain')).toBe('');
      expect((await read(checkout, 'new/big.txt')).length).toBe(100_000);
    } finally {
      await shell(repo.root, `umount --lazy '${checkout}'`);
    }
  });
});

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
