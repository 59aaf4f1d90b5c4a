/** The list of worktrees while git writes the registration of a new one: git fails at its half. Features: B2. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listWorktrees } from '../../../../src/git/worktrees/list.js';
import { makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let half = '';
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
  await sh(repo.root, 'worktree', 'add', '-q', '--detach', join(repo.scratch, 'other'));
  half = join(repo.root, '.git/worktrees/other/commondir');
});
afterEach(() => repo.remove());

it('waits until it is whole', async () => {
  const whole = await readFile(half);
  await writeFile(half, '');
  await expect(sh(repo.root, 'worktree', 'list')).rejects.toThrow(/failed to read .*commondir/);
  const listing = listWorktrees(repo.root);
  await delay(60);
  await writeFile(half, whole);
  expect((await listing).map(({ path }) => path)).toEqual([repo.root, join(repo.scratch, 'other')]);
});

it('tells the error where it stays half', async () => {
  await writeFile(half, '');
  await expect(listWorktrees(repo.root)).rejects.toThrow(/failed to read .*commondir/);
});
