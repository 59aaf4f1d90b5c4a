/** Programs inside the repository that git would run in the agent's version are named (F1). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { insidePrograms, insideText } from '../../../../src/git/confinement/inside-programs.js';
import { makeRepo, put, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'tools/clean.sh': 'cat\n',
    'strip.py': 'x\n',
    'pkg/__main__.py': 'x\n',
    '.husky/pre-commit': 'x\n',
  });
});
afterEach(() => repo.remove());

it.each([
  ['filter.x.clean', 'tools/clean.sh', 'tools/clean.sh'],
  ['filter.x.smudge', './tools/clean.sh --now', 'tools/clean.sh'],
  ['filter.x.process', 'sh "tools/clean.sh"', 'tools/clean.sh'],
  ['merge.x.driver', 'python3 -m strip %O %A %B', 'strip.py'],
  ['diff.x.textconv', 'FOO=1 python3 -m pkg', 'pkg'],
])('F1: %s = %s', async (key, value, path) => {
  await sh(repo.root, 'config', key, value);
  const [one] = await insidePrograms(repo.root, false);
  expect(one).toEqual({ key, path });
  if (one) expect(insideText(one, repo.root).found).toContain(`${key} runs ${path}`);
});

it.each([
  ['filter.lfs.clean', 'git-lfs clean -- %f'],
  ['filter.lfs.process', 'git-lfs filter-process'],
  ['filter.x.clean', 'cleaner --now'],
  ['merge.x.driver', 'true'],
  ['filter.x.clean', 'sed s/a/b/'],
])('F1: not %s = %s', async (key, value) => {
  await sh(repo.root, 'config', key, value);
  expect(await insidePrograms(repo.root, true)).toEqual([]);
});

it('F1: hooks count where ralphctl runs them, and where they lie in the repository', async () => {
  await sh(repo.root, 'config', 'core.hooksPath', '.husky');
  expect(await insidePrograms(repo.root, false)).toEqual([]);
  expect(await insidePrograms(repo.root, true)).toEqual([{ key: 'core.hooksPath', path: '.husky' }]);
  await put(repo.scratch, { 'hooks/pre-commit': 'x\n' });
  await sh(repo.root, 'config', 'core.hooksPath', `${repo.scratch}/hooks`);
  expect(await insidePrograms(repo.root, true)).toEqual([]);
});
