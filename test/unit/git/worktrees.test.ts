import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markRecyclable } from '../../../src/git/marks.js';
import { removeWorktree } from '../../../src/git/remove.js';
import { listSaves } from '../../../src/git/saves.js';
import { exists, privateGitDir } from '../../../src/git/worktree-list.js';
import { type EnsureInput, ensureWorktree } from '../../../src/git/worktrees.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const ensure = (idea: string, more: Partial<EnsureInput> = {}) =>
  ensureWorktree({
    repo: repo.root,
    worktreesRoot: repo.worktreesRoot,
    agentName: 'ed-001',
    idea,
    base: repo.base,
    keep: ['node_modules'],
    recycle: true,
    ...more,
  });
const place = (name: string): string => join(repo.worktreesRoot, name);
const clean = (dir: string) => sh(dir, 'status', '--porcelain');

/** A worktree whose idea has landed: detached, clean, marked. */
async function landedWorktree(idea: string, agentName = 'ed-001'): Promise<string> {
  const { path } = await ensure(idea, { agentName, recycle: false });
  await commitFiles(path, { 'b.txt': 'b', 'pkg/only-here.txt': 'p' }, 'work');
  await put(path, { 'node_modules/dep/index.js': 'dep', 'pkg/node_modules/dep2.js': 'd2', 'out.log': 'log' });
  await sh(path, 'checkout', '-q', '--detach');
  await sh(path, 'branch', '-q', '-D', `ralph/${idea}`);
  await markRecyclable(path);
  return path;
}

describe('ensureWorktree', () => {
  it('creates one at the base, on its branch, and leaves the checkout alone', async () => {
    const before = await shell(
      repo.root,
      'git status --porcelain=v2 --branch; ls -la --time-style=full-iso .git/index',
    );
    const made = await ensure('i-1');
    expect(made).toEqual({
      path: place('ed-001-i-1'),
      branch: 'ralph/i-1',
      base: repo.base,
      origin: 'created',
      repairs: [],
    });
    expect(await read(made.path, 'a.txt')).toBe('one\n');
    expect(await clean(made.path)).toBe('');
    expect(await sh(made.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/i-1');
    expect(
      await shell(repo.root, 'git status --porcelain=v2 --branch; ls -la --time-style=full-iso .git/index'),
    ).toEqual(before);
  });

  it('is idempotent and keeps dirty state', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'a.txt': 'dirty\n', 'new.txt': 'n' });
    await commitFiles(repo.root, { 'c.txt': 'c' }, 'target moves on');
    const again = await ensure('i-1', { base: await sh(repo.root, 'rev-parse', 'main') });
    expect(again).toMatchObject({ path, origin: 'adopted', base: repo.base });
    expect(await read(path, 'a.txt')).toBe('dirty\n');
  });

  it('makes twelve at once', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => ensure(`p-${n}`)));
    expect(new Set(made.map((one) => one.path)).size).toBe(12);
    for (const one of made) expect(await clean(one.path)).toBe('');
  });

  it('moves with the agent that takes over, dirty files and all', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'new.txt': 'n' });
    const taken = await ensure('i-1', { agentName: 'ed-002' });
    expect(taken).toMatchObject({ path: place('ed-002-i-1'), origin: 'adopted' });
    expect(await read(taken.path, 'new.txt')).toBe('n');
    expect(await exists(path)).toBe(false);
  });

  it('adopts a locked worktree where it is', async () => {
    const { path } = await ensure('i-1');
    await sh(repo.root, 'worktree', 'lock', path);
    expect(await ensure('i-1', { agentName: 'ed-002' })).toMatchObject({ path, origin: 'adopted' });
  });

  it('continues a branch that has lost its worktree', async () => {
    const { path } = await ensure('i-1');
    const tip = await commitFiles(path, { 'b.txt': 'b' }, 'work');
    await sh(repo.root, 'worktree', 'remove', path);
    const again = await ensure('i-1', { base: await commitFiles(repo.root, { 'c.txt': 'c' }, 'other') });
    expect(again).toMatchObject({ path, base: repo.base, origin: 'created' });
    expect(await sh(path, 'rev-parse', 'HEAD')).toBe(tip);
  });
});

describe('recycling', () => {
  it('takes the worktree of a landed idea, keeps only dependencies', async () => {
    const old = await landedWorktree('i-1');
    const gitDir = await privateGitDir(old);
    const base = await commitFiles(repo.root, { 'a.txt': 'newer\n' }, 'newer');
    const next = await ensure('i-2', { base });
    expect(next).toEqual({ path: place('ed-001-i-2'), branch: 'ralph/i-2', base, origin: 'recycled', repairs: [] });
    expect(await privateGitDir(next.path)).toBe(gitDir);
    expect(await exists(old)).toBe(false);
    expect(await read(next.path, 'a.txt')).toBe('newer\n');
    expect(await read(next.path, 'node_modules/dep/index.js')).toBe('dep');
    for (const gone of ['b.txt', 'out.log', 'pkg/only-here.txt'])
      expect(await exists(join(next.path, gone))).toBe(false);
    expect(await sh(next.path, 'rev-parse', 'HEAD')).toBe(base);
  });

  it('never takes a dirty one, nor the same one twice', async () => {
    const dirty = await landedWorktree('i-1');
    await put(dirty, { 'precious.txt': 'p' });
    expect((await ensure('i-2')).origin).toBe('created');
    expect(await read(dirty, 'precious.txt')).toBe('p');
    await rm(join(dirty, 'precious.txt'));
    expect((await ensure('i-3')).origin).toBe('created');
    await landedWorktree('i-4');
    const both = await Promise.all([ensure('i-5'), ensure('i-6')]);
    expect(both.map((one) => one.origin).sort()).toEqual(['created', 'recycled']);
  });

  it('prefers the slot of the same agent and can be turned off', async () => {
    await landedWorktree('i-1', 'ed-002');
    const own = await landedWorktree('i-2', 'ed-001');
    expect((await ensure('i-3', { recycle: false })).origin).toBe('created');
    expect((await ensure('i-4')).origin).toBe('recycled');
    expect(await exists(own)).toBe(false);
  });

  it('goes on where a crash left it half recycled', async () => {
    const old = await landedWorktree('i-1');
    const gitDir = await privateGitDir(old);
    await sh(repo.root, 'worktree', 'move', old, place('ed-001-i-2'));
    await writeFile(`${gitDir}/ralphctl-recycling`, '');
    await rm(`${gitDir}/ralphctl-recyclable`);
    await rm(join(place('ed-001-i-2'), 'a.txt'));
    expect(await ensure('i-2')).toMatchObject({ path: place('ed-001-i-2'), origin: 'recycled' });
    expect(await clean(place('ed-001-i-2'))).toBe('');
  });
});

describe('leftovers', () => {
  it('fills a worktree whose creation was cut off', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '--no-checkout', '-b', 'ralph/i-1', place('ed-001-i-1'), repo.base);
    expect((await ensure('i-1')).origin).toBe('adopted');
    expect(await clean(place('ed-001-i-1'))).toBe('');
  });

  it('moves a folder that is in the way aside', async () => {
    await put(place('ed-001-i-1'), { 'notes.txt': 'keep me' });
    expect((await ensure('i-1')).origin).toBe('created');
    expect(await read(place('ed-001-i-1.kept-1'), 'notes.txt')).toBe('keep me');
  });

  it('takes an empty folder', async () => {
    await mkdir(place('ed-001-i-1'), { recursive: true });
    expect((await ensure('i-1')).origin).toBe('created');
    expect(await exists(place('ed-001-i-1.kept-1'))).toBe(false);
  });

  it('rebuilds one whose folder is gone, without touching other registrations', async () => {
    const { path } = await ensure('i-1');
    const foreign = join(repo.scratch, 'usb stick');
    await sh(repo.root, 'worktree', 'add', '-q', foreign, '-b', 'mine');
    const tip = await commitFiles(path, { 'b.txt': 'b' }, 'work');
    await rm(path, { recursive: true });
    await rm(foreign, { recursive: true });
    expect(await ensure('i-1')).toMatchObject({ path, origin: 'created' });
    expect(await sh(path, 'rev-parse', 'HEAD')).toBe(tip);
    expect(await sh(repo.root, 'worktree', 'list')).toContain('usb stick');
  });

  it('refuses a locked registration whose folder is gone', async () => {
    const { path } = await ensure('i-1');
    await sh(repo.root, 'worktree', 'lock', '--reason', 'on a disk', path);
    await rm(path, { recursive: true });
    await expect(ensure('i-1')).rejects.toMatchObject({
      problem: expect.stringContaining('is locked (on a disk)'),
      fix: expect.stringContaining(`git worktree unlock '${path}'`),
    });
  });

  it('repairs a corrupt .git link and keeps the edits', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'a.txt': 'dirty\n', '.git': 'gitdir: /nowhere\n' });
    expect(await ensure('i-1')).toMatchObject({ path, origin: 'adopted' });
    expect(await read(path, 'a.txt')).toBe('dirty\n');
    await rm(join(path, '.git'));
    expect(await ensure('i-1')).toMatchObject({ path, origin: 'adopted' });
  });

  it('refuses by name when .git is a repository of its own', async () => {
    const { path } = await ensure('i-1');
    await rm(join(path, '.git'));
    await sh(path, 'init', '-q');
    await expect(ensure('i-1')).rejects.toThrow(/broken \.git file/);
    expect(await read(path, 'a.txt')).toBe('one\n');
  });

  it('moves a foreign worktree at the path aside, with its branch', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'other', place('ed-001-i-1'));
    await put(place('ed-001-i-1'), { 'x.txt': 'x' });
    expect((await ensure('i-1')).origin).toBe('created');
    expect(await read(place('ed-001-i-1.kept-1'), 'x.txt')).toBe('x');
    expect(await sh(place('ed-001-i-1.kept-1'), 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('other');
  });

  it('refuses a branch that the user has checked out', async () => {
    await sh(repo.root, 'switch', '-q', '-c', 'ralph/i-1');
    await expect(ensure('i-1')).rejects.toThrow(/is checked out in .*my repo.*switch --detach/);
  });

  it('names a branch that blocks the folder of branches', async () => {
    await sh(repo.root, 'branch', 'ralph');
    await expect(ensure('i-1')).rejects.toThrow(/git branch -m ralph ralph-old/);
  });

  it('refuses unsafe names', async () => {
    await expect(ensure('../x')).rejects.toThrow(RangeError);
    await expect(ensure('i-1', { agentName: 'a/b' })).rejects.toThrow(RangeError);
  });
});

describe('an agent that left its branch', () => {
  it.each([
    [
      'detached HEAD with a commit',
      async (path: string) => {
        await sh(path, 'switch', '-q', '--detach');
        await commitFiles(path, { 'b.txt': 'b' }, 'w');
      },
    ],
    [
      'another branch with a commit',
      async (path: string) => {
        await sh(path, 'switch', '-q', '-c', 'feature');
        await commitFiles(path, { 'b.txt': 'b' }, 'w');
      },
    ],
    [
      'a renamed branch',
      async (path: string) => {
        await commitFiles(path, { 'b.txt': 'b' }, 'w');
        await sh(path, 'branch', '-m', 'renamed');
      },
    ],
  ])('%s: the branch follows, edits stay', async (_name, stray) => {
    const { path } = await ensure('i-1');
    await stray(path);
    const tip = await sh(path, 'rev-parse', 'HEAD');
    await put(path, { 'a.txt': 'dirty\n' });
    const again = await ensure('i-1');
    expect(again.repairs).toHaveLength(1);
    expect(await sh(repo.root, 'rev-parse', 'ralph/i-1')).toBe(tip);
    expect(await read(path, 'a.txt')).toBe('dirty\n');
    expect(await sh(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/i-1');
  });

  it('goes back from an older commit without losing the newer', async () => {
    const { path } = await ensure('i-1');
    const tip = await commitFiles(path, { 'b.txt': 'b' }, 'w');
    await sh(path, 'checkout', '-q', 'HEAD~1');
    await ensure('i-1');
    expect(await sh(path, 'rev-parse', 'HEAD')).toBe(tip);
  });

  it('keeps both sides when the agent rewrote its work elsewhere', async () => {
    const { path } = await ensure('i-1');
    const old = await commitFiles(path, { 'b.txt': 'b' }, 'w');
    await sh(path, 'checkout', '-q', '--detach', repo.base);
    const tip = await commitFiles(path, { 'b.txt': 'better' }, 'w2');
    await ensure('i-1');
    expect(await sh(path, 'rev-parse', 'ralph/i-1')).toBe(tip);
    expect((await listSaves(repo.root, 'i-1')).map((one) => one.commit)).toContain(old);
  });

  it.each(['rebase', 'merge', 'cherry-pick'])('an open %s in conflict is saved and aborted', async (operation) => {
    const { path } = await ensure('i-1');
    const tip = await commitFiles(path, { 'a.txt': 'mine\n' }, 'w');
    await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 't');
    expect((await shell(path, `git ${operation} main`)).code).not.toBe(0);
    const again = await ensure('i-1');
    // In a rebase HEAD has left the branch; the others are found by whoever asks for the branch's state.
    if (operation === 'rebase') expect(again.repairs).toEqual(['aborted a rebase']);
    const { recoverBranch } = await import('../../../src/git/recover.js');
    const recovered = await recoverBranch({ worktree: path, idea: 'i-1', branch: 'ralph/i-1', base: repo.base });
    if (operation !== 'rebase') expect(recovered.repairs).toEqual([`aborted a ${operation}`]);
    expect(await sh(path, 'rev-parse', 'ralph/i-1')).toBe(tip);
    expect(await clean(path)).toBe('');
    const [save] = await listSaves(repo.root, 'i-1');
    expect(await sh(repo.root, 'show', `${save?.ref}:a.txt`)).toContain('<<<<<<<');
  });

  it('a resolved merge is kept as plain work', async () => {
    const { path } = await ensure('i-1');
    await commitFiles(path, { 'a.txt': 'mine\n' }, 'w');
    await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 't');
    await shell(path, 'git merge main');
    await put(path, { 'a.txt': 'both\n' });
    await sh(path, 'add', 'a.txt');
    const { recoverBranch } = await import('../../../src/git/recover.js');
    expect(
      (await recoverBranch({ worktree: path, idea: 'i-1', branch: 'ralph/i-1', base: repo.base })).repairs,
    ).toEqual(['closed a merge and kept its result']);
    expect(await read(path, 'a.txt')).toBe('both\n');
    expect(await shell(path, 'git rev-parse -q --verify MERGE_HEAD')).toMatchObject({ code: 1 });
  });

  it('refuses a tip that does not come from the base', async () => {
    const { path } = await ensure('i-1');
    await sh(path, 'checkout', '-q', '--orphan', 'elsewhere');
    await commitFiles(path, { 'z.txt': 'z' }, 'w');
    await expect(ensure('i-1')).rejects.toThrow(/does not descend from the base/);
    expect((await listSaves(repo.root, 'i-1')).length).toBeGreaterThan(0);
  });
});

describe('removeWorktree', () => {
  it('refuses unsaved work and removes saved work, keeping the branch', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'n.txt': 'n' });
    await expect(removeWorktree({ repo: repo.root, path })).rejects.toThrow(/uncommitted work/);
    await removeWorktree({ repo: repo.root, path, saveAs: 'i-1' });
    expect(await exists(path)).toBe(false);
    const [save] = await listSaves(repo.root, 'i-1');
    expect(await sh(repo.root, 'show', `${save?.ref}:n.txt`)).toBe('n');
    expect(await sh(repo.root, 'rev-parse', 'ralph/i-1')).toBe(repo.base);
    await removeWorktree({ repo: repo.root, path });
  });

  it('refuses commits that only HEAD holds, and foreign folders', async () => {
    const { path } = await ensure('i-1');
    await sh(path, 'checkout', '-q', '--detach');
    await commitFiles(path, { 'b.txt': 'b' }, 'w');
    await expect(removeWorktree({ repo: repo.root, path })).rejects.toThrow(/no branch contains/);
    await put(repo.scratch, { 'foreign/x': 'x' });
    await expect(removeWorktree({ repo: repo.root, path: join(repo.scratch, 'foreign') })).rejects.toThrow(
      /is not a worktree/,
    );
    expect(basename(path)).toBe('ed-001-i-1');
  });
});
