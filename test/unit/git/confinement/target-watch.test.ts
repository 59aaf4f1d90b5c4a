/** Moves of the target by ralphctl itself are known, also two at a time. Features: C1 D2. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { admitTip, expectTip, targetTips, watchTarget } from '../../../../src/git/confinement/target-watch.js';
import { raiseWall, type Wall } from '../../../../src/git/confinement/wall.js';
import { commitFiles, makeRepo, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
let wall: Wall;
let tips: string[];
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  const dir = join(repo.scratch, 'wall');
  await mkdir(dir);
  const place = { commonDir: join(repo.root, '.git'), root: repo.root, linked: [], dir };
  wall = await raiseWall(place, new Date(0).toISOString());
  await watchTarget(repo.root, 'main');
  tips = [await sh(repo.root, 'rev-parse', 'main')];
  await sh(repo.root, 'switch', '-q', '--detach');
  for (const name of ['b', 'c']) tips.push(await commitFiles(repo.root, { [name]: name }, name));
});
afterEach(() => repo.remove());

it('C1 whichever of two moves from one tip wins, it is no foreign one', async () => {
  const [start = '', undo = '', remote = ''] = tips;
  await Promise.all([undo, remote].map((to) => expectTip(repo.root, 'main', start, to)));
  for (const tip of [undo, remote]) {
    await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
    await admitTip(repo.root, 'main', tip, 't-1');
  }
  expect((await targetTips(wall)).get('refs/heads/main')).toEqual(new Set([start, undo, remote]));
});

it('D2 a rebase of another branch that carried the target along is a move of a person', async () => {
  const run = (line: string) => shell(repo.root, line);
  await sh(repo.root, 'switch', '-q', 'main');
  await commitFiles(repo.root, { 'a.txt': 'two\n' }, 'two');
  await admitTip(repo.root, 'main', await sh(repo.root, 'rev-parse', 'main'), 't-1');
  await sh(repo.root, 'switch', '-q', '-c', 'upper');
  await commitFiles(repo.root, { 'upper.txt': 'upper\n' }, 'on upper');
  expect(
    await run(
      'GIT_SEQUENCE_EDITOR="sed -i 0,/^pick/s/^pick/edit/" git rebase -q -i --update-refs HEAD~2; ' +
        'git commit -q --amend -m other && git rebase --continue',
    ),
  ).toMatchObject({ code: 0 });
  const carried = await sh(repo.root, 'rev-parse', 'main');
  expect(await sh(repo.root, 'log', '-1', '--format=%s', 'main')).toBe('other');
  await expect(admitTip(repo.root, 'main', carried, 't-1')).resolves.toBeUndefined();
});

it.each([
  ['removed', 'rm .git/index'],
  ['emptied', 'truncate -s 0 .git/index'],
  ['cut in its entries', 'truncate -s 60 .git/index'],
  [
    'of other files, with a wrong sum',
    `printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\0%020d' 0 > .git/index && printf x >> .git/index`,
  ],
])('D2 C5 a commit of a person, and the index is %s: nothing shows whose it is', async (_, breaks) => {
  await sh(repo.root, 'switch', '-q', 'main');
  const tip = await commitFiles(repo.root, { 'new.txt': 'new\n' }, 'mine');
  expect(await shell(repo.root, breaks)).toMatchObject({ code: 0 });
  const file = join(repo.root, '.git/index');
  await expect(admitTip(repo.root, 'main', tip, 't-1')).rejects.toMatchObject({
    problem: expect.stringContaining(`nothing shows a commit, merge or pull there, as git cannot read ${file}.`),
  });
  // The idea returns once its person has seen that.
  await expect(admitTip(repo.root, 'main', tip, 't-1')).resolves.toBeUndefined();
});
