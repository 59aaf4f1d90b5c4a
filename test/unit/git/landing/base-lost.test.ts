/** An idea that began on a commit which the target does not have: rewound, or another target now. Features: D1 C2. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let base: string;
const main = (...args: string[]) => sh(repo.root, ...args);
const refused = async (target: string): Promise<string> => {
  const error = await landWork(repo, 'i-1', { base, target }).catch((problem: Error) => problem);
  return (error as Error).message;
};

/** i-8 and i-9 have landed on main, and i-1 works on top of them. */
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  await commitFiles(repo.root, { '8.txt': '8\n' }, 'feat: eight\n\nRalph-Idea: i-8');
  base = await commitFiles(repo.root, { '9.txt': '9\n' }, 'feat: nine\n\nRalph-Idea: i-9');
  await commitFiles((await worktreeOf(repo, 'i-1')).path, { 'a.txt': 'two\n' }, 'own');
});
afterEach(() => repo.remove());

it('on a target that the run did not have before, nothing was rewound: says where it began, and both commands work', async () => {
  await main('branch', 'side', repo.base);
  const message = await refused('side');
  expect(message).toContain(
    `i-1 started on main at ${base.slice(0, 10)}, and side does not contain that: i-9, i-8 landed on main.`,
  );
  expect(message).toContain('ralphctl start --target main');
  expect(message).not.toContain('rewound');
  const command = /: (git -C .*), then: ralphctl answer i-1 "moved"\.$/.exec(message)?.[1] ?? 'false';
  await promisify(execFile)('sh', ['-c', command]);
  expect(await landWork(repo, 'i-1', { base: repo.base, target: 'side' })).toMatchObject({
    kind: 'landed',
    commits: 1,
  });
  expect(await main('ls-tree', '--name-only', 'side')).toBe('a.txt');
});

it('a target that had the commit once was rewound, also where another branch still has it', async () => {
  await main('branch', 'backup');
  await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'later');
  await main('reset', '-q', '--hard', repo.base);
  expect(await refused('main')).toMatch(/^main was rewound: it no longer contains/);
});

it('a target that was made above the commit and moved below it was rewound', async () => {
  await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'later');
  await main('branch', 'side');
  await main('branch', '-f', 'side', repo.base);
  expect(await refused('side')).toMatch(/^side was rewound/);
});

it.each(['rewound', 'another'])('the next run asks, too, where its target lacks the commit: %s', async (how) => {
  const target = how === 'another' ? 'side' : 'main';
  if (how === 'another') await main('branch', 'side', repo.base);
  else await main('reset', '-q', '--hard', repo.base);
  const prepared = () => worktreeOf(repo, 'i-1', { base: repo.base });
  const again = await prepared();
  expect(again).toMatchObject({ origin: 'adopted', base });
  const error = await landWork(repo, 'i-1', { base: again.base, target }).catch((problem: Error) => problem);
  const { message } = error as Error;
  expect(message).toMatch(how === 'another' ? /^i-1 started on main/ : /^main was rewound/);
  expect(await main('rev-parse', target)).toBe(repo.base);
  const [command = 'false'] = /git -C .* rebase --onto \S+ [0-9a-f]+/.exec(message) ?? [];
  await promisify(execFile)('sh', ['-c', command]);
  const moved = await prepared();
  expect(moved.base).toBe(repo.base);
  expect(await landWork(repo, 'i-1', { base: moved.base, target })).toMatchObject({ kind: 'landed', commits: 1 });
  expect(await main('ls-tree', '--name-only', target)).toBe('a.txt');
});

it('a target that only went on is no other one: the idea has what both have in common', async () => {
  await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'later');
  expect(await worktreeOf(repo, 'i-1')).toMatchObject({ origin: 'adopted', base });
});
