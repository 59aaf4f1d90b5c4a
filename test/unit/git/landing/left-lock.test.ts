/** A lock that a killed git or an agent left: what is on the target counts as landed all the same (C1 F1). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
});
afterEach(() => repo.remove());

it('C1 is told with the file to remove, and keeps only the branch', { timeout: 120_000 }, async () => {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'b.txt': 'b\n' }, 'work');
  const lock = join(repo.root, '.git', 'packed-refs.lock');
  await put(repo.root, { '.git/packed-refs.lock': '' });
  const got = await landWork(repo);
  expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining(`rm '${lock}'`) });
  expect(got).toMatchObject({ note: expect.stringMatching(/^The branch \S+ was kept, as git could not tidy up: /) });
  expect(await sh(repo.root, 'show', 'main:b.txt')).toBe('b');

  await rm(lock);
  expect(await landWork(repo)).toMatchObject({ kind: 'landed' });
  expect(await sh(repo.root, 'branch', '--list', 'ralphctl/*')).toBe('');
});
