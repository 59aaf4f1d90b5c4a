/** The copy of a checkout's index, in repositories of every shape. Feature: C5. */
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { brokenIndex, listFiles } from '../../../../src/git/checkout-index.js';
import { indexRepair, refuseBrokenIndex, watchIndex } from '../../../../src/git/confinement/kept-index.js';
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

it('C5 in a merge: the copy of before it would take the other side out of the merge commit, and stays away', async () => {
  await sh(repo.root, 'checkout', '-q', '-b', 'other');
  await commitFiles(repo.root, { 'a.txt': 'other\n', 'in/b.txt': 'of other\n', 'new.txt': 'of other\n' }, 'other');
  await sh(repo.root, 'checkout', '-q', 'main');
  await commitFiles(repo.root, { 'a.txt': 'main\n' }, 'main');
  expect(await look()).toBeUndefined();
  expect(await shell(repo.root, 'git merge -q other')).toMatchObject({ code: 1 });
  const file = await fileOf();
  await writeFile(file, 'x');
  const found = await look();
  expect(found?.what).not.toMatch(/put back/);
  expect(await readFile(file, 'utf8')).toBe('x');
  expect(await shell(repo.root, found?.fix ?? 'false')).toMatchObject({ code: 0 });
  await sh(repo.root, 'add', '-A');
  await sh(repo.root, 'commit', '-qm', 'merged by hand');
  expect(await sh(repo.root, 'show', 'HEAD:new.txt')).toBe('of other');
  // A copy of the merge itself comes back in the merge.
  await sh(repo.root, 'checkout', '-q', '-b', 'third', 'HEAD~1');
  expect(await shell(repo.root, 'git merge -q other')).toMatchObject({ code: 1 });
  expect(await look()).toBeUndefined();
  const before = await sh(repo.root, 'ls-files', '-s');
  await writeFile(file, 'x');
  expect((await look())?.what).toMatch(/put back/);
  expect(await sh(repo.root, 'ls-files', '-s')).toBe(before);
});

it('C5 on a branch that is another name of one: no copy comes back over a commit', async () => {
  await sh(repo.root, 'branch', '-m', 'main', 'real');
  await sh(repo.root, 'symbolic-ref', 'refs/heads/main', 'refs/heads/real');
  await sh(repo.root, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  expect(await look()).toBeUndefined();
  await put(repo.root, { 'a.txt': 'two\n' });
  await sh(repo.root, 'commit', '-qam', 'mine');
  const file = await fileOf();
  await writeFile(file, 'x');
  expect((await look())?.what).not.toMatch(/put back/);
  expect(await readFile(file, 'utf8')).toBe('x');
});

it.each(['aside', 'nowhere', 'index'])(
  'C5 a link to %s in its place is damage, and the index comes back',
  async (to) => {
    await put(repo.root, { 'in/b.txt': 'staged\n' });
    await sh(repo.root, 'add', 'in/b.txt');
    const before = await status();
    const file = await fileOf();
    expect(await look()).toBeUndefined();
    await writeFile(join(file, '..', 'aside'), await readFile(file));
    await rm(file);
    await symlink(to, file);
    expect((await look())?.what).toMatch(/put back its last copy/);
    expect((await lstat(file)).isFile()).toBe(true);
    expect(await status()).toBe(before);
  },
);

it.each(SHAPES)(
  'C5 %s without an index: told where HEAD has files, and git reset makes it anew',
  async (_, make, name) => {
    expect(await shell(repo.root, make)).toMatchObject({ code: 0 });
    const root = name === 'repo' ? repo.root : join(repo.root, '..', name);
    const before = [await status(root), await sh(root, 'ls-files', '-t')];
    await rm(await fileOf(root));
    const broken = (await brokenIndex(root)) ?? expect.fail();
    expect(broken).toMatchObject({ gone: true, rebuild: `git -C '${root}' reset -q` });
    expect((await listFiles(root)).sort()).toEqual(['a.txt', 'in/b.txt', 'out/c.txt']);
    expect(await indexRepair(root, broken, wall)).toBe(broken.rebuild);
    await expect(refuseBrokenIndex(root, wall)).rejects.toMatchObject({
      problem: expect.stringMatching(/^the index of .* is gone \(.*index\)\. What was staged/),
      fix: `Put a new one in its place: ${broken.rebuild}`,
    });
    expect(await shell(root, broken.rebuild)).toMatchObject({ code: 0 });
    expect(await brokenIndex(root)).toBeUndefined();
    expect([await status(root), await sh(root, 'ls-files', '-t')]).toEqual(before);
  },
);

it('C5 without an index, the command puts back the copy', async () => {
  await put(repo.root, { 'new.txt': 'new\n' });
  await sh(repo.root, 'add', 'new.txt');
  await look();
  await rm(await fileOf());
  const broken = (await brokenIndex(repo.root)) ?? expect.fail();
  expect(await shell(repo.root, await indexRepair(repo.root, broken, wall))).toMatchObject({ code: 0 });
  expect(await status()).toBe('A  new.txt');
});

it('C5 no index is missing where HEAD has no files, nor in a bare repository', async () => {
  const fresh = join(repo.scratch, 'fresh');
  const bare = join(repo.scratch, 'bare.git');
  expect(await shell(repo.scratch, `git init -q fresh && git clone -q --bare '${repo.root}' bare.git`)).toMatchObject({
    code: 0,
  });
  expect(await brokenIndex(fresh)).toBeUndefined();
  expect(await brokenIndex(bare)).toBeUndefined();
  await sh(fresh, 'commit', '-q', '--allow-empty', '-m', 'nothing');
  await rm(join(fresh, '.git/index'), { force: true });
  expect(await brokenIndex(fresh)).toBeUndefined();
});
