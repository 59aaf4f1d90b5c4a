/** A worktree of another state folder that has the idea's branch, before that folder's ralphctl has finished it. Features: F6. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exists } from '../../../../src/git/worktrees/list.js';
import { until } from '../../../support/program.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const stateOf = (name: string): string => join(repo.scratch, name, 'projects/p/worktrees');
const ANOTHER = /Another ralphctl works on i-1: .*RALPHCTL_HOME.*ralphctl stop/;

it.each([
  ['in its state folder', 'state/projects/p/worktrees'],
  ['in a folder that the configuration names', 'big disk'],
])('F6 a worktree of another state folder is that of a live run while it is filled, %s', async (_where, folder) => {
  const [begun, go] = [join(repo.scratch, 'begun'), join(repo.scratch, 'go')];
  const script = join(repo.scratch, 'slow.sh');
  await writeFile(script, `: > '${begun}'\nuntil [ -e '${go}' ]; do sleep 0.05; done\ncat\n`);
  await commitFiles(repo.root, { '.gitattributes': '*.bin filter=slow\n', 'big.bin': 'x\n' }, 'big');
  await sh(repo.root, 'config', 'filter.slow.smudge', `sh '${script}'`);
  const filling = worktreeOf(repo, 'i-1', { worktreesRoot: join(repo.scratch, folder) });
  filling.catch(() => undefined);
  try {
    await until('git to fill it', () => exists(begun));
    const refused = worktreeOf(repo, 'i-1', { worktreesRoot: stateOf('other') });
    await expect(refused).rejects.toThrow(ANOTHER);
    await expect(refused).rejects.not.toThrow(/switch --detach/);
  } finally {
    await put(repo.scratch, { go: '' });
  }
  expect(await read((await filling).path, 'big.bin')).toBe('x\n');
});

it('F6 one that is registered and has no mark yet is known by its place', async () => {
  const path = join(stateOf('state'), 'ralph-tree-001');
  await sh(repo.root, 'worktree', 'add', '-q', '--no-checkout', '-b', 'ralph/i-1', path, repo.base);
  await expect(worktreeOf(repo, 'i-1', { worktreesRoot: stateOf('other') })).rejects.toThrow(ANOTHER);
});

it.each(['state/projects/p/worktrees/mine', 'state/ralph-tree-001'])(
  'a worktree of a person in %s is theirs',
  async (at) => {
    const path = join(repo.scratch, at);
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', path, repo.base);
    await expect(worktreeOf(repo, 'i-1', { worktreesRoot: stateOf('other') })).rejects.toThrow(/switch --detach/);
  },
);
