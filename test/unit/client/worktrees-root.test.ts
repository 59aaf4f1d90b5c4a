/** Where worktrees may be kept. Feature: B1. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkWorktreesRoot } from '../../../src/client/plan/worktrees-root.js';
import { inspectRepository } from '../../../src/git/repository.js';
import { makeRepo, put, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
});
afterEach(() => repo.remove());

const check = async (root: string) => checkWorktreesRoot(await inspectRepository(repo.root), root);

describe('worktrees.root', () => {
  it.each([
    ['/', /the repository lies in it/],
    ['.', /it is the repository itself/],
    ['..', /the repository lies in it/],
    ['../../..', /the repository lies in it/],
    ['.git', /git’s own folder/],
    ['.git/worktrees', /git’s own folder/],
    ['a.txt', /not a folder/],
    ['a.txt/below', /a part of its path is a file/],
    ['/dev/null', /not a folder/],
    ['/dev/null/x', /a part of its path is a file/],
    ['a\0b', /NUL character/],
    ['link', /the repository lies in it/],
  ])('refuses %j', async (root, why) => {
    await symlink('/', join(repo.root, 'link'));
    await expect(check(root)).rejects.toThrow(why);
  });

  it('is relative to the repository, wherever the worker runs', async () => {
    await put(repo.root, { '.gitignore': '.worktrees/\n' });
    expect(await check('.worktrees')).toEqual({ path: join(repo.root, '.worktrees') });
  });

  it('warns where git would list the worktrees as untracked files', async () => {
    expect((await check('trees/all')).warning).toMatch(/add trees\/all\/ to \.gitignore/);
  });

  it('takes a folder that does not exist yet', async () => {
    const path = join(repo.scratch, 'not', 'yet');
    expect(await check(path)).toEqual({ path });
  });

  it.skipIf(process.getuid?.() === 0)('refuses a folder that cannot be written', async () => {
    const path = join(repo.scratch, 'locked');
    await mkdir(path);
    await writeFile(join(path, 'x'), '');
    await chmod(path, 0o500);
    await expect(check(path)).rejects.toThrow(/is not writable/);
  });
});
