/** What follows an agent run: the backlog is put back, the rest is committed. Features: B11 D1 F1. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settleIteration } from '../../../../src/git/worktrees/settle.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const BACKLOG = '- [ ] i-1\n- [ ] i-2\n';
let repo: TestRepo;
let path: string;
let base: string;

beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'roadmap.md': BACKLOG });
  base = await sh(repo.root, 'rev-parse', 'main');
  ({ path } = await worktreeOf(repo, 'i-1', { base, recycle: false }));
});
afterEach(() => repo.remove());

const settle = () =>
  settleIteration({
    worktree: path,
    idea: 'i-1',
    branch: 'ralph/i-1',
    base,
    since: base,
    restore: ['roadmap.md'],
    commit: { message: 'feat: work\n', hooks: false },
  });

it.each(['uncommitted', 'committed'])('takes back what the agent did to the backlog (%s)', async (how) => {
  const files = { 'roadmap.md': BACKLOG.replaceAll('[ ]', '[x]'), 'b.txt': 'work\n' };
  if (how === 'committed') await commitFiles(path, files, 'all done');
  else await put(path, files);
  const settled = await settle();
  expect(settled.changed).toBe(true);
  expect(await read(path, 'roadmap.md')).toBe(BACKLOG);
  expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('b.txt');
  expect(await sh(path, 'status', '--porcelain')).toBe('');
});

it('sees no change where the agent only ticked boxes', async () => {
  await put(path, { 'roadmap.md': BACKLOG.replaceAll('[ ]', '[x]') });
  expect(await settle()).toMatchObject({ changed: false, commits: 0 });
});

it('C6: brings the branch back with its commits when the agent deleted it under itself', async () => {
  await commitFiles(path, { 'b.txt': 'work\n' }, 'first');
  await sh(path, 'update-ref', '-d', 'refs/heads/ralph/i-1');
  await put(path, { 'c.txt': 'more\n' });
  const settled = await settle();
  expect(settled.repairs).toEqual(['restored the deleted branch ralph/i-1']);
  expect(settled.commits).toBe(2);
  expect(await sh(path, 'log', '--format=%s', `${base}..ralph/i-1`)).toBe('feat: work\nfirst');
  expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('b.txt\nc.txt');
});

it('C6: brings the branch back at its base when no record of its commits is left', async () => {
  await sh(path, 'update-ref', '-d', 'refs/heads/ralph/i-1');
  await sh(path, 'reflog', 'expire', '--expire=now', '--all');
  await put(path, { 'c.txt': 'more\n' });
  const settled = await settle();
  expect(settled.repairs).toHaveLength(1);
  expect(await sh(path, 'rev-parse', 'HEAD~1')).toBe(base);
  expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('c.txt');
});

it('C2: keeps the commits that an agent rewrote away, as a save point', async () => {
  const before = await commitFiles(path, { 'b.txt': 'first\n' }, 'first');
  await sh(path, 'commit', '--amend', '-q', '-m', 'other', '--allow-empty');
  await sh(path, 'reset', '-q', '--hard', base);
  await put(path, { 'c.txt': 'again\n' });
  const settled = await settleIteration({
    worktree: path,
    idea: 'i-1',
    branch: 'ralph/i-1',
    base,
    since: before,
    restore: [],
    commit: { message: 'feat: work\n', hooks: false },
  });
  expect(settled).toMatchObject({ lost: 1, commits: 1 });
  expect(await sh(repo.root, 'for-each-ref', '--format=%(objectname)', 'refs/ralphctl/save/i-1')).toBe(before);
});
