import { cp, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RepositoryError } from '../../../../src/git/errors.js';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { refuseOpenOperations } from '../../../../src/git/target-busy.js';
import type { EnsureInput } from '../../../../src/git/worktrees/ensure.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { markRecyclable } from '../../../../src/git/worktrees/recycle.js';
import { removeWorktree } from '../../../../src/git/worktrees/remove.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const ensure = (idea: string, more: Partial<EnsureInput> = {}) =>
  worktreeOf(repo, idea, { base: repo.base, keep: ['node_modules'], ...more });
const place = (name: string): string => join(repo.worktreesRoot, name);
/** The worktree that a name leads to, and all names. */
const led = async (name: string): Promise<string> => place(await readlink(place(name)));
const names = async (): Promise<string[]> => (await readdir(repo.worktreesRoot)).sort();
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
      path: place('ralph-tree-001'),
      branch: 'ralph/i-1',
      base: repo.base,
      origin: 'created',
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

  it('B11: stays where it is when the idea changes its slot; the name with slot and idea follows', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'new.txt': 'n' });
    expect(await led('ed-001-i-1')).toBe(path);
    const taken = await ensure('i-1', { agentName: 'ed-002' });
    expect(taken).toMatchObject({ path, origin: 'adopted' });
    expect(basename(path)).not.toMatch(/ed-|i-1/);
    expect(await led('ed-002-i-1')).toBe(path);
    expect(await names()).toEqual(['ed-002-i-1', basename(path)]);
  });

  it('a folder or a link of somebody else in the place of its name stays, and the worktree is made', async () => {
    await put(place('ed-001-i-1'), { 'notes.txt': 'keep me' });
    const { path } = await ensure('i-1');
    expect(await read(place('ed-001-i-1'), 'notes.txt')).toBe('keep me');
    await symlink('/nowhere', place('ed-001-i-2'));
    expect((await ensure('i-2')).path).not.toBe(path);
    expect(await readlink(place('ed-001-i-2'))).toBe('/nowhere');
  });

  it('a worktree of 0.1, whose folder has the name, goes on where it is', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', place('ed-001-i-1'), repo.base);
    expect(await ensure('i-1')).toMatchObject({ path: place('ed-001-i-1'), origin: 'adopted' });
    expect(await ensure('i-1', { agentName: 'ed-002' })).toMatchObject({ path: place('ed-001-i-1') });
    expect(await led('ed-002-i-1')).toBe(place('ed-001-i-1'));
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
    expect(next).toEqual({ path: old, branch: 'ralph/i-2', base, origin: 'recycled' });
    expect(await privateGitDir(next.path)).toBe(gitDir);
    expect(await names()).toEqual(['ed-001-i-2', basename(old)]);
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
    const other = await landedWorktree('i-1', 'ed-002');
    const own = await landedWorktree('i-2', 'ed-001');
    expect((await ensure('i-3', { recycle: false })).origin).toBe('created');
    expect(await ensure('i-4')).toMatchObject({ path: own, origin: 'recycled' });
    expect(await ensure('i-5')).toMatchObject({ path: other, origin: 'recycled' });
  });

  it('goes on where a crash left it half recycled', async () => {
    await landedWorktree('i-0');
    const old = await landedWorktree('i-1');
    const gitDir = await privateGitDir(old);
    await writeFile(`${gitDir}/ralphctl-recycling`, 'i-2');
    await rm(`${gitDir}/ralphctl-recyclable`);
    await rm(join(old, 'a.txt'));
    expect((await ensure('i-3')).path).not.toBe(old);
    expect(await ensure('i-2')).toMatchObject({ path: old, origin: 'recycled' });
    expect(await clean(old)).toBe('');
  });
});

describe('leftovers', () => {
  it('fills a worktree whose creation was cut off', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '--no-checkout', '-b', 'ralph/i-1', place('ed-001-i-1'), repo.base);
    expect((await ensure('i-1')).origin).toBe('adopted');
    expect(await clean(place('ed-001-i-1'))).toBe('');
  });

  it('makes a lost one again where it was, and moves what is in the way aside', async () => {
    const at = place('ralph-tree-007');
    await put(at, { 'notes.txt': 'keep me' });
    expect(await ensure('i-1', { at })).toMatchObject({ path: at, origin: 'created' });
    expect(await read(`${at}.kept-1`, 'notes.txt')).toBe('keep me');
  });

  it('takes an empty folder, and never a place that another idea has by now', async () => {
    const at = place('ralph-tree-007');
    await mkdir(at, { recursive: true });
    expect(await ensure('i-1', { at })).toMatchObject({ path: at });
    expect(await exists(`${at}.kept-1`)).toBe(false);
    expect((await ensure('i-2', { at })).path).toBe(place('ralph-tree-001'));
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

  it('moves a repository of its own in its place aside, and makes the worktree anew', async () => {
    const { path } = await ensure('i-1');
    await rm(join(path, '.git'));
    await sh(path, 'init', '-q');
    await put(path, { 'a.txt': 'dirty\n' });
    const aside = `${path}.kept-1`;
    expect(await ensure('i-1')).toMatchObject({ path, origin: 'created', aside });
    expect(await read(path, 'a.txt')).toBe('one\n');
    expect(await read(aside, 'a.txt')).toBe('dirty\n');
    expect(await sh(aside, 'rev-parse', '--absolute-git-dir')).toBe(join(aside, '.git'));
  });

  it('leaves a foreign worktree with such a name alone, and what git only remembers', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'other', place('ralph-tree-001'));
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'gone', place('ralph-tree-002'));
    await rm(place('ralph-tree-002'), { recursive: true });
    await put(place('ralph-tree-001'), { 'x.txt': 'x' });
    expect(await ensure('i-1')).toMatchObject({ path: place('ralph-tree-003'), origin: 'created' });
    expect(await read(place('ralph-tree-001'), 'x.txt')).toBe('x');
  });

  it('refuses a branch that the user has checked out', async () => {
    await sh(repo.root, 'switch', '-q', '-c', 'ralph/i-1');
    await expect(ensure('i-1')).rejects.toThrow(/is checked out in .*my repo.*switch --detach/);
  });

  it('F6 names the other state folder whose run has the branch, and does not advise to take it away', async () => {
    await ensure('i-1');
    const refused = ensure('i-1', { worktreesRoot: join(repo.scratch, 'other state') });
    await expect(refused).rejects.toThrow(/Another ralphctl works on i-1: .*RALPHCTL_HOME.*ralphctl stop/);
    await expect(refused).rejects.not.toThrow(/switch --detach/);
  });

  it('F6 what is offered for a branch of another state folder brings the worktree over with all that is in it', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'unsaved.txt': 'u' });
    const other = { worktreesRoot: join(repo.scratch, 'other state') };
    const refused = await ensure('i-1', other).catch((error: unknown) => error);
    const { fix } = refused as RepositoryError;
    await shell(repo.root, /mkdir -p .*$/.exec(fix)?.[0] ?? 'false');
    const over = await ensure('i-1', other);
    expect(over).toMatchObject({ path: join(other.worktreesRoot, 'ralph-tree-001'), origin: 'adopted' });
    expect(await read(over.path, 'unsaved.txt')).toBe('u');
  });

  it('F6 a worktree that lost its repository when that was moved comes along, with what is in it', async () => {
    const { path } = await ensure('i-1');
    await commitFiles(path, { 'b.txt': 'b' }, 'work');
    await put(path, { 'unsaved.txt': 'u' });
    const elsewhere = join(repo.scratch, 'moved repo');
    await rename(repo.root, elsewhere);
    const other = { repo: elsewhere, worktreesRoot: join(repo.scratch, 'other state') };
    await refuseOpenOperations(elsewhere, 'main');
    const over = await ensure('i-1', other);
    expect(over).toMatchObject({ path: join(other.worktreesRoot, 'ralph-tree-001'), origin: 'adopted' });
    expect(await read(over.path, 'unsaved.txt')).toBe('u');
    expect(await sh(over.path, 'log', '-1', '--format=%s')).toBe('work');
    expect(await exists(path)).toBe(false);
  });

  it('F6 a copy of a repository does not take the worktrees of the original', async () => {
    const { path } = await ensure('i-1');
    await commitFiles(path, { 'b.txt': 'b' }, 'work');
    await put(path, { 'unsaved.txt': 'u' });
    const copy = join(repo.scratch, 'copy');
    await cp(repo.root, copy, { recursive: true });
    const made = await ensure('i-1', { repo: copy, worktreesRoot: join(repo.scratch, 'other state') });
    expect(made.origin).toBe('created');
    expect(await sh(made.path, 'log', '-1', '--format=%s')).toBe('work');
    expect(await read(path, 'unsaved.txt')).toBe('u');
    expect(await ensure('i-1')).toMatchObject({ path, origin: 'adopted' });
  });

  it('names a branch that blocks the folder of branches', async () => {
    await sh(repo.root, 'branch', 'ralph');
    await expect(ensure('i-1')).rejects.toThrow(/git branch -m ralph ralph-old/);
  });

  it('names a branch below the one of the idea, also where it takes a used worktree', async () => {
    await landedWorktree('i-1');
    await sh(repo.root, 'branch', 'ralph/i-2/x');
    await expect(ensure('i-2')).rejects.toThrow(/git branch -m ralph\/i-2\/x ralph-i-2-x-old/);
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
    await ensure('i-1');
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
    await ensure('i-1');
    // In a rebase HEAD has left the branch, so that it was aborted; the others are found by whoever asks for the branch's state.
    const { recoverBranch } = await import('../../../../src/git/worktrees/recover.js');
    const recovered = await recoverBranch({ worktree: path, idea: 'i-1', branch: 'ralph/i-1', base: repo.base });
    expect(recovered.repairs).toEqual(operation === 'rebase' ? [] : [`aborted a ${operation}`]);
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
    const { recoverBranch } = await import('../../../../src/git/worktrees/recover.js');
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
    const refused = await ensure('i-1').catch((error: Error) => error.message);
    expect(refused).toMatch(/does not descend from the base/);
    expect(refused).not.toContain('agent');
    expect((await listSaves(repo.root, 'i-1')).length).toBeGreaterThan(0);
    // The command of the message works.
    await sh(path, 'switch', '-q', 'ralph/i-1');
    await ensure('i-1');
  });
});

describe('removeWorktree', () => {
  it('refuses unsaved work and removes saved work, keeping the branch', async () => {
    const { path } = await ensure('i-1');
    await put(path, { 'n.txt': 'n' });
    await expect(removeWorktree({ repo: repo.root, path })).rejects.toThrow(/uncommitted work/);
    await removeWorktree({ repo: repo.root, path, saveAs: 'i-1' });
    expect(await exists(path)).toBe(false);
    expect(await names()).toEqual([]);
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
    expect(await led('ed-001-i-1')).toBe(path);
  });
});
