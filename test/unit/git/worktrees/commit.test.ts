import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { landedIdeas } from '../../../../src/git/landing/landed.js';
import { listSaves, savePoint } from '../../../../src/git/saves/saves.js';
import { readStatus } from '../../../../src/git/status.js';
import { branchState, commitLeftovers } from '../../../../src/git/worktrees/commit.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());
const message = 'feat: x #i-1 @ed-001\n\n# not a comment\n\nRalph-Idea: i-1\n';

describe('readStatus', () => {
  it('knows every kind of entry', async () => {
    await commitFiles(
      repo.root,
      { 'old name.txt': 'text that is long enough to be found again\n', 'gone.txt': 'g' },
      'more',
    );
    await sh(repo.root, 'mv', 'old name.txt', 'new name.txt');
    await put(repo.root, { 'a.txt': 'changed\n', 'dir/ünträcked file': 'u', 'x.log': 'ignored' });
    await sh(repo.root, 'rm', '-q', '--cached', 'gone.txt');
    await sh(repo.root, 'init', '-q', 'empty nest');
    await sh(repo.root, 'init', '-q', 'nest');
    await commitFiles(`${repo.root}/nest`, { f: 'f' }, 'inner');
    const status = await readStatus(repo.root);
    expect(status.branch).toBe('main');
    expect(status.tracked.map((one) => [one.path, one.staged, one.unstaged])).toEqual([
      ['a.txt', '.', 'M'],
      ['gone.txt', 'D', '.'],
      ['new name.txt', 'R', '.'],
    ]);
    expect(status.untracked).toEqual(['dir/ünträcked file', 'gone.txt']);
    expect(status.nested.sort()).toEqual(['empty nest', 'nest']);
  });
});

describe('commitLeftovers', () => {
  it('does nothing in a clean tree', async () => {
    await put(repo.root, { 'x.log': 'ignored' });
    expect(await commitLeftovers({ worktree: repo.root, message })).toEqual({
      committed: false,
      nested: [],
    });
  });

  it('commits edits, deletions and new files with the whole message', async () => {
    await put(repo.root, { 'a.txt': 'two\n', 'neu/ä b.txt': 'n' });
    const done = await commitLeftovers({ worktree: repo.root, message });
    expect(done.committed).toBe(true);
    expect(await sh(repo.root, 'log', '-1', '--format=%B')).toBe(message.trim());
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  });

  it('fills in an identity only where none is configured', async () => {
    await sh(repo.root, 'config', '--unset', 'user.email');
    await sh(repo.root, 'config', '--unset', 'user.name');
    await put(repo.root, { 'a.txt': 'two\n' });
    const home = process.env.HOME;
    process.env.HOME = repo.scratch;
    try {
      await commitLeftovers({ worktree: repo.root, message });
    } finally {
      process.env.HOME = home;
    }
    expect(await sh(repo.root, 'log', '-1', '--format=%an <%ae> %cn')).toBe('ralphctl <ralphctl@localhost> ralphctl');
  });

  it('leaves nested repositories out and says so', async () => {
    await sh(repo.root, 'init', '-q', 'nest');
    await commitFiles(`${repo.root}/nest`, { f: 'f' }, 'inner');
    await sh(repo.root, 'init', '-q', 'deep/[odd] empty');
    expect(await commitLeftovers({ worktree: repo.root, message })).toMatchObject({
      committed: false,
      nested: ['deep/[odd] empty', 'nest'],
    });
    await put(repo.root, { 'deep/file': 'd' });
    expect(await commitLeftovers({ worktree: repo.root, message })).toMatchObject({
      committed: true,
      nested: ['deep/[odd] empty', 'nest'],
    });
    expect(await sh(repo.root, 'show', '--name-only', '--format=', 'HEAD')).toBe('deep/file');
    expect(await read(repo.root, 'nest/f')).toBe('f');
  });

  it('reports what a hook refused and keeps the work', async () => {
    await mkdir(`${repo.root}/.git/hooks`, { recursive: true });
    await put(repo.root, {
      '.git/hooks/pre-commit': '#!/bin/sh\ncat >/dev/null\necho lint: bad file\nexit 1\n',
      'a.txt': 'two\n',
    });
    await chmod(`${repo.root}/.git/hooks/pre-commit`, 0o755);
    const refused = await commitLeftovers({ worktree: repo.root, message });
    expect(refused).toMatchObject({
      committed: false,
      refused: expect.stringContaining('lint: bad file'),
    });
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect((await commitLeftovers({ worktree: repo.root, message, hooks: false })).committed).toBe(true);
  });

  it('commits unmerged files as they are and finds the markers', async () => {
    await sh(repo.root, 'switch', '-q', '-c', 'side');
    await commitFiles(repo.root, { 'a.txt': 'side\n' }, 'side');
    await sh(repo.root, 'switch', '-q', 'main');
    const since = await commitFiles(repo.root, { 'a.txt': 'main\n', 'ws.txt': 'trailing  \n' }, 'main');
    expect((await shell(repo.root, 'git merge --squash side')).code).not.toBe(0);
    await commitLeftovers({ worktree: repo.root, message });
    expect(await branchState({ worktree: repo.root, base: repo.base, since })).toMatchObject({
      commits: 1,
      changed: true,
      conflictMarkers: ['a.txt'],
    });
  });

  it('takes no heading of seven signs, and no half of a conflict, for one', async () => {
    const files = {
      'README.rst': 'License\n=======\n\nfree\n',
      'a.txt': '<<<<<<< only the beginning\n=======\n',
      'b.txt': '||||||| \n=======\n>>>>>>> only the end\n',
    };
    await commitFiles(repo.root, files, 'headings');
    const input = { worktree: repo.root, base: repo.base, since: repo.base };
    expect((await branchState(input)).conflictMarkers).toEqual([]);
    await commitFiles(repo.root, { 'a.txt': '<<<<<<< a\n=======\n>>>>>>> b\n' }, 'whole');
    expect((await branchState(input)).conflictMarkers).toEqual(['a.txt']);
  });
});

describe('branchState', () => {
  it('says unchanged when commits cancel out', async () => {
    await commitFiles(repo.root, { 'a.txt': 'two\n' }, 'there');
    const head = await commitFiles(repo.root, { 'a.txt': 'one\n' }, 'and back');
    await put(repo.root, { 'b.txt': '' });
    expect(await branchState({ worktree: repo.root, base: repo.base, since: repo.base })).toEqual({
      head,
      commits: 2,
      lost: 0,
      changed: false,
      conflictMarkers: [],
      tree: await sh(repo.root, 'rev-parse', `${repo.base}^{tree}`).then((text) => text.trim()),
    });
  });
});

describe('savePoint', () => {
  const state = async (): Promise<string> =>
    [
      await sh(repo.root, 'status', '--porcelain=v2', '--branch'),
      await sh(repo.root, 'stash', 'list'),
      await sh(repo.root, 'diff', '--cached'),
    ].join('\n');

  it('captures staged, unstaged and untracked work and touches nothing', async () => {
    await put(repo.root, { 'a.txt': 'staged\n', 'x.log': 'ignored' });
    await sh(repo.root, 'add', 'a.txt');
    await put(repo.root, { 'a.txt': 'on disk\n', 'new file': 'n' });
    const before = await state();
    const ref = await savePoint({ worktree: repo.root, idea: 'i-1', why: 'before landing' });
    expect(ref).toBe('refs/ralphctl/save/i-1/1');
    expect(await state()).toBe(before);
    expect(await sh(repo.root, 'show', `${ref}:a.txt`)).toBe('on disk');
    expect(await sh(repo.root, 'show', `${ref}:new file`)).toBe('n');
    expect(await sh(repo.root, 'show', `${ref}^2:a.txt`)).toBe('staged');
    expect(await sh(repo.root, 'rev-parse', `${ref}^1`)).toBe(repo.base);
    expect(await sh(repo.root, 'ls-tree', '--name-only', '-r', ref ?? '')).not.toContain('x.log');
  });

  it('counts up, and skips what is saved already', async () => {
    const save = () => savePoint({ worktree: repo.root, idea: 'i-1', why: 'before landing' });
    expect(await save()).toBe('refs/ralphctl/save/i-1/1');
    expect(await sh(repo.root, 'rev-parse', 'refs/ralphctl/save/i-1/1')).toBe(repo.base);
    expect(await save()).toBe('refs/ralphctl/save/i-1/1');
    await put(repo.root, { 'b.txt': 'b' });
    expect(await save()).toBe('refs/ralphctl/save/i-1/2');
    expect(await save()).toBe('refs/ralphctl/save/i-1/2');
    await sh(repo.root, 'add', 'b.txt');
    await put(repo.root, { 'b.txt': 'c' });
    expect(await save()).toBe('refs/ralphctl/save/i-1/3');
    expect(await save()).toBe('refs/ralphctl/save/i-1/3');
    await savePoint({ worktree: repo.root, idea: 'i-10', why: 'before landing' });
    expect((await listSaves(repo.root, 'i-1')).map((one) => one.n)).toEqual([1, 2, 3]);
    expect((await listSaves(repo.root)).map((one) => `${one.idea}/${one.n}`)).toEqual([
      'i-1/1',
      'i-1/2',
      'i-1/3',
      'i-10/1',
    ]);
  });

  it('gives each of many writers a number of its own', async () => {
    const commits = await Promise.all(
      Array.from({ length: 6 }, (_, n) => sh(repo.root, 'commit-tree', '-m', `${n}`, 'HEAD^{tree}')),
    );
    const { keep } = await import('../../../../src/git/saves/saves.js');
    const refs = await Promise.all(commits.map((commit) => keep(repo.root, 'i-1', commit, 'rolled back')));
    expect(new Set(refs).size).toBe(6);
  });

  it('saves in the middle of a conflict', async () => {
    await sh(repo.root, 'switch', '-q', '-c', 'side');
    await commitFiles(repo.root, { 'a.txt': 'side\n' }, 'side');
    await sh(repo.root, 'switch', '-q', 'main');
    await commitFiles(repo.root, { 'a.txt': 'main\n' }, 'main');
    await shell(repo.root, 'git merge side');
    const before = await state();
    const ref = await savePoint({ worktree: repo.root, idea: 'i-1', why: 'before landing' });
    expect(await sh(repo.root, 'show', `${ref}:a.txt`)).toContain('<<<<<<<');
    expect(await state()).toBe(before);
  });
});

describe('landedIdeas', () => {
  it('reads trailers, newest first, and forgets what was taken back', async () => {
    const commit = (text: string) => sh(repo.root, 'commit', '-q', '--allow-empty', '-m', text);
    await commit('one\n\nRalph-Idea: i-1\nRalph-Agent: ed-001');
    await commit('two\n\nRalph-Idea: i-2');
    await commit('Ralph-Idea: not-a-trailer is only text\n\nhere');
    await commit('revert one\n\nRalph-Reverted: i-1');
    await commit('three\n\nRalph-Idea: i-3');
    await commit('revert three\n\nRalph-Reverted: i-3');
    await commit('three again\n\nRalph-Idea: i-3');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-3', 'i-2']);
  });
});

describe('objects that are missing in the repository', () => {
  const drop = async (path: string): Promise<void> => {
    const oid = (await sh(repo.root, 'rev-parse', `:${path}`)).trim();
    await rm(join(repo.root, '.git/objects', oid.slice(0, 2), oid.slice(2)));
  };

  it('are written again from the files of the worktree, and the work is committed', async () => {
    await put(repo.root, { 'old one.txt': 'a file that stays\n' });
    await sh(repo.root, 'add', '-A');
    await sh(repo.root, 'commit', '-q', '-m', 'old');
    await put(repo.root, { 'new "x".txt': 'staged\n', 'later.txt': 'first\n', 'last.txt': 'same\n' });
    await sh(repo.root, 'add', '-A');
    for (const path of ['old one.txt', 'new "x".txt', 'later.txt', 'last.txt']) await drop(path);
    await put(repo.root, {
      'later.txt': 'second\n',
      '.git/hooks/pre-commit': '#!/bin/sh\necho ran >> .git/hook-ran\n',
    });
    await chmod(join(repo.root, '.git/hooks/pre-commit'), 0o755);
    expect(await commitLeftovers({ worktree: repo.root, message })).toMatchObject({ committed: true });
    // However many objects are missing, a slow hook runs for the first try and for the commit.
    expect(await read(repo.root, '.git/hook-ran')).toBe('ran\nran\n');
    expect(await sh(repo.root, 'show', 'HEAD:later.txt')).toBe('second');
    expect(await sh(repo.root, 'show', 'HEAD:last.txt')).toBe('same');
    expect(await sh(repo.root, 'show', 'HEAD:new "x".txt')).toBe('staged');
  });

  it('stay an error of git where the files are gone, too', async () => {
    await put(repo.root, { 'gone.txt': 'gone\n', 'b.txt': 'b\n' });
    await sh(repo.root, 'add', '-A');
    await drop('gone.txt');
    await put(repo.root, { 'gone.txt': 'other\n' });
    await sh(repo.root, 'update-index', '--skip-worktree', 'gone.txt');
    await rm(join(repo.root, 'gone.txt'));
    const { refused } = await commitLeftovers({ worktree: repo.root, message });
    expect(refused).toMatch(/invalid object .* for 'gone\.txt'/);
  });
});
