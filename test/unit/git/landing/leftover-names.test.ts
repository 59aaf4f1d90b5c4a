/** Leftovers with names that ralphctl needs: branches of the user, locks of killed gits. Features: D1; field pains E, F. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseBlockedNames } from '../../../../src/git/branch-names.js';
import type { LandOptions } from '../../../../src/git/landing/land.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);
const ensure = (idea?: string) => worktreeOf(repo, idea);
const land = (idea: string, more: Partial<LandOptions> = {}) => landWork(repo, idea, more);

describe('branches of the user with a name that ralphctl needs', () => {
  it('ralph/<idea> with work that ralphctl did not make is refused by name, and stays as it is', async () => {
    await sh(repo.root, 'switch', '-q', '-c', 'ralph/i-1');
    const mine = await commitFiles(repo.root, { 'mine.txt': 'm\n' }, 'mine');
    await sh(repo.root, 'switch', '-q', 'main');
    await expect(ensure()).rejects.toThrow(
      /ralph\/i-1 in .* that ralphctl did not make.*git branch -m ralph\/i-1 mine\/i-1/,
    );
    expect(await tip('ralph/i-1')).toBe(mine);
    await sh(repo.root, 'branch', '-m', 'ralph/i-1', 'mine/i-1');
    expect(await ensure()).toMatchObject({ origin: 'created', base: repo.base });
    expect(await tip('mine/i-1')).toBe(mine);
  });

  it('one without work of its own is used', async () => {
    await sh(repo.root, 'branch', 'ralph/i-1');
    expect(await ensure()).toMatchObject({ origin: 'created' });
  });

  it.each([
    ['deleted its worktree', async (path: string) => rm(path, { recursive: true })],
    ['removed it with git', (path: string) => sh(path, 'worktree', 'remove', '--force', path)],
    [
      'deleted it and pruned',
      async (path: string) => {
        await rm(path, { recursive: true });
        await sh(repo.root, 'worktree', 'prune');
      },
    ],
  ])('the branch of an agent that %s is its own, and goes on', async (_, remove) => {
    const { path } = await ensure();
    await commitFiles(path, { 'work.txt': 'w\n' }, 'no trailer');
    await remove(path);
    expect(await ensure()).toMatchObject({ path, base: repo.base });
    expect(await read(path, 'work.txt')).toBe('w\n');
  });

  it('a branch named ralph, or one below the idea, is named', async () => {
    await expect(refuseBlockedNames(repo.root)).resolves.toBeUndefined();
    await sh(repo.root, 'branch', 'ralph/i-1/part');
    await expect(refuseBlockedNames(repo.root)).resolves.toBeUndefined();
    await expect(ensure()).rejects.toThrow(/ralph\/i-1\/part.*git branch -m ralph\/i-1\/part ralph-i-1-part-old/);
    await sh(repo.root, 'branch', '-m', 'ralph/i-1/part', 'ralph');
    await expect(refuseBlockedNames(repo.root)).rejects.toThrow(/git branch -m ralph ralph-old/);
    await expect(ensure()).rejects.toThrow(/git branch -m ralph ralph-old/);
  });

  it.each([
    ['loose', async () => undefined],
    ['packed', () => sh(repo.root, 'pack-refs', '--all')],
  ])('a ref in the place of the refs of ralphctl is named, with the command that moves it: %s', async (_name, pack) => {
    await sh(repo.root, 'update-ref', 'refs/ralphctl', 'HEAD');
    await pack();
    const problem = await refuseBlockedNames(repo.root).catch((error: Error) => error.message);
    expect(problem).toContain(`A ref named refs/ralphctl in ${repo.root} blocks`);
    await expect(ensure()).rejects.toThrow(problem);
    const fix = /Rename it: (.+)$/.exec(problem ?? '')?.[1] ?? 'false';
    expect(await shell(repo.root, fix)).toMatchObject({ code: 0 });
    expect(await tip('refs/ralphctl-old')).toBe(repo.base);
    const { path } = await ensure();
    await commitFiles(path, { 'a.txt': 'two\n' }, 'step');
    await sh(repo.root, 'update-ref', '-d', 'refs/ralphctl/branch/i-1');
    await sh(repo.root, 'update-ref', 'refs/ralphctl', 'HEAD');
    await pack();
    await expect(land('i-1')).rejects.toThrow(problem);
    await shell(repo.root, fix);
    expect(await land('i-1')).toMatchObject({ kind: 'landed' });
    await expect(refuseBlockedNames(repo.root)).resolves.toBeUndefined();
  });

  it('landing takes the mark of the branch away with the branch', async () => {
    const { path } = await ensure();
    await commitFiles(path, { 'a.txt': 'two\n' }, 'step');
    expect(await sh(repo.root, 'rev-parse', 'refs/ralphctl/branch/i-1')).toBe(repo.base);
    await land('i-1');
    expect(await sh(repo.root, 'for-each-ref', 'refs/ralphctl/branch', 'refs/heads/ralph')).toBe('');
  });
});

describe('locks that a killed git left', () => {
  const lock = () => join(repo.root, '.git/refs/heads/main.lock');

  it('of the target: retried, then named whole with its command, and the checkout is as it was', async () => {
    const { path } = await ensure();
    await commitFiles(path, { 'a.txt': 'two\n' }, 'step');
    await writeFile(lock(), '');
    const problem = await land('i-1').then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    expect(problem).toContain(`rm '${lock()}'`);
    expect(problem?.length).toBeLessThan(300);
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    expect(await tip()).toBe(repo.base);
    await rm(lock());
    expect(await land('i-1')).toMatchObject({ kind: 'landed', commit: await tip() });
  }, 60_000);

  it('of the target: one that goes away is waited for', async () => {
    const { path } = await ensure();
    await commitFiles(path, { 'a.txt': 'two\n' }, 'step');
    await writeFile(lock(), '');
    const landing = land('i-1', {
      gate: async () => {
        setTimeout(() => void rm(lock()), 300);
        return GREEN;
      },
    });
    expect(await landing).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  });

  it('of the index of the checkout: the target moves, the checkout stays and the note says why', async () => {
    const { path } = await ensure();
    await commitFiles(path, { 'a.txt': 'two\n' }, 'step');
    const index = join(repo.root, '.git/index.lock');
    await writeFile(index, '');
    const got = await land('i-1');
    expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining(`rm '${index}'`) });
    expect(await sh(repo.root, 'show', 'main:a.txt')).toBe('two');
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    await rm(index);
    const next = await ensure('i-2');
    await commitFiles(next.path, { 'b.txt': 'b\n' }, 'step');
    await land('i-2');
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  }, 60_000);
});
