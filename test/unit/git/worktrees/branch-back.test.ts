/** A branch that somebody deleted or renamed while its worktree stays and no agent works there. Features: C2 C3. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSaves, savePoint } from '../../../../src/git/saves/saves.js';
import { privateGitDir } from '../../../../src/git/worktrees/list.js';
import { cleanupIdea } from '../../../../src/git/worktrees/remove.js';
import { rollbackIdea, stashIdea } from '../../../../src/git/worktrees/rollback.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let path: string;
let tip: string;
const REF = 'refs/heads/ralph/i-1';

/** Two commits, one edit and one new file; the target goes on meanwhile. */
beforeEach(async () => {
  repo = await makeRepo();
  ({ path } = await worktreeOf(repo));
  await commitFiles(path, { 'a.txt': 'two\n' }, 'step 1');
  tip = await commitFiles(path, { 'new.txt': 'n\n' }, 'step 2');
  await put(path, { 'a.txt': 'edited\n', 'untracked.txt': 'u\n' });
  await commitFiles(repo.root, { 'main.txt': 'm\n' }, 'main goes on');
});
afterEach(() => repo.remove());

const place = () => ({ repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' });
const drop = () => sh(repo.root, 'update-ref', '-d', REF);
const at = (ref: string, dir = repo.root) => sh(dir, 'rev-parse', ref);
const onBranch = () => sh(path, 'symbolic-ref', 'HEAD');
const forgetReflog = async () => rm(join((await privateGitDir(path)) ?? '', 'logs'), { recursive: true });
const untouched = async () => {
  expect(await read(path, 'a.txt')).toBe('edited\n');
  expect(await read(path, 'untracked.txt')).toBe('u\n');
};
/** What is in the newest save that has the untracked file. */
const savedEdit = async () => {
  for (const { ref } of (await listSaves(repo.root, 'i-1')).reverse())
    if ((await sh(repo.root, 'ls-tree', '--name-only', ref)).includes('untracked.txt'))
      return sh(repo.root, 'show', `${ref}:a.txt`);
  return undefined;
};

describe('C3 a branch that somebody deleted while its worktree stays', () => {
  it('is back where its worktree had it, with what was not committed', async () => {
    await drop();
    const got = await worktreeOf(repo);
    expect(got).toMatchObject({ path, base: repo.base, origin: 'adopted', back: { commit: tip, from: 'tip' } });
    expect(await at(REF)).toBe(tip);
    expect(await sh(path, 'status', '--porcelain')).toBe(' M a.txt\n?? untracked.txt');
    await untouched();
    expect(await worktreeOf(repo)).not.toHaveProperty('back');
  });

  it('is back after a detach of the worktree, too', async () => {
    await sh(path, 'switch', '-q', '--detach');
    await sh(repo.root, 'branch', '-D', 'ralph/i-1');
    expect(await worktreeOf(repo)).toMatchObject({ base: repo.base, back: { commit: tip } });
    expect(await onBranch()).toBe(REF);
    await untouched();
  });

  it('is where its newest save began, where no reflog knows it', async () => {
    await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    await drop();
    await forgetReflog();
    expect(await worktreeOf(repo)).toMatchObject({ back: { commit: tip, from: 'save' } });
    await untouched();
  });

  it('begins where it was made, where no commit of it is known, with its files as uncommitted work', async () => {
    await drop();
    await forgetReflog();
    expect(await worktreeOf(repo)).toMatchObject({ base: repo.base, back: { commit: repo.base, from: 'start' } });
    await untouched();
    expect(await read(path, 'new.txt')).toBe('n\n');
  });

  it('asks for a fresh start where not even that is known, which then saves its files', async () => {
    await drop();
    await forgetReflog();
    await sh(repo.root, 'update-ref', '-d', 'refs/ralphctl/branch/i-1');
    await expect(worktreeOf(repo)).rejects.toThrow(
      /^The branch ralph\/i-1 does not exist any more, .* ralphctl retry i-1 --fresh$/,
    );
    await rollbackIdea(place());
    expect(await savedEdit()).toBe('edited');
    expect(await worktreeOf(repo)).toMatchObject({ base: await at('main') });
    expect(await at(REF)).toBe(await at('main'));
    expect(await sh(path, 'status', '--porcelain')).toBe('');
  });

  it('a fresh start saves its work first and begins on the target', async () => {
    await drop();
    expect(await rollbackIdea(place())).toMatchObject({ commits: 2, saved: expect.any(String) });
    expect(await savedEdit()).toBe('edited');
    expect(await worktreeOf(repo)).toMatchObject({ base: await at('main') });
    expect(await at('HEAD', path)).toBe(await at('main'));
  });

  it('an abort puts its work away, and the next start brings it back', async () => {
    await drop();
    expect(await stashIdea(place())).toMatchObject({ saved: expect.any(String) });
    expect(await worktreeOf(repo)).toMatchObject({ putAway: { back: true } });
    await untouched();
  });

  it('an abort leaves its worktree alone where no commit of it is known', async () => {
    await drop();
    await forgetReflog();
    await sh(repo.root, 'update-ref', '-d', 'refs/ralphctl/branch/i-1');
    expect(await stashIdea(place())).toEqual({});
    await untouched();
  });

  it('a removal of its worktree saves its work, and leaves no branch that somebody deleted', async () => {
    await drop();
    expect(await cleanupIdea(place())).toMatchObject({ removed: true, saved: expect.any(String) });
    expect(await savedEdit()).toBe('edited');
    expect(await sh(repo.root, 'for-each-ref', REF)).toBe('');
    expect(await worktreeOf(repo)).toMatchObject({ gone: { save: { n: 1 } } });
    expect(await read(path, 'a.txt')).toBe('edited\n');
  });
});

describe('C3 a branch that somebody renamed while its worktree stays', () => {
  const rename = () => sh(repo.root, 'branch', '-m', 'ralph/i-1', 'renamed');

  it('is made again where it was, and the worktree is on it; the branch of the person stays', async () => {
    await rename();
    expect(await worktreeOf(repo)).toMatchObject({
      base: repo.base,
      back: { commit: tip, from: 'tip', on: 'renamed' },
    });
    expect(await onBranch()).toBe(REF);
    expect(await at('renamed')).toBe(tip);
    expect(await sh(path, 'status', '--porcelain')).toBe(' M a.txt\n?? untracked.txt');
    await untouched();
    expect(await worktreeOf(repo)).not.toHaveProperty('back');
    await commitFiles(path, { 'a.txt': 'edited\n' }, 'step 3');
    expect(await landWork(repo)).toMatchObject({ kind: 'landed' });
    expect(await at('renamed')).toBe(tip);
  });

  it('takes along what was committed there since, also by a git in the worktree', async () => {
    await sh(path, 'branch', '-m', 'renamed');
    await sh(path, 'branch', '-m', 'again');
    const more = await commitFiles(path, { 'more.txt': 'm\n' }, 'more');
    expect(await worktreeOf(repo)).toMatchObject({ back: { commit: more, on: 'again' } });
    expect([await onBranch(), await at(REF), await at('again')]).toEqual([REF, more, more]);
  });

  it('is made again where it was when the worktree went to a branch of somebody else', async () => {
    await sh(path, 'switch', '-q', '-c', 'mine');
    await sh(repo.root, 'branch', '-D', 'ralph/i-1');
    expect(await worktreeOf(repo)).toMatchObject({ base: repo.base, back: { commit: tip, on: 'mine' } });
    expect([await onBranch(), await at('mine')]).toEqual([REF, tip]);
    await untouched();
  });

  it('where no reflog tells, a command that works is named, and nobody is blamed', async () => {
    await rename();
    await forgetReflog();
    const refused = await worktreeOf(repo).catch((error: Error) => error.message);
    expect(refused).toMatch(/^The branch ralph\/i-1 does not exist any more, and its worktree .* is on renamed\. /);
    expect(refused).not.toContain('agent');
    expect(refused).toContain('switch -c ralph/i-1');
    await sh(path, 'switch', '-q', '-c', 'ralph/i-1');
    expect(await worktreeOf(repo)).toMatchObject({ base: repo.base });
    expect(await at(REF)).toBe(tip);
    await untouched();
  });

  it('a fresh start saves its work first and begins on the target', async () => {
    await rename();
    expect(await rollbackIdea(place())).toMatchObject({ commits: 2, saved: expect.any(String) });
    expect(await savedEdit()).toBe('edited');
    expect(await worktreeOf(repo)).toMatchObject({ base: await at('main') });
    expect([await onBranch(), await at('renamed')]).toEqual([REF, tip]);
  });
});
