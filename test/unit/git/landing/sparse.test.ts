/** A sparse checkout that lags: sync keeps to its cone (C1). Its landings: test/activities/sparse.test.ts. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { exists } from '../../../../src/git/worktrees/list.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const NINE = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
const MINE = NINE.replace('l1', 'mine');
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'src/a.txt': NINE, 'out/b.txt': NINE, 'out/gone.txt': 'g\n', 'top.txt': 't\n' });
});
afterEach(() => repo.remove());

async function land(files: Record<string, string>): Promise<void> {
  const { path } = await worktreeOf(repo);
  await sh(path, 'rm', '-q', '--sparse', 'out/gone.txt');
  await commitFiles(path, files, 'work');
  expect(await landWork(repo)).toMatchObject({ kind: 'landed' });
}
const LANDED = {
  'src/a.txt': NINE.replace('l9', 'theirs'),
  'src/new.txt': 'n\n',
  'out/b.txt': NINE.replace('l9', 'theirs'),
  'out/new.txt': 'n\n',
  'far/x.txt': 'x\n',
};
const skipped = async (): Promise<string[]> =>
  (await sh(repo.root, 'ls-files', '-t')).split('\n').flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : []));

describe.each([
  ['in cone mode', ['--cone', 'src']],
  ['in cone mode with a sparse index', ['--cone', '--sparse-index', 'src']],
  ['by patterns', ['--no-cone', '/*', '!/out/', '!/far/']],
])('%s', (_, cone) => {
  beforeEach(() => sh(repo.root, 'sparse-checkout', 'set', ...cone));

  it('C1 sync brings along what is in the cone, and marks what is not', async () => {
    await put(repo.root, { 'src/a.txt': MINE });
    await land(LANDED);
    expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['src/a.txt'], conflicts: [] });
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M src/a.txt');
    expect(await read(repo.root, 'src/a.txt')).toBe(MINE.replace('l9', 'theirs'));
    expect(await read(repo.root, 'src/new.txt')).toBe('n\n');
    for (const path of ['out', 'far']) expect(await exists(join(repo.root, path))).toBe(false);
    expect(await skipped()).toEqual(['far/x.txt', 'out/b.txt', 'out/new.txt']);
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
    await sh(repo.root, 'commit', '-qam', 'mine');
    expect(await sh(repo.root, 'diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('src/a.txt');
  });

  it('C1 an edit outside the cone is merged and saved, and an untracked file like the landed one is taken', async () => {
    await put(repo.root, { 'src/a.txt': MINE, 'out/b.txt': MINE, 'far/x.txt': 'x\n' });
    await land(LANDED);
    const done = await syncCheckout(repo.root, 'main');
    expect(done).toMatchObject({ conflicts: [] });
    for (const path of ['src/a.txt', 'out/b.txt'])
      expect(await read(repo.root, path)).toBe(MINE.replace('l9', 'theirs'));
    expect(await read(repo.root, 'far/x.txt')).toBe('x\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M out/b.txt\n M src/a.txt');
    expect(await sh(repo.root, 'show', `${done?.saved}:out/b.txt`)).toBe(MINE.trimEnd());
    expect(await skipped()).toEqual(['out/new.txt']);
  });
});
