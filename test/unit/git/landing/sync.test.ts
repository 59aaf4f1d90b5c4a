/** `ralphctl sync`: a checkout that was left behind gets what landed, with the user's edits in it (C1). */
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { restoreSave } from '../../../../src/git/saves/restore.js';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': TEN, 'b.txt': 'bee\n', 'old.txt': 'old\n', '.gitignore': '*.log\n' });
});
afterEach(() => repo.remove());

/** As a landing leaves a checkout whose edits were in the way: the branch has moved, index and files have not. */
async function landBehind(files: Record<string, string>, gone: string[] = []): Promise<string> {
  const other = join(repo.scratch, 'other');
  const base = await sh(repo.root, 'rev-parse', 'main');
  await sh(repo.root, 'worktree', 'add', '-q', '--detach', other, 'main');
  await put(other, files);
  for (const path of gone) await rm(join(other, path));
  await sh(other, 'add', '-A', '-f');
  await sh(other, 'commit', '-q', '-m', 'landed');
  const tip = await sh(other, 'rev-parse', 'HEAD');
  await sh(repo.root, 'worktree', 'remove', '--force', other);
  await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-base/main', base);
  await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
  return tip;
}
const status = () => sh(repo.root, 'status', '--porcelain');

it('C1 merges edits of a file that landed, keeps what is staged staged, and ends the warning', async () => {
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'mine'), 'b.txt': 'staged\n', 'mine.txt': 'untracked\n' });
  await sh(repo.root, 'add', 'b.txt');
  const before = await read(repo.root, 'a.txt');
  await landBehind({ 'a.txt': TEN.replace('l9', 'theirs'), 'new.txt': 'n\n' }, ['old.txt']);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringContaining('ralphctl sync')]);
  const done = await syncCheckout(repo.root, 'main');
  expect(done).toMatchObject({ paths: ['a.txt', 'new.txt', 'old.txt'], merged: ['a.txt'], conflicts: [] });
  expect(await read(repo.root, 'a.txt')).toBe(TEN.replace('l1', 'mine').replace('l9', 'theirs'));
  expect(await status()).toBe(' M a.txt\nM  b.txt\n?? mine.txt');
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  const [save] = await listSaves(repo.root, 'checkout');
  expect(`${await sh(repo.root, 'show', `${save?.ref}:a.txt`)}\n`).toBe(before);
  await sh(repo.root, 'commit', '-q', '-a', '-m', 'my edit');
  expect(await sh(repo.root, 'show', 'main:new.txt')).toBe('n');
  expect((await shell(repo.root, 'git show main:old.txt')).code).not.toBe(0);
});

it('C1 saves the state before so that a restored branch has the staged version, too', async () => {
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'staged') });
  await sh(repo.root, 'add', 'a.txt');
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'staged').replace('l5', 'later') });
  await landBehind({ 'a.txt': TEN.replace('l9', 'theirs') });
  await syncCheckout(repo.root, 'main');
  const { branch } = await restoreSave({ repo: repo.root, idea: 'checkout', n: 1 });
  expect(`${await sh(repo.root, 'show', `${branch}:a.txt`)}\n`).toBe(
    TEN.replace('l1', 'staged').replace('l5', 'later'),
  );
  expect(`${await sh(repo.root, 'show', `${branch}^:a.txt`)}\n`).toBe(TEN.replace('l1', 'staged'));
});

it('C1 refuses where both changed the same lines, changes nothing, and can leave markers', async () => {
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'mine') });
  await landBehind({ 'a.txt': TEN.replace('l1', 'theirs'), 'new.txt': 'n\n' });
  const before = await status();
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(/same lines of a\.txt .*ralphctl sync --conflicts/);
  expect(await status()).toBe(before);
  expect(await read(repo.root, 'a.txt')).toBe(TEN.replace('l1', 'mine'));
  expect(await syncCheckout(repo.root, 'main', { conflicts: true })).toMatchObject({ conflicts: ['a.txt'] });
  expect(await read(repo.root, 'a.txt')).toContain('<<<<<<< your edits\nmine\n=======\ntheirs\n>>>>>>> main\n');
  expect(await status()).toBe(' M a.txt');
  expect(await read(repo.root, 'new.txt')).toBe('n\n');
});

it('C1 puts a link and a file of one name beside each other, under readable names', async () => {
  await landBehind({ 'lf.txt': 'theirs\n', 'a.txt': TEN.replace('l9', 'theirs') });
  await symlink('b.txt', join(repo.root, 'lf.txt'));
  await sh(repo.root, 'add', '-f', 'lf.txt');
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(/same lines of lf\.txt in/);
  const done = await syncCheckout(repo.root, 'main', { conflicts: true });
  expect(done).toMatchObject({ beside: [expect.stringMatching(/^lf\.txt~(?:your-edits|main)$/)] });
  const { beside = [], conflicts = [] } = done ?? {};
  expect([...beside, ...conflicts].filter((name) => /[0-9a-f]{20}/.test(name))).toEqual([]);
  const there = (await shell(repo.root, 'ls')).out;
  expect(there).toContain(beside[0]);
  expect(there).not.toMatch(/[0-9a-f]{20}/);
  const contents = await Promise.all(['lf.txt', beside[0] ?? ''].map((name) => read(repo.root, name)));
  expect(contents.sort()).toEqual(['bee\n', 'theirs\n']);
});

it('C1 refuses over an untracked or ignored file by name, unless it is the very file that landed', async () => {
  await landBehind({ 'new.txt': 'n\n', 'same.log': 's\n' });
  await put(repo.root, { 'new.txt': 'mine\n', 'same.log': 's\n' });
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(
    /Untracked new\.txt in .* Move it away, then run: ralphctl sync/,
  );
  expect(await read(repo.root, 'new.txt')).toBe('mine\n');
  await rm(join(repo.root, 'new.txt'));
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['new.txt', 'same.log'] });
  expect(await status()).toBe('');
});

it('C1 refuses in the middle of a merge, and says what to do', async () => {
  await sh(repo.root, 'branch', 'side');
  await sh(repo.root, 'switch', '-q', 'side');
  await commitFiles(repo.root, { 'b.txt': 'side\n' }, 'side');
  await sh(repo.root, 'switch', '-q', 'main');
  await commitFiles(repo.root, { 'b.txt': 'main\n' }, 'main');
  await shell(repo.root, 'git merge side');
  await landBehind({ 'a.txt': 'landed\n' });
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(
    /merge is in progress .* Undo it \(git -C '.*' merge --abort\), then run: ralphctl sync/,
  );
});

it('C1 goes on where it was stopped between files and index', async () => {
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'mine') });
  await landBehind({ 'a.txt': TEN.replace('l9', 'theirs'), 'new.txt': 'n\n' }, ['old.txt']);
  const merged = TEN.replace('l1', 'mine').replace('l9', 'theirs');
  await put(repo.root, { 'a.txt': merged, 'new.txt': 'n\n' });
  await rm(join(repo.root, 'old.txt'));
  await syncCheckout(repo.root, 'main');
  expect(await read(repo.root, 'a.txt')).toBe(merged);
  expect(await status()).toBe(' M a.txt');
});

it('C1 forgets what it remembered once the user has committed or left the branch', async () => {
  const tip = await landBehind({ 'a.txt': 'landed\n' });
  await sh(repo.root, 'read-tree', '-m', '-u', repo.base, tip);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  expect((await shell(repo.root, 'git rev-parse -q --verify refs/ralphctl/checkout-base/main')).code).toBe(1);
});
