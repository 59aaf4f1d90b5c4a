/** The branch of a finished idea is deleted before its landing, and git has removed its commits. Features: C1 C5. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { restoreSave } from '../../../../src/git/saves/restore.js';
import { keep } from '../../../../src/git/saves/saves.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

/** Work that is gone from the repository, but for `saved` commits of it. */
async function lost(saved: 'all' | 'first' | 'none'): Promise<{ head: string; base: string; first: string }> {
  const { path, base } = await worktreeOf(repo, 'i-1');
  const first = await commitFiles(path, { 'b.txt': 'b' }, 'work');
  const head = await commitFiles(path, { 'c.txt': 'c' }, 'more work');
  if (saved !== 'none') await keep(repo.root, 'i-1', saved === 'all' ? head : first, 'its agent was interrupted');
  await sh(repo.root, 'worktree', 'remove', '--force', path);
  await sh(repo.root, 'branch', '-D', 'ralph/i-1');
  await sh(repo.root, 'reflog', 'expire', '--expire=now', '--all');
  await sh(repo.root, 'gc', '-q', '--prune=now');
  return { head, base, first };
}

it('C1: what a save has lands all the same', async () => {
  const { head, base } = await lost('all');
  expect(await landWork(repo, 'i-1', { head, base })).toMatchObject({ kind: 'landed', commits: 2 });
});

it('C5: the message names the newest save and the commands, and the idea goes on from there', async () => {
  const { head, base, first } = await lost('first');
  const commit = head.slice(0, 10);
  await expect(landWork(repo, 'i-1', { head, base })).rejects.toThrow(
    `Work of i-1 is missing: the branch ralph/i-1 does not exist any more, and the repository no longer has its commit ${commit}. Its save 1 (refs/ralphctl/save/i-1/1) is the newest one. Get it back: ralphctl saves restore i-1 1 --to ralph/i-1. Then: ralphctl retry i-1`,
  );
  await restoreSave({ repo: repo.root, idea: 'i-1', n: 1, to: 'ralph/i-1' });
  const { path } = await worktreeOf(repo, 'i-1');
  expect(await sh(path, 'rev-parse', 'HEAD')).toBe(first);
  expect(await landWork(repo, 'i-1')).toMatchObject({ kind: 'landed', commits: 1 });
});

it('C5: without a save the message says so', async () => {
  const { head, base } = await lost('none');
  await expect(landWork(repo, 'i-1', { head, base })).rejects.toThrow(/No save has it\. Start the idea over/);
});
