/** The target in two checkouts (`git worktree add -f`): each is brought along, or told with its own reason (C1). */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allBehind, checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let other: string;
beforeEach(async () => {
  repo = await makeRepo({
    'a.txt': 'one\n',
    'b.txt': 'l1\nl2\nl3\nl4\nl5\n',
    'roadmap.md': '- [ ] i-1\n\n\n\n\ntext\n',
  });
  other = join(repo.scratch, 'the other');
  await sh(repo.root, 'worktree', 'add', '-q', '-f', other, 'main');
});
afterEach(() => repo.remove());

async function land(idea: string, files: Record<string, string>, backlogPath?: string) {
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, files, 'work');
  const got = await landWork(repo, idea, backlogPath ? { backlogPath } : {});
  expect(got.kind).toBe('landed');
  return got;
}
const remembered = () => sh(repo.root, 'for-each-ref', 'refs/ralphctl/checkout-base', 'refs/ralphctl/worktree-base');
const clean = () => Promise.all([repo.root, other].map((dir) => sh(dir, 'status', '--porcelain')));

it('C1 both are brought along, beside edits that are in nobody’s way', async () => {
  await put(other, { 'a.txt': 'mine\n', 'mine.txt': 'm\n' });
  expect(await land('i-1', { 'new.txt': 'n\n' })).not.toHaveProperty('note', expect.anything());
  expect(await clean()).toEqual(['', ' M a.txt\n?? mine.txt']);
  expect([await read(repo.root, 'new.txt'), await read(other, 'new.txt')]).toEqual(['n\n', 'n\n']);
  expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
});

it('C1 one with edits in the way stays behind alone, and sync brings it along beside the other', async () => {
  await put(repo.root, { 'b.txt': 'mine\nl2\nl3\nl4\nl5\n' });
  const note = `landed work changes b.txt, which you have edited in ${repo.root};`;
  expect(await land('i-1', { 'b.txt': 'l1\nl2\nl3\nl4\ntheirs\n', 'new.txt': 'n\n' })).toMatchObject({
    note: expect.stringContaining(note),
  });
  expect(await sh(other, 'status', '--porcelain')).toBe('');
  expect(await read(other, 'new.txt')).toBe('n\n');
  const told = [expect.stringMatching(/my repo still has the old b\.txt and 1 more, .*First run: ralphctl sync/)];
  expect(await checkoutsBehind(repo.root, 'main')).toEqual(told);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ checkout: repo.root, merged: ['b.txt'] });
  expect(await read(repo.root, 'b.txt')).toBe('mine\nl2\nl3\nl4\ntheirs\n');
  expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
});

it('C1 both with edits in the way are told by path, and each is brought along by itself', async () => {
  await put(repo.root, { 'b.txt': 'mine\nl2\nl3\nl4\nl5\n' });
  await put(other, { 'b.txt': 'l1\nl2\nl3\nl4\nours\n' });
  const { note } = (await land('i-1', { 'b.txt': 'l1\nl2\nl3\nl4\ntheirs\n' })) as { note?: string };
  for (const dir of [repo.root, other]) expect(note).toContain(`which you have edited in ${dir};`);
  expect(await land('i-2', { 'new.txt': 'n\n' })).toMatchObject({ kind: 'landed' });
  const texts = await checkoutsBehind(repo.root, 'main');
  expect(texts).toEqual([
    expect.stringContaining(`${repo.root} still has the old b.txt and 1 more`),
    expect.stringContaining(`${other} still has the old b.txt and 1 more`),
  ]);
  for (const text of texts) expect(text).not.toContain('detach');
  const tried = new Set<string>();
  expect(await syncCheckout(repo.root, 'main', { tried })).toMatchObject({ checkout: repo.root });
  await expect(syncCheckout(repo.root, 'main', { tried })).rejects.toThrow(`same lines of b.txt in ${other}`);
  expect(await syncCheckout(repo.root, 'main', { tried })).toBeUndefined();
  expect(await read(repo.root, 'b.txt')).toBe('mine\nl2\nl3\nl4\ntheirs\n');
  expect(await read(other, 'b.txt')).toBe('l1\nl2\nl3\nl4\nours\n');
  expect(await syncCheckout(repo.root, 'main', { conflicts: true })).toMatchObject({ conflicts: ['b.txt'] });
  expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
});

it('C1 two linked ones beside a main one on another branch are remembered, each by itself', async () => {
  await sh(repo.root, 'switch', '-qc', 'feature');
  const third = join(repo.scratch, 'third');
  await sh(repo.root, 'worktree', 'add', '-q', '-f', third, 'main');
  for (const dir of [other, third]) await put(dir, { 'a.txt': 'mine\n' });
  await land('i-1', { 'a.txt': 'landed\n' });
  expect(await checkoutsBehind(repo.root, 'main')).toEqual(
    [other, third].map((dir) => expect.stringContaining(`${dir} still has the old a.txt`)),
  );
});

it('C1 one that lags and is detached then is still told, and brought along', async () => {
  await put(other, { 'b.txt': 'mine\nl2\nl3\nl4\nl5\n' });
  await land('i-1', { 'b.txt': 'l1\nl2\nl3\nl4\ntheirs\n', 'new.txt': 'n\n' });
  await sh(other, 'switch', '-q', '--detach');
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([
    expect.stringContaining(`${other} still has the old b.txt and 1 more, because a switch to no branch`),
  ]);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ checkout: other });
  expect(await sh(other, 'status', '--porcelain')).toBe(' M b.txt');
  expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
});

it('C1 edits of the backlog alone keep only the backlog back, in each', async () => {
  for (const dir of [repo.root, other]) await put(dir, { 'roadmap.md': '- [ ] i-1\n\n\n\n\nmy text\n' });
  const got = await land('i-1', { 'roadmap.md': '- [x] i-1\n\n\n\n\ntext\n', 'new.txt': 'n\n' }, 'roadmap.md');
  expect(got).not.toHaveProperty('note', expect.anything());
  for (const dir of [repo.root, other]) expect(await read(dir, 'new.txt')).toBe('n\n');
  for (let n = 0; n < 2; n++) expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['roadmap.md'] });
  for (const dir of [repo.root, other]) expect(await read(dir, 'roadmap.md')).toBe('- [x] i-1\n\n\n\n\nmy text\n');
});
