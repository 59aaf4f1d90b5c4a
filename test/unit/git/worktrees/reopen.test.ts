import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { commitLeftovers } from '../../../../src/git/worktrees/commit.js';
import { reopenForConflict, reopenForRed } from '../../../../src/git/worktrees/reopen.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, put, RED, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let path: string;
beforeEach(async () => {
  repo = await makeRepo();
  const made = await worktreeOf(repo);
  path = made.path;
});
afterEach(() => repo.remove());

const land = (pass = true) =>
  landWork(repo, 'i-1', {
    integrationRoot: join(repo.scratch, 'integration'),
    title: 'T',
    gate: async () => (pass ? GREEN : RED),
  });

describe('reopenForConflict', () => {
  it('leaves markers on top of the target, and the fixed work lands in a line', async () => {
    const old = await commitFiles(path, { 'a.txt': 'mine\n', 'new.txt': 'n\n' }, 'w');
    await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 't');
    const conflict = await land();
    if (conflict.kind !== 'conflict') throw new Error(conflict.kind);
    const again = () => reopenForConflict({ worktree: path, idea: 'i-1', onto: conflict.onto });
    expect(await again()).toEqual({ files: ['a.txt'] });
    expect(await sh(path, 'rev-parse', 'HEAD')).toBe(conflict.onto);
    expect(await read(path, 'a.txt')).toMatch(/<<<<<<<[\s\S]*theirs[\s\S]*mine[\s\S]*>>>>>>>/);
    expect(await read(path, 'new.txt')).toBe('n\n');
    expect((await listSaves(repo.root, 'i-1')).map((one) => one.commit)).toContain(old);
    await put(path, { 'a.txt': 'both\n' });
    await again();
    expect(await read(path, 'a.txt')).toBe('both\n');
    await commitLeftovers({ worktree: path, message: 'feat: both' });
    await again();
    expect(await sh(path, 'log', '--format=%s')).toBe('feat: both\nt\nStart');
    expect(await land()).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await read(repo.root, 'a.txt')).toBe('both\n');
  });

  it('goes on after a crash between reset and merge', async () => {
    const tip = await commitFiles(path, { 'b.txt': 'mine\n' }, 'w');
    const onto = await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 't');
    const { writeMark } = await import('../../../../src/git/worktrees/recycle.js');
    const { privateGitDir } = await import('../../../../src/git/worktrees/list.js');
    await writeMark((await privateGitDir(path)) ?? '', 'reopen', JSON.stringify({ onto, tip, done: false }));
    await sh(path, 'reset', '-q', '--hard', onto);
    expect(await reopenForConflict({ worktree: path, idea: 'i-1', onto })).toEqual({ files: [] });
    expect(await sh(path, 'status', '--porcelain')).toBe('A  b.txt');
  });
});

describe('reopenForRed', () => {
  it('puts the branch on the candidate once, and keeps what came before', async () => {
    const old = await commitFiles(path, { 'b.txt': 'b\n' }, 'w');
    await commitFiles(repo.root, { 'c.txt': 'c\n' }, 't');
    const red = await land(false);
    if (red.kind !== 'red') throw new Error(red.kind);
    const again = () => reopenForRed({ worktree: path, idea: 'i-1', candidate: red.candidate });
    await again();
    expect(await sh(path, 'rev-parse', 'ralph/i-1')).toBe(red.candidate);
    expect(await read(path, 'c.txt')).toBe('c\n');
    expect((await listSaves(repo.root, 'i-1')).map((one) => one.commit)).toContain(old);
    const fixed = await commitFiles(path, { 'b.txt': 'fixed\n' }, 'fix');
    await put(path, { 'b.txt': 'dirty\n' });
    await again();
    expect(await sh(path, 'rev-parse', 'HEAD')).toBe(fixed);
    expect(await read(path, 'b.txt')).toBe('dirty\n');
    await sh(path, 'checkout', '-q', 'b.txt');
    expect(await land()).toMatchObject({ kind: 'landed', commits: 2 });
  });
});
