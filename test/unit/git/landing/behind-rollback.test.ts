/**
 * A checkout that a rollback leaves behind: its files are those of the work that is off. And a stash with old files that
 * outlasts a landing or a rollback. Features: C1 C2.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, undoWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const lines = (edits: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, at) => `${edits[at + 1] ?? at + 1}\n`).join('');

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ shared: lines(), 'other.txt': 'o\n' });
});
afterEach(() => repo.remove());

async function land(idea: string, files: Record<string, string>): Promise<void> {
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, files, 'step');
  expect(await landWork(repo, idea)).toMatchObject({ kind: 'landed' });
}
const undo = (idea: string) => undoWork(repo, idea, { title: `feat: Do ${idea}` });
/** The person edits a file of which the rollback takes off another line. */
async function rolledBack() {
  await land('i-1', { shared: lines({ 1: 'agent' }), 'new.txt': 'new\n' });
  await put(repo.root, { shared: lines({ 1: 'agent', 20: 'mine' }) });
  return undo('i-1');
}
const behind = () => checkoutsBehind(repo.root, 'main');

it('C1 C2: is told in words of the rollback, and not as missing landed work', async () => {
  const { note } = (await rolledBack()) as { note?: string };
  expect(note).toMatch(/^the rollback changes shared, which you have edited in .* run: ralphctl sync$/);
  expect(await behind()).toEqual([
    `${repo.root} still has new.txt and 1 more as before the rollback, because your edits blocked the update. ` +
      'A commit there would bring the work back that was rolled back. First run: ralphctl sync (it keeps your edits)',
  ]);
  await syncCheckout(repo.root, 'main');
  expect(await read(repo.root, 'shared')).toBe(lines({ 20: 'mine' }));
  expect(await behind()).toEqual([]);
});

it('C1 C2: what lacks landed work, too, is told as before', async () => {
  await rolledBack();
  await land('i-2', { 'second.txt': '2\n' });
  expect(await behind()).toEqual([expect.stringMatching(/ still has the old new\.txt and 2 more, because your edits/)]);
});

describe.each([
  ['a landing', () => land('i-2', { 'second.txt': '2\n' })],
  ['a rollback', () => undo('i-0').then(() => undefined)],
])('C1 a stash with the old files, over %s', (_, move) => {
  it('is told when it comes back', async () => {
    await land('i-0', { 'zero.txt': '0\n' });
    await rolledBack();
    await sh(repo.root, 'stash', '-q');
    expect(await behind()).toEqual([]);
    await move();
    await sh(repo.root, 'stash', 'pop', '-q');
    expect(await read(repo.root, 'new.txt')).toBe('new\n');
    expect(await behind()).toEqual([expect.stringContaining('run: ralphctl sync')]);
    await syncCheckout(repo.root, 'main');
    expect(await read(repo.root, 'shared')).toBe(lines({ 20: 'mine' }));
    await expect(read(repo.root, 'new.txt')).rejects.toThrow();
    expect(await behind()).toEqual([]);
  });
});
