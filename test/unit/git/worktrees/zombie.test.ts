/** What an attempt that was given up does when it comes back to life: nothing to what is another's by then. Features: C1 C6. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishLanding } from '../../../../src/git/landing/finish.js';
import { whenStoodStill } from '../../../../src/git/locks.js';
import { git } from '../../../../src/git/runner.js';
import { ensureWorktree } from '../../../../src/git/worktrees/ensure.js';
import { listWorktrees, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { readMark, resetOnto } from '../../../../src/git/worktrees/recycle.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const ensure = (idea: string) =>
  ensureWorktree({
    ...{ repo: repo.root, worktreesRoot: repo.worktreesRoot, agentName: 'ed-001', idea },
    ...{ base: repo.base, keep: [], recycle: true },
  });

describe('an attempt that comes back to life', () => {
  it('leaves a worktree alone that it was about to let go and that another idea has by now', async () => {
    const { path, branch } = await ensure('i-1');
    const head = await commitFiles(path, { 'b.txt': 'b' }, 'work');
    const stale = await listWorktrees(repo.root);
    const finish = () => finishLanding({ dir: repo.root, branch, idea: 'i-1', head, worktrees: stale });
    expect(await finish()).toBeUndefined();
    const next = await ensure('i-2');
    expect(next.origin).toBe('recycled');
    expect(await finish()).toBeUndefined();
    expect(await sh(next.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/i-2');
    expect(await sh(next.path, 'rev-parse', 'HEAD')).toBe(repo.base);
    expect(await readMark((await privateGitDir(next.path)) ?? '', 'recyclable')).toBeUndefined();
  });

  it('leaves a worktree alone that it was about to reset and that is ready by now', async () => {
    const first = await ensure('i-1');
    const head = await commitFiles(first.path, { 'b.txt': 'b' }, 'work');
    await finishLanding({
      ...{ dir: repo.root, branch: first.branch, idea: 'i-1', head },
      worktrees: await listWorktrees(repo.root),
    });
    const { path, branch } = await ensure('i-2');
    await put(path, { 'new.txt': 'of the agent\n' });
    const gitDir = (await privateGitDir(path)) ?? '';
    await resetOnto({ path, gitDir }, { branch, base: repo.base }, []);
    expect(await read(path, 'new.txt')).toBe('of the agent\n');
    // As long as the mark says that it is at it, it goes on.
    await writeFile(`${gitDir}/ralphctl-recycling`, '');
    await resetOnto({ path, gitDir }, { branch, base: repo.base }, []);
    expect(await sh(path, 'status', '--porcelain')).toBe('');
  });

  it('is told before its next git command that it stood still', async () => {
    let told = 0;
    const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const started = (): Promise<unknown> => git(repo.root).run(['status'], { read: true });
    whenStoodStill(600_000, () => told++);
    block(1500);
    await started();
    expect(told, 'less than the limit').toBe(0);
    whenStoodStill(1500, () => told++);
    block(2000);
    const status = started();
    expect(told).toBe(1);
    await status;
    whenStoodStill(Number.POSITIVE_INFINITY, () => undefined);
  });
});
