/** An idea whose branch and worktree somebody deleted by hand. Features: C2 C3. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goneWork } from '../../../../src/git/saves/gone-branch.js';
import { savePoint } from '../../../../src/git/saves/saves.js';
import { rollbackIdea } from '../../../../src/git/worktrees/rollback.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);
const place = () => ({ repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' });
const ensure = () => worktreeOf(repo);

/** Two commits, one edit and one new file. */
async function worked(): Promise<string> {
  const { path } = await ensure();
  await commitFiles(path, { 'a.txt': 'two\n' }, 'step 1');
  await commitFiles(path, { 'new.txt': 'n\n' }, 'step 2');
  await put(path, { 'a.txt': 'edited\n', 'untracked.txt': 'u\n' });
  return path;
}

describe('C3 a branch and a worktree that somebody deleted', () => {
  const drop = async (path: string): Promise<void> => {
    await rm(path, { recursive: true });
    await sh(repo.root, 'worktree', 'prune');
    await sh(repo.root, 'branch', '-D', 'ralph/i-1');
  };

  it('come back from the newest save, with what was not committed', async () => {
    const path = await worked();
    const saved = await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    await drop(path);
    expect(await goneWork(repo.root, 'main', 'i-1')).toEqual({ branch: 'ralph/i-1', save: { n: 1, ref: saved } });
    const got = await ensure();
    expect(got).toMatchObject({ base: repo.base, gone: { save: { n: 1, ref: saved } } });
    expect(await read(got.path, 'a.txt')).toBe('edited\n');
    expect(await read(got.path, 'untracked.txt')).toBe('u\n');
    expect(await sh(repo.root, 'log', '--format=%s', 'main..ralph/i-1')).toContain('step 2');
    expect(await ensure()).not.toHaveProperty('gone');
    expect(await goneWork(repo.root, 'main', 'i-1')).toBeUndefined();
  });

  it('say so where no save has work of it, and begin anew', async () => {
    await drop(await worked());
    expect(await goneWork(repo.root, 'main', 'i-1')).toEqual({ branch: 'ralph/i-1' });
    expect(await ensure()).toMatchObject({ gone: { branch: 'ralph/i-1' }, base: repo.base });
    expect(await tip('ralph/i-1')).toBe(repo.base);
  });

  it('are brought back by the worktree, while that is there', async () => {
    const path = await worked();
    await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    await sh(repo.root, 'update-ref', '-d', 'refs/heads/ralph/i-1');
    expect(await goneWork(repo.root, 'main', 'i-1')).toBeUndefined();
  });

  it.each([
    ['before they were deleted', async () => void (await rollbackIdea(place())), async () => undefined],
    ['afterwards', async () => undefined, async () => void (await rollbackIdea(place()))],
  ])('stay away after a rollback %s', async (_name, before, after) => {
    const path = await worked();
    await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    await before();
    await drop(path);
    await after();
    expect(await goneWork(repo.root, 'main', 'i-1')).toBeUndefined();
    expect(await ensure()).not.toHaveProperty('gone');
    expect(await tip('ralph/i-1')).toBe(repo.base);
  });

  it('begin anew where the target has no history in common with them', async () => {
    const path = await worked();
    await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    await drop(path);
    const other = await sh(repo.root, 'commit-tree', '-m', 'anew', 'main^{tree}');
    await sh(repo.root, 'reset', '-q', '--hard', other);
    expect(await ensure()).toMatchObject({ gone: { branch: 'ralph/i-1' }, base: other });
  });
});
