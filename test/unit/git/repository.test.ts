import { mkdir, rm, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patientTip } from '../../../src/git/patient-tip.js';
import { projectName } from '../../../src/git/project-name.js';
import { inspectRepository, targetTip } from '../../../src/git/repository.js';
import { git } from '../../../src/git/runner.js';
import { readStatus } from '../../../src/git/status.js';
import { refuseOpenOperations } from '../../../src/git/target-busy.js';
import { commitFiles, makeRepo, put, sh, shell, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const nameOf = async (path: string): Promise<string> => projectName((await inspectRepository(path)).commonDir);

describe('inspectRepository', () => {
  it('describes a checkout, from any folder inside it', async () => {
    await mkdir(`${repo.root}/süb/deep`, { recursive: true });
    const found = await inspectRepository(`${repo.root}/süb/deep`);
    expect(found).toMatchObject({
      root: repo.root,
      gitDir: `${repo.root}/.git`,
      commonDir: `${repo.root}/.git`,
      head: repo.base,
      branch: 'main',
      submodules: false,
    });
    expect(found.gitVersion).toMatch(/^\d+\.\d+/);
  });

  it('works in a linked worktree with a detached HEAD', async () => {
    const tree = `${repo.scratch}/other tree`;
    await sh(repo.root, 'worktree', 'add', '-q', '--detach', tree);
    const found = await inspectRepository(tree);
    expect(found.root).toBe(tree);
    expect(found.commonDir).toBe(`${repo.root}/.git`);
    expect(found.gitDir.startsWith(`${repo.root}/.git/worktrees/`)).toBe(true);
    expect(found.branch).toBeUndefined();
    expect(await nameOf(tree)).toBe(await nameOf(repo.root));
  });

  it('works through a symbolic link and notes submodules', async () => {
    await symlink(repo.root, `${repo.scratch}/link`);
    await put(repo.root, { '.gitmodules': '' });
    expect(await inspectRepository(`${repo.scratch}/link`)).toMatchObject({ root: repo.root, submodules: true });
    expect(await nameOf(`${repo.scratch}/link`)).toMatch(/^my-repo-[0-9a-f]{8}$/);
  });

  it.each([
    ['that this git does not know', '1'],
    ['that this git reads', '0'],
  ])('C6: refuses refs in tables by name, with both ways out, in a format %s', async (_, format) => {
    // The git here cannot make one. A newer one reads the first of these, and an older one the second.
    await sh(repo.root, 'config', 'core.repositoryformatversion', format);
    await shell(repo.root, 'printf "[extensions]\\n\\trefStorage = reftable\\n" >> .git/config');
    await expect(inspectRepository(repo.root)).rejects.toThrow(
      /refs in tables \(extensions\.refStorage = reftable\).*git refs migrate --ref-format=files.*git clone --ref-format=files/s,
    );
  });

  it('C6: names any other extension that this git does not know', async () => {
    await sh(repo.root, 'config', 'core.repositoryformatversion', '1');
    await shell(repo.root, 'printf "[extensions]\\n\\tfutureThing = true\\n" >> .git/config');
    await expect(inspectRepository(repo.root)).rejects.toThrow(/does not know the extension futurething.*newer git/s);
  });

  it.each(['tags', 'heads'])('C6: works where a ref in refs/%s has the name HEAD', async (kind) => {
    const tip = await commitFiles(repo.root, { 'a.txt': 'two\n' }, 'more');
    await sh(repo.root, 'update-ref', `refs/${kind}/HEAD`, repo.base);
    expect(await inspectRepository(repo.root)).toMatchObject({ head: tip, branch: 'main' });
    await sh(repo.root, 'switch', '-q', '--detach', 'main');
    const detached = await inspectRepository(repo.root);
    expect([detached.head, detached.branch]).toEqual([tip, undefined]);
    await sh(repo.root, 'symbolic-ref', 'HEAD', 'refs/heads/fresh');
    await expect(inspectRepository(repo.root)).rejects.toThrow(/has no commit yet/);
  });

  it('refuses a path with a line break in it', async () => {
    const dir = `${repo.scratch}/line\nbreak`;
    await sh(repo.scratch, 'init', '-q', dir);
    await expect(inspectRepository(dir)).rejects.toThrow(/line\\nbreak" has a line break in it.*Move the repository/);
  });

  it('names a filter whose program is missing, and how to fix that', async () => {
    await commitFiles(repo.root, { '.gitattributes': '*.bin filter=lfs -text\n', 'a.bin': 'pointer\n' }, 'attributes');
    for (const what of ['clean', 'smudge'])
      await sh(repo.root, 'config', `filter.lfs.${what}`, `no-such-lfs ${what} %f`);
    await sh(repo.root, 'config', 'filter.lfs.required', 'true');
    await put(repo.root, { 'a.bin': 'another\n' });
    const words = /its filter lfs fails .*no-such-lfs.*git lfs install/s;
    await expect(readStatus(repo.root)).rejects.toThrow(words);
    const tree = `${repo.scratch}/tree`;
    await expect(git(repo.root).run(['worktree', 'add', '-q', tree, 'HEAD'])).rejects.toThrow(words);
    await expect(git(repo.root).run(['worktree', 'add', '-q', tree, 'HEAD'])).rejects.toMatchObject({
      name: 'RepositoryError',
    });
  });

  it.each([
    ['no such folder', 'missing', async () => undefined, /There is no folder/],
    ['not a repository', 'plain', (dir: string) => mkdir(dir), /not inside a git repository/],
    ['a bare one', 'bare', (dir: string) => sh(repo.scratch, 'init', '-q', '--bare', dir), /bare/],
    ['no commit', 'fresh', (dir: string) => sh(repo.scratch, 'init', '-q', dir), /no commit yet/],
  ] as const)('refuses %s with a fix', async (_name, folder, prepare, message) => {
    const dir = `${repo.scratch}/${folder}`;
    await prepare(dir);
    await expect(inspectRepository(dir)).rejects.toMatchObject({
      name: 'RepositoryError',
      problem: expect.stringMatching(message),
      fix: expect.stringMatching(/\S/),
    });
  });

  it('refuses the inside of .git', async () => {
    await expect(inspectRepository(`${repo.root}/.git`)).rejects.toThrow(/inside a .git folder/);
  });
});

describe('target', () => {
  it('gives its tip', async () => {
    expect(await targetTip(repo.root, 'main')).toBe(repo.base);
  });

  it.each([
    ['master', 'main'],
    ['mian', 'main'],
    ['develop', 'develp'],
  ])('a missing %s names the nearest branch %s', async (wanted, near) => {
    await sh(repo.root, 'branch', 'develp');
    await expect(targetTip(repo.root, wanted)).rejects.toThrow(new RegExp(`nearest name is ${near}`));
  });

  it.each(['merge', 'rebase', 'cherry-pick'])('is refused while a %s is in progress on it', async (operation) => {
    await refuseOpenOperations(repo.root, 'main');
    await sh(repo.root, 'branch', 'side');
    await commitFiles(repo.root, { 'a.txt': 'main\n' }, 'on main');
    await sh(repo.root, 'switch', '-q', 'side');
    await commitFiles(repo.root, { 'a.txt': 'side\n' }, 'on side');
    await sh(repo.root, 'switch', '-q', 'main');
    expect((await shell(repo.root, `git ${operation} side`)).code).not.toBe(0);
    await expect(refuseOpenOperations(repo.root, 'main')).rejects.toThrow(
      new RegExp(`A ${operation} is in progress.*${operation} --abort`),
    );
    await refuseOpenOperations(repo.root, 'other');
    await rm(`${repo.root}/.git/index.lock`, { force: true });
  });
});

describe('patientTip', () => {
  it('waits for a target that a person renames and renames back within seconds', async () => {
    await sh(repo.root, 'branch', '-m', 'main', 'trunk');
    const call = patientTip(repo.root, 'main', new AbortController().signal);
    call.catch(() => undefined);
    // Its first look takes about as long as one of these.
    for (let look = 0; look < 20; look++) await targetTip(repo.root, 'trunk');
    await sh(repo.root, 'branch', '-m', 'trunk', 'main');
    expect(await call).toBe(repo.base);
  });

  it('ends at once when its work is cut off', async () => {
    const cut = new AbortController();
    const call = patientTip(repo.root, 'gone', cut.signal);
    cut.abort(new Error('cut off'));
    await expect(call).rejects.toThrow();
  });
});
