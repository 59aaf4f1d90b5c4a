/** The copy of a checkout's index, in repositories of every shape. Feature: C5. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { brokenIndex, listFiles } from '../../../../src/git/checkout-index.js';
import { indexRepair, watchIndex } from '../../../../src/git/confinement/kept-index.js';
import { inspectRepository } from '../../../../src/git/repository.js';
import { commitFiles, makeRepo, put, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
let wall: string;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'in/b.txt': 'bee\n', 'out/c.txt': 'sea\n' });
  wall = join(repo.scratch, 'wall');
  await mkdir(wall);
});
afterEach(() => repo.remove());

const look = async (root = repo.root) => watchIndex(await inspectRepository(root), wall);
const fileOf = async (root = repo.root) => join((await inspectRepository(root)).gitDir, 'index');
const status = (root = repo.root) => sh(root, 'status', '--porcelain');

/** `root`: in place of the checkout, beside it. */
const SHAPES: ReadonlyArray<readonly [name: string, make: string, root: string]> = [
  ['a plain repository', 'true', 'repo'],
  ['a worktree of the user', 'git worktree add -q -b mine ../mine', 'mine'],
  ['a separate git directory', 'git init -q --separate-git-dir ../apart', 'repo'],
  ['a split index', 'git update-index --split-index', 'repo'],
  ['an index of version 4', 'git update-index --index-version 4', 'repo'],
  ['a sparse checkout', 'git sparse-checkout set in', 'repo'],
  [
    'a file system monitor and an untracked cache',
    'git config core.untrackedCache true; git update-index --untracked-cache',
    'repo',
  ],
];

it.each(SHAPES)('C5 %s: what was staged comes back', async (_, make, name) => {
  expect(await shell(repo.root, make)).toMatchObject({ code: 0 });
  const root = name === 'repo' ? repo.root : join(repo.root, '..', name);
  await put(root, { 'in/b.txt': 'staged\n', 'new.txt': 'new\n' });
  await sh(root, 'add', 'in/b.txt', 'new.txt');
  await put(root, { 'in/b.txt': 'later\n' });
  const before = [await status(root), await sh(root, 'ls-files', '-t', '-s')];
  const file = await fileOf(root);
  expect(await look(root)).toBeUndefined();
  expect(await look(root)).toBeUndefined();
  const whole = await readFile(file);
  for (const broken of [
    Buffer.alloc(0),
    whole.subarray(0, 40),
    whole.subarray(0, whole.length - 1),
    Buffer.from('x'),
  ]) {
    await writeFile(file, broken);
    expect(await brokenIndex(root)).toMatchObject({ file });
    expect(await look(root)).toMatchObject({
      what: expect.stringMatching(/put back its last copy and kept .*\.broken/),
    });
    expect([await status(root), await sh(root, 'ls-files', '-t', '-s')]).toEqual(before);
    expect(await look(root)).toBeUndefined();
  }
  await rm(file);
  expect((await look(root))?.what).toMatch(/removed the index/);
  expect(await status(root)).toBe(before[0]);
});

it('C5 with a lock beside it: told with the lock, and put back once that is gone', async () => {
  const file = await fileOf();
  await look();
  await writeFile(file, 'x');
  await writeFile(`${file}.lock`, '');
  expect((await look())?.fix).toMatch(/^rm '.*index\.lock' && mv /);
  expect(await look()).toBeUndefined();
  expect(await readFile(`${file}.lock`, 'utf8')).toBe('');
  await rm(`${file}.lock`);
  expect((await look())?.what).toMatch(/put back/);
  expect(await status()).toBe('');
});

it('C5 with another HEAD: told once, with a command that keeps to a sparse checkout', async () => {
  await sh(repo.root, 'sparse-checkout', 'set', 'in');
  await look();
  await commitFiles(repo.root, { 'in/b.txt': 'mine\n' }, 'mine');
  const file = await fileOf();
  await writeFile(file, 'x');
  const found = await look();
  expect(found).toMatchObject({
    what: expect.stringMatching(/git fails there$/),
    fix: expect.stringContaining('reset -q'),
  });
  expect(await look()).toBeUndefined();
  expect((await listFiles(repo.root)).sort()).toEqual(['a.txt', 'in/b.txt', 'out/c.txt']);
  const broken = (await brokenIndex(repo.root)) ?? expect.fail();
  expect(await indexRepair(repo.root, broken, wall)).toBe(found?.fix);
  expect(await shell(repo.root, found?.fix ?? 'false')).toMatchObject({ code: 0 });
  expect(await status()).toBe('');
  expect(await look()).toBeUndefined();
});

it('C5 with its copy, the command puts back what was staged', async () => {
  await put(repo.root, { 'new.txt': 'new\n' });
  await sh(repo.root, 'add', 'new.txt');
  await look();
  await writeFile(await fileOf(), 'x');
  const broken = (await brokenIndex(repo.root)) ?? expect.fail();
  expect(await shell(repo.root, await indexRepair(repo.root, broken, wall))).toMatchObject({ code: 0 });
  expect(await status()).toBe('A  new.txt');
});
