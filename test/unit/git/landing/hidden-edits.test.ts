/** Files that a person edited behind a mark of git (C1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ "it's a.txt": TEN, 'b.txt': 'bee\n', 'same.txt': 'same\n' });
});
afterEach(() => repo.remove());

async function landed(files: Record<string, string>) {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, files, 'work');
  return landWork(repo);
}

describe.each(['assume-unchanged', 'skip-worktree'])('C1 an edited file that is marked %s', (mark) => {
  it('is named with its mark in every view, and the advice leads to a sync that keeps the edit', async () => {
    await sh(repo.root, 'update-index', `--${mark}`, "it's a.txt", 'b.txt');
    await put(repo.root, { "it's a.txt": TEN.replace('l1', 'mine') });
    const got = await landed({ "it's a.txt": TEN.replace('l9', 'theirs'), 'b.txt': 'landed\n' });
    const text = new RegExp(`landed work changes it's a\\.txt, which you have edited in .* and marked ${mark}`);
    expect(got).toMatchObject({ kind: 'landed', note: expect.stringMatching(text) });
    const [behind = '', ...more] = await checkoutsBehind(repo.root, 'main');
    expect(more).toEqual([]);
    expect(behind).toMatch(text);
    expect(behind).toMatch(
      new RegExp(`First clear the mark \\(git -C .*--no-${mark} -- .*\\), then run: ralphctl sync`),
    );
    const before = await sh(repo.root, 'ls-files', '-v', '-s');
    const refused = await syncCheckout(repo.root, 'main').catch((error: unknown) => String(error));
    expect(refused).toMatch(/^RepositoryError: Landed work changes .*Nothing was changed\. Clear the mark/s);
    expect(await sh(repo.root, 'ls-files', '-v', '-s')).toBe(before);
    const command = /\((git -C .*)\), then run: ralphctl sync/s.exec(String(refused))?.[1] ?? 'false';
    expect(await shell('/', command)).toMatchObject({ code: 0 });
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ["it's a.txt"], conflicts: [] });
    expect(await read(repo.root, "it's a.txt")).toBe(TEN.replace('l1', 'mine').replace('l9', 'theirs'));
    expect(await read(repo.root, 'b.txt')).toBe('landed\n');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  });

  it('that no landed work changes is in nobody’s way', async () => {
    await sh(repo.root, 'update-index', `--${mark}`, 'same.txt');
    await put(repo.root, { 'same.txt': 'mine\n' });
    expect(await landed({ 'b.txt': 'landed\n' })).not.toHaveProperty('note', expect.anything());
    expect([await read(repo.root, 'same.txt'), await read(repo.root, 'b.txt')]).toEqual(['mine\n', 'landed\n']);
  });
});
