/** Rollback, stash and clean-up of an idea that has not landed: nothing is ever lost. Features: B4 C2 C3. */
import { readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putAwayOf } from '../../../../src/git/saves/put-away.js';
import { listSaves, savePoint } from '../../../../src/git/saves/saves.js';
import { cleanupIdea } from '../../../../src/git/worktrees/remove.js';
import { rollbackIdea, stashIdea } from '../../../../src/git/worktrees/rollback.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);
const place = () => ({ repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' });
const ensure = (idea?: string) => worktreeOf(repo, idea);
const clean = (dir: string) => sh(dir, 'status', '--porcelain');
const there = (path: string) => shell(repo.root, `test -e '${path}'`).then(({ code }) => code === 0);

/** Two commits, one edit and one new file. */
async function worked(): Promise<string> {
  const { path } = await ensure();
  await commitFiles(path, { 'a.txt': 'two\n' }, 'step 1');
  await commitFiles(path, { 'new.txt': 'n\n' }, 'step 2');
  await put(path, { 'a.txt': 'edited\n', 'untracked.txt': 'u\n' });
  return path;
}

describe('C2 rollback', () => {
  it('labels the save of a retry that begins again as that', async () => {
    await worked();
    const { saved = '' } = await rollbackIdea({ ...place(), fresh: true });
    expect(await sh(repo.root, 'log', '-g', '-1', '--format=%gs', saved)).toBe('ralphctl: a retry began it again');
  });

  it('takes exactly the commits of the idea off its branch, keeps them under a save ref, and leaves it ready to start', async () => {
    const path = await worked();
    const head = await tip('ralph/i-1');
    const theirs = await commitFiles(repo.root, { 'b.txt': 'b\n' }, 'theirs');
    const got = await rollbackIdea(place());
    expect(got).toEqual({ commits: 2, saved: 'refs/ralphctl/save/i-1/1' });
    expect(await tip('ralph/i-1')).toBe(theirs);
    expect(await read(path, 'b.txt')).toBe('b\n');
    expect(await clean(path)).toBe('');
    expect(await tip(`${got.saved}^`)).toBe(head);
    expect(await sh(repo.root, 'show', `${got.saved}:a.txt`)).toBe('edited');
    expect(await sh(repo.root, 'show', `${got.saved}:untracked.txt`)).toBe('u');
    expect(await tip()).toBe(theirs);
    const again = await ensure();
    expect(again).toMatchObject({ path, origin: 'adopted', branch: 'ralph/i-1' });
    expect(await read(path, 'a.txt')).toBe('one\n');
  });

  it.each(['--assume-unchanged', '--skip-worktree'])(
    'saves edits of files that its agent marked with %s',
    async (flag) => {
      const { path } = await ensure();
      await put(path, { 'a.txt': 'valuable\n' });
      await sh(path, 'update-index', flag, 'a.txt');
      expect(await clean(path)).toBe('');
      const got = await rollbackIdea(place());
      expect(await sh(repo.root, 'show', `${got.saved}:a.txt`)).toBe('valuable');
      expect(await read(path, 'a.txt')).toBe('one\n');
    },
  );

  it('says the same when it is asked twice, and nothing once the idea has started again', async () => {
    await worked();
    const first = await rollbackIdea(place());
    expect(await rollbackIdea(place())).toEqual(first);
    await ensure();
    expect(await rollbackIdea(place())).toEqual({ commits: 0 });
  });

  it('takes an idea without commits of its own along to the target, and again at its start', async () => {
    const { path } = await ensure();
    const fixed = await commitFiles(repo.root, { 'fix.txt': 'f\n' }, 'a fix');
    expect(await rollbackIdea(place())).toEqual({ commits: 0 });
    expect([await tip('ralph/i-1'), await read(path, 'fix.txt')]).toEqual([fixed, 'f\n']);
    const later = await commitFiles(repo.root, { 'fix.txt': 'g\n' }, 'another fix');
    expect(await ensure()).toMatchObject({ path, origin: 'adopted', base: later, anew: true });
    expect([await tip('ralph/i-1'), await read(path, 'fix.txt'), await clean(path)]).toEqual([later, 'g\n', '']);
    // An idea at work stays on its base.
    await commitFiles(repo.root, { 'fix.txt': 'h\n' }, 'a third fix');
    expect(await ensure()).toMatchObject({ base: later });
    expect(await tip('ralph/i-1')).toBe(later);
  });

  it('leaves what a person did in the worktree since', async () => {
    const path = await worked();
    await rollbackIdea(place());
    await commitFiles(repo.root, { 'a.txt': 'fixed\n' }, 'a fix');
    await put(path, { 'a.txt': 'by hand\n' });
    expect(await ensure()).toMatchObject({ base: repo.base });
    expect([await tip('ralph/i-1'), await read(path, 'a.txt')]).toEqual([repo.base, 'by hand\n']);
  });

  it('works without the folder, without a worktree, and without a branch', async () => {
    const path = await worked();
    const head = await tip('ralph/i-1');
    await rm(path, { recursive: true });
    const got = await rollbackIdea(place());
    expect(got.commits).toBe(2);
    // Without a worktree, the next start makes the branch anew.
    expect(await sh(repo.root, 'branch', '--list', 'ralph/i-1')).toBe('');
    expect(await sh(repo.root, 'for-each-ref', '--contains', head, '--format=%(refname)')).toContain(
      'refs/ralphctl/save',
    );
    expect(await rollbackIdea({ ...place(), idea: 'i-9' })).toEqual({ commits: 0 });
  });

  it.each([
    ['a detached HEAD', 'git checkout -q --detach HEAD~1 && echo x > x.txt && git add . && git commit -q -m stray'],
    ['another branch', 'git checkout -q -f -b elsewhere && echo x > x.txt && git add . && git commit -q -m stray'],
    [
      'an open merge',
      'git checkout -q -f . && git branch -q o HEAD~2 && git checkout -q o && echo 3 > a.txt && git commit -q -am o && git checkout -q ralph/i-1 && ! git merge -q o',
    ],
    [
      'an open rebase',
      'git checkout -q -f . && git branch -q o HEAD~2 && git checkout -q o && echo 3 > a.txt && git commit -q -am o && git checkout -q ralph/i-1 && ! git rebase -q o',
    ],
    ['a bisect', 'git checkout -q -f . && git bisect start -q && git bisect bad && git bisect good HEAD~2'],
  ])('from %s', async (_, line) => {
    const path = await worked();
    const head = await tip('ralph/i-1');
    const ran = await shell(path, line);
    expect(ran).toMatchObject({ code: 0 });
    const stray = await sh(path, 'rev-parse', 'HEAD');
    await rollbackIdea(place());
    expect(await sh(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/i-1');
    expect(await tip('ralph/i-1')).toBe(repo.base);
    expect(await clean(path)).toBe('');
    for (const commit of [head, stray]) {
      const held = await sh(
        repo.root,
        'for-each-ref',
        '--contains',
        commit,
        '--format=%(refname)',
        'refs/ralphctl/save',
      );
      expect(held).not.toBe('');
    }
    expect((await shell(path, 'git status')).out).not.toMatch(/in progress|bisecting|rebas/i);
  });

  it('leaves ignored files and nested repositories where they are', async () => {
    const path = await worked();
    await put(path, { 'node_modules/x/index.js': 'x', 'sub/inner/file.txt': 'i\n', 'sub/loose.txt': 'l\n' });
    await sh(join(path, 'sub/inner'), 'init', '-q');
    const got = await rollbackIdea(place());
    expect(await read(path, 'node_modules/x/index.js')).toBe('x');
    expect(await read(path, 'sub/inner/file.txt')).toBe('i\n');
    expect(await there(join(path, 'sub/loose.txt'))).toBe(false);
    expect(await sh(repo.root, 'show', `${got.saved}:sub/loose.txt`)).toBe('l');
  });

  it('refuses by name when somebody else has the branch checked out', async () => {
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', join(repo.scratch, 'mine'));
    await expect(rollbackIdea(place())).rejects.toThrow(/checked out in .*mine/);
  });
});

describe('B4 stash', () => {
  it('saves what is uncommitted and goes back to the tip of the branch', async () => {
    const path = await worked();
    const head = await tip('ralph/i-1');
    const got = await stashIdea(place());
    expect(await tip('ralph/i-1')).toBe(head);
    expect(await clean(path)).toBe('');
    expect(await read(path, 'a.txt')).toBe('two\n');
    expect(await sh(repo.root, 'show', `${got.saved}:a.txt`)).toBe('edited');
    expect(await sh(repo.root, 'show', `${got.saved}:untracked.txt`)).toBe('u');
    expect(await stashIdea(place())).toEqual({});
    const saves = () => listSaves(repo.root, 'i-1');
    expect(await putAwayOf(repo.root, await saves())).toEqual({ n: 1, back: true });
    // Work that came after it is on the branch.
    await commitFiles(path, { 'a.txt': 'three\n' }, 'step 3');
    expect(await putAwayOf(repo.root, await saves())).toBeUndefined();
  });

  it('the next start brings it back, once, though its interrupted agent had the same save', async () => {
    const path = await worked();
    await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    expect(await stashIdea(place())).toEqual({ saved: 'refs/ralphctl/save/i-1/1' });
    expect(await clean(path)).toBe('');
    const saves = () => listSaves(repo.root, 'i-1');
    expect(await putAwayOf(repo.root, await saves())).toEqual({ n: 1, back: true });
    expect(await ensure()).toMatchObject({ path, putAway: { n: 1, back: true } });
    expect([await read(path, 'a.txt'), await read(path, 'untracked.txt')]).toEqual(['edited\n', 'u\n']);
    expect(await putAwayOf(repo.root, await saves())).toBeUndefined();
    // What its agent throws away stays away.
    await shell(path, 'git reset -q --hard && git clean -fdq');
    expect(await ensure()).not.toHaveProperty('putAway');
    expect(await clean(path)).toBe('');
  });

  it.each([
    ['the worktree has other work', (path: string) => put(path, { 'mine.txt': 'm\n' })],
    ['the branch has moved on', (path: string) => commitFiles(path, { 'mine.txt': 'm\n' }, 'mine')],
  ])('the next start leaves it in its save, and tells so, where %s', async (_, change) => {
    const path = await worked();
    await stashIdea(place());
    await change(path);
    expect(await ensure()).toMatchObject({ putAway: { n: 1, back: false } });
    expect([await read(path, 'a.txt'), await read(path, 'mine.txt')]).toEqual(['two\n', 'm\n']);
    expect(await ensure()).not.toHaveProperty('putAway');
  });

  it('a rollback after it begins anew, and brings nothing back', async () => {
    const path = await worked();
    await stashIdea(place());
    await rollbackIdea(place());
    expect(await ensure()).not.toHaveProperty('putAway');
    expect([await clean(path), await read(path, 'a.txt')]).toEqual(['', 'one\n']);
  });

  it('without its worktree it is only in its save', async () => {
    await worked();
    await stashIdea(place());
    await cleanupIdea(place());
    expect(await putAwayOf(repo.root, await listSaves(repo.root, 'i-1'))).toEqual({ n: 1, back: false });
  });

  it('brings commits from a detached HEAD back onto the branch', async () => {
    const path = await worked();
    await shell(path, 'git checkout -q --detach && git add . && git commit -q -m more && echo z > z.txt');
    const stray = await sh(path, 'rev-parse', 'HEAD');
    await stashIdea(place());
    expect(await tip('ralph/i-1')).toBe(stray);
    expect(await sh(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/i-1');
    expect(await clean(path)).toBe('');
  });

  it('with commits that do not belong on the branch, keeps them in the save point', async () => {
    const path = await worked();
    const head = await tip('ralph/i-1');
    await shell(path, 'git checkout -q -f --orphan alien && git add . && git commit -q -m alien');
    const alien = await sh(path, 'rev-parse', 'HEAD');
    const got = await stashIdea(place());
    expect(await tip('ralph/i-1')).toBe(head);
    expect(await sh(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/i-1');
    expect(await tip(got.saved ?? '')).toBe(alien);
  });
});

describe('C2 clean-up', () => {
  it('removes the worktree after a save point; the branch stays while the target lacks its work', async () => {
    const path = await worked();
    const got = await cleanupIdea(place());
    expect(got).toMatchObject({
      removed: true,
      saved: 'refs/ralphctl/save/i-1/1',
      note: expect.stringContaining('kept'),
    });
    expect(await there(path)).toBe(false);
    expect(await sh(repo.root, 'show', `${got.saved}:untracked.txt`)).toBe('u');
    expect(await sh(repo.root, 'show', 'ralph/i-1:new.txt')).toBe('n');
    expect(await cleanupIdea(place())).toMatchObject({ removed: true, none: true });
    expect(await read((await ensure()).path, 'new.txt')).toBe('n\n');
  });

  it('says of an idea that never had a worktree that there was none', async () => {
    expect(await cleanupIdea(place())).toEqual({ removed: true, none: true, saved: undefined, note: undefined });
  });

  it('drops a branch that the target contains', async () => {
    await ensure();
    expect(await cleanupIdea(place())).toMatchObject({ removed: true });
    expect(await sh(repo.root, 'branch', '--list', 'ralph/*')).toBe('');
  });

  it('saves nothing of an idea without work, and uncommitted work of one without a commit', async () => {
    const saves = () => sh(repo.root, 'for-each-ref', '--format=%(refname)', 'refs/ralphctl/save/');
    await ensure();
    expect(await cleanupIdea(place())).toEqual({ removed: true, saved: undefined, note: undefined });
    expect(await saves()).toBe('');
    await put((await ensure()).path, { 'loose.txt': 'l\n' });
    expect((await cleanupIdea(place())).saved).toBe('refs/ralphctl/save/i-1/1');
    expect(await sh(repo.root, 'show', 'refs/ralphctl/save/i-1/1:loose.txt')).toBe('l');
  });

  it('refuses a locked worktree and one with repositories of its own; force saves and moves aside', async () => {
    const path = await worked();
    await sh(repo.root, 'worktree', 'lock', '--reason', 'mine', path);
    expect(await cleanupIdea(place())).toMatchObject({ removed: false, note: expect.stringContaining('unlock') });
    await sh(repo.root, 'worktree', 'unlock', path);
    await put(path, { 'sub/file.txt': 'i\n' });
    await sh(join(path, 'sub'), 'init', '-q');
    expect(await cleanupIdea(place())).toMatchObject({ removed: false, note: expect.stringContaining('sub') });
    expect(await read(path, 'untracked.txt')).toBe('u\n');
    await sh(repo.root, 'worktree', 'lock', path);
    const got = await cleanupIdea({ ...place(), force: true });
    expect(got.removed).toBe(true);
    expect(await there(path)).toBe(false);
    expect(await read(`${path}.kept-1`, 'sub/file.txt')).toBe('i\n');
    expect(await sh(repo.root, 'show', `${got.saved}:untracked.txt`)).toBe('u');
    expect(await sh(repo.root, 'worktree', 'list')).not.toContain('i-1');
  });

  it.each([false, true])('a broken link is put back first, and all is saved (force: %s)', async (force) => {
    const path = await worked();
    await writeFile(join(path, '.git'), 'garbage\n');
    const got = await cleanupIdea({ ...place(), force });
    expect(got.removed).toBe(true);
    expect(await there(path)).toBe(false);
    expect(await sh(repo.root, 'show', `${got.saved}:untracked.txt`)).toBe('u');
  });

  it.each([
    ['cleanup', async () => (await cleanupIdea(place())).removed],
    ['rollback', async () => (await rollbackIdea(place())).saved !== undefined],
    ['stash', async () => (await stashIdea(place())).saved === undefined],
  ])('something else in the place of the worktree is no obstacle to %s, and is moved aside', async (_, does) => {
    const path = await worked();
    await rename(path, `${path}.away`);
    await symlink(repo.root, path);
    const checkout = await sh(repo.root, 'status', '--porcelain', '--branch');
    expect(await does()).toBe(true);
    expect(await readlink(`${path}.kept-1`)).toBe(repo.root);
    expect(await there(path)).toBe(false);
    expect(await read(`${path}.away`, 'untracked.txt')).toBe('u\n');
    expect(await sh(repo.root, 'status', '--porcelain', '--branch')).toBe(checkout);
    expect(await sh(repo.root, 'worktree', 'list')).not.toContain('i-1');
  });
});
