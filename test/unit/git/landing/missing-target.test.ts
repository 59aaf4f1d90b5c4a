/** A target that is deleted or renamed while a run goes on: the command in the error brings it back as it was. C1 D2 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchTarget } from '../../../../src/git/confinement/target-watch.js';
import { raiseWall } from '../../../../src/git/confinement/wall.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  const dir = join(repo.scratch, 'wall');
  await mkdir(dir);
  const linked = [repo.worktreesRoot, repo.integrationRoot];
  const place = { commonDir: join(repo.root, '.git'), root: repo.root, linked, dir };
  await raiseWall(place, new Date(0).toISOString());
  await watchTarget(repo.root, 'main');
  await sh(repo.root, 'branch', 'feature');
  for (const idea of ['i-1', 'i-2']) {
    const { path } = await worktreeOf(repo, idea);
    await commitFiles(path, { [`${idea}.txt`]: idea }, idea);
  }
});
afterEach(() => repo.remove());

/** The last sentence of the error is a command; afterwards the landing goes on. */
async function bringBack(said: RegExp): Promise<void> {
  const error = await landWork(repo, 'i-2').catch((got: Error) => got);
  expect(String(error)).toMatch(said);
  const command = /: (git branch .*)$/.exec(String(error))?.[1] ?? expect.fail(String(error));
  expect(await shell(repo.root, command)).toMatchObject({ code: 0 });
}

it('deleted after a landing: at its last tip, whatever is checked out', async () => {
  expect(await landWork(repo, 'i-1')).toMatchObject({ kind: 'landed' });
  const tip = await sh(repo.root, 'rev-parse', 'main');
  await sh(repo.root, 'switch', '-q', 'feature');
  await sh(repo.root, 'branch', '-qD', 'main');
  await bringBack(/There is no branch main in .* any more; it was last seen at [0-9a-f]{12}/);
  expect(await sh(repo.root, 'rev-parse', 'main')).toBe(tip);
  expect(await landWork(repo, 'i-2')).toMatchObject({ kind: 'landed' });
});

it('deleted after a commit of a person, that of the run aside', async () => {
  const mine = await commitFiles(repo.root, { 'mine.txt': 'mine' }, 'mine');
  await sh(repo.root, 'switch', '-q', 'feature');
  await sh(repo.root, 'branch', '-qD', 'main');
  await bringBack(/last seen at/);
  expect(await sh(repo.root, 'rev-parse', 'main')).toBe(mine);
});

it('renamed: under its new name it has what landed', async () => {
  expect(await landWork(repo, 'i-1')).toMatchObject({ kind: 'landed' });
  const tip = await sh(repo.root, 'rev-parse', 'main');
  await sh(repo.root, 'branch', '-m', 'main', 'trunk');
  await bringBack(/There is no branch main in .*: it was renamed to trunk/);
  expect(await sh(repo.root, 'rev-parse', 'main')).toBe(tip);
  expect(await landWork(repo, 'i-2')).toMatchObject({ kind: 'landed' });
});
