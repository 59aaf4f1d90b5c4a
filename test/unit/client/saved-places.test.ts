/** The report calls work saved only where a save has some. Features: C2 G8. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placesOf } from '../../../src/client/report/places.js';
import { keep } from '../../../src/git/saves/saves.js';
import { stashIdea } from '../../../src/git/worktrees/rollback.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

it('C2 G8: a save of a commit that the target has is no saved work', async () => {
  await keep(repo.root, 'i-1', repo.base, 'its agent was interrupted');
  await sh(repo.root, 'checkout', '-q', '-b', 'side');
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'work');
  await keep(repo.root, 'i-2', (await sh(repo.root, 'rev-parse', 'HEAD')).trim(), 'its agent was interrupted');
  for (const still of [true, false])
    expect([...((await placesOf(repo.root, 'main', still)).saved ?? [])]).toEqual(['i-2']);
  expect([...((await placesOf(repo.root, 'gone', true)).saved ?? [])].sort()).toEqual(['i-1', 'i-2']);
});

it('C2 G8: nor is an older save the work that is in the worktree, uncommitted', async () => {
  const { path } = await worktreeOf(repo);
  await put(path, { 'a.txt': 'edited\n' });
  await stashIdea({ repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' });
  const saved = async () => [...((await placesOf(repo.root, 'main', true)).saved ?? [])];
  expect(await saved()).toEqual(['i-1']);
  await worktreeOf(repo);
  expect(await saved()).toEqual([]);
});
