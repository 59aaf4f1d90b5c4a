/** A worktree of the target whose folder is away while work lands: it lags once it is back (C1). */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allBehind, checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let linked: string;
let aside: string;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n' });
  linked = join(repo.scratch, 'linked one');
  aside = `${linked}.aside`;
  await sh(repo.root, 'switch', '-q', '-c', 'feature');
  await sh(repo.root, 'worktree', 'add', '-q', linked, 'main');
});
afterEach(() => repo.remove());

async function land(idea: string, files: Record<string, string>) {
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, files, 'work');
  return landWork(repo, idea);
}
const leave = () => rename(linked, aside);
async function comeBack(): Promise<void> {
  await rm(linked, { recursive: true, force: true });
  await rename(aside, linked);
}
const remembered = () => sh(repo.root, 'for-each-ref', 'refs/ralphctl/checkout-base', 'refs/ralphctl/worktree-base');

it('C1 that is locked, is named while it is away, lags when it is back, and sync brings it along', async () => {
  await sh(repo.root, 'worktree', 'lock', linked);
  await leave();
  const note = /folder of the locked worktree .*linked one is not there; .* bring it back, then run: ralphctl sync/;
  expect(await land('i-1', { 'a.txt': 'two\n', 'new.txt': 'n\n' })).toMatchObject({
    kind: 'landed',
    note: expect.stringMatching(note),
  });
  expect(await land('i-2', { 'b.txt': 'boo\n' })).toMatchObject({ kind: 'landed' });
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([
    expect.stringMatching(/linked one still has the old a\.txt and 2 more, because the folder .* is not there/),
  ]);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  await comeBack();
  expect(await allBehind(repo.root, 'feature')).toEqual([
    expect.stringMatching(/linked one still has the old a\.txt and 2 more.* First run: ralphctl sync/),
  ]);
  await put(linked, { 'b.txt': 'bee\nmine\n' });
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(/same lines of b\.txt/);
  await put(linked, { 'b.txt': 'bee\n', 'mine.txt': 'm\n' });
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['a.txt', 'b.txt', 'new.txt'] });
  expect(await sh(linked, 'status', '--porcelain')).toBe('?? mine.txt');
  expect(await read(linked, 'new.txt')).toBe('n\n');
  expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
});

it('C1 that is not locked is told once it is back, also where its folder is left empty', async () => {
  await leave();
  await mkdir(linked);
  expect(await land('i-1', { 'a.txt': 'two\n' })).not.toHaveProperty('note', expect.anything());
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  await comeBack();
  expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['a.txt'] });
  expect(await sh(linked, 'status', '--porcelain')).toBe('');
});

it('C1 that came back is brought along by the next landing', async () => {
  await leave();
  await land('i-1', { 'a.txt': 'two\n', 'new.txt': 'n\n' });
  await comeBack();
  expect(await land('i-2', { 'b.txt': 'boo\n' })).not.toHaveProperty('note', expect.anything());
  expect(await sh(linked, 'status', '--porcelain')).toBe('');
  expect(await read(linked, 'new.txt')).toBe('n\n');
  expect(await remembered()).toBe('');
});

it('C1 is remembered after it has moved to another place, and where a person has updated it between two absences', async () => {
  await leave();
  await land('i-1', { 'a.txt': 'two\n' });
  await sh(repo.root, 'worktree', 'repair', aside);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringMatching(/aside still has the old a\.txt/)]);
  await sh(aside, 'reset', '-q', '--hard');
  await rename(aside, linked);
  await land('i-2', { 'b.txt': 'boo\n' });
  await rename(linked, aside);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringMatching(/aside still has the old b\.txt,/)]);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ checkout: aside, paths: ['b.txt'] });
  expect(await sh(aside, 'status', '--porcelain')).toBe('');
});

it('C1 is forgotten with its registration, not with a switch to another branch', async () => {
  await leave();
  await land('i-1', { 'a.txt': 'two\n' });
  await comeBack();
  await sh(linked, 'switch', '-q', '--detach');
  expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
  await sh(linked, 'switch', '-q', 'main');
  expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
  await sh(repo.root, 'worktree', 'remove', '--force', linked);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  expect(await remembered()).toBe('');
});
