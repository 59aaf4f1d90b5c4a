/** The report calls work saved only where a save has some. Features: C2 G8. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placesOf } from '../../../src/client/report/places.js';
import { keep } from '../../../src/git/saves/saves.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

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
