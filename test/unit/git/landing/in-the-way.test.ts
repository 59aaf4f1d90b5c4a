/** Files, links and folders of a person where a landing adds files: named, and never overwritten or written through (C1). */
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const NINE = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': NINE, 'd/t.txt': 'tee\n', '.gitignore': '*.log\nbld\n' });
});
afterEach(() => repo.remove());

async function land(files: Record<string, string>, gone: string[] = []) {
  const { path } = await worktreeOf(repo);
  for (const one of gone) await rm(join(path, one), { recursive: true });
  await put(path, files);
  await sh(path, 'add', '-A', '-f');
  await commitFiles(path, {}, 'work');
  return landWork(repo);
}

/** Every view names these, and no others; with them away, sync brings the checkout along. */
async function expectBlocked(got: unknown, names: string[]): Promise<void> {
  const text = `ntracked ${names.join(', ')} in ${repo.root} blocks files that landed`;
  expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining(text) });
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringContaining(text)]);
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(text);
}

it.each(['with the file that landed', 'without it'])('C1 an untracked link to a folder %s', async (how) => {
  const outside = join(repo.scratch, 'outside');
  await mkdir(outside);
  if (how !== 'without it') await put(outside, { 'f.txt': 'landed\n' });
  await symlink(outside, join(repo.root, 'lnk'));
  await expectBlocked(await land({ 'lnk/f.txt': 'landed\n' }), ['lnk']);
  expect(await readlink(join(repo.root, 'lnk'))).toBe(outside);
  await rename(join(repo.root, 'lnk'), join(repo.root, 'my-lnk'));
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['lnk/f.txt'] });
  expect(await sh(repo.root, 'status', '--porcelain')).toBe('?? my-lnk');
  expect(await read(outside, 'f.txt').catch(() => 'none')).toBe(how === 'without it' ? 'none' : 'landed\n');
});

it('C1 ignored files in the place of a folder, in a folder in the place of a file, and at the path', async () => {
  await put(repo.root, { bld: 'mine\n', 'd/mine.log': 'mine\n', '.env.log': 'mine\n' });
  const got = await land({ 'bld/x.txt': 'x\n', d: 'file\n', '.env.log': 'theirs\n' }, ['d']);
  await expectBlocked(got, ['.env.log', 'bld', 'd/mine.log']);
  const mine = await Promise.all(['bld', 'd/mine.log', '.env.log'].map((path) => read(repo.root, path)));
  expect(mine).toEqual(['mine\n', 'mine\n', 'mine\n']);
  for (const path of ['bld', 'd/mine.log', '.env.log']) await rm(join(repo.root, path));
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
  expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  expect([await read(repo.root, 'd'), await read(repo.root, 'bld/x.txt')]).toEqual(['file\n', 'x\n']);
});

it('C1 a folder with tracked files alone is in nobody’s way where a file lands', async () => {
  await put(repo.root, { 'a.txt': NINE.replace('l1', 'mine') });
  await land({ d: 'file\n', 'a.txt': NINE.replace('l9', 'theirs') }, ['d']);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'], conflicts: [] });
  expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M a.txt');
  expect(await read(repo.root, 'd')).toBe('file\n');
  expect(await read(repo.root, 'a.txt')).toBe(NINE.replace('l1', 'mine').replace('l9', 'theirs'));
});

describe('C1 a name that is not UTF-8', () => {
  const bytes = (dir: string, name: string): Buffer =>
    Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name, 'latin1')]);
  const write = async (dir: string, name: string, text: string): Promise<void> => {
    const path = bytes(dir, name);
    await mkdir(path.subarray(0, path.lastIndexOf('/')), { recursive: true });
    await writeFile(path, text);
  };
  async function landBytes(name: string, gone: string[] = []) {
    const { path } = await worktreeOf(repo);
    for (const one of gone) await rm(join(path, one), { recursive: true });
    await write(path, name, 'theirs\n');
    await sh(path, 'add', '-A', '-f');
    await commitFiles(path, {}, 'work');
    return landWork(repo);
  }

  it.each([
    ['an untracked file in the place of a folder', 'n\xff.txt', 'n\xff.txt/x.txt', '"n\\377.txt"'],
    ['an ignored file in the place of a folder', 'n\xff.log', 'n\xff.log/x.txt', '"n\\377.log"'],
    ['an untracked file at the path', 'n\xff.txt', 'n\xff.txt', '"n\\377.txt"'],
    ['an ignored file at the path', 'n\xff.log', 'n\xff.log', '"n\\377.log"'],
    ['an ignored file in a folder in the place of a file', 'd/n\xff.log', 'd', '"d/n\\377.log"'],
  ])('%s is named as git quotes it, and stays', async (_, mine, theirs, quoted) => {
    await write(repo.root, mine, 'mine\n');
    await put(repo.root, { 'a.txt': NINE.replace('l1', 'mine') });
    await expectBlocked(await landBytes(theirs, theirs === 'd' ? ['d'] : []), [quoted]);
    expect(await readFile(bytes(repo.root, mine), 'utf8')).toBe('mine\n');
    await rename(bytes(repo.root, mine), join(repo.root, 'mine.log'));
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await readFile(bytes(repo.root, theirs), 'utf8')).toBe('theirs\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M a.txt');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  });
});
