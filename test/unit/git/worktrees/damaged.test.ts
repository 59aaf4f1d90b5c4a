/** What an agent does to its own worktree costs at most uncommitted work, and a retry or cleanup gets on. Features: B11. */
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { markRecyclable } from '../../../../src/git/worktrees/recycle.js';
import { cleanupIdea } from '../../../../src/git/worktrees/remove.js';
import { rollbackIdea } from '../../../../src/git/worktrees/rollback.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const elsewhere = (): string => join(repo.scratch, 'elsewhere');
const place = () => ({ repo: repo.root, worktreesRoot: repo.worktreesRoot, target: 'main', idea: 'i-1' });

interface Own {
  path: string;
  /** Its private git directory. */
  admin: string;
}

const damages: Array<[name: string, damage: (own: Own) => Promise<unknown>]> = [
  [
    'moved away, with a symbolic link in its place',
    ({ path }) => rename(path, elsewhere()).then(() => symlink(elsewhere(), path)),
  ],
  ['moved by git worktree move', ({ path }) => sh(path, 'worktree', 'move', path, elsewhere())],
  ['HEAD missing', ({ admin }) => rm(join(admin, 'HEAD'))],
  ['HEAD garbage', ({ admin }) => writeFile(join(admin, 'HEAD'), 'garbage\n')],
  ['HEAD a folder', ({ admin }) => rm(join(admin, 'HEAD')).then(() => mkdir(join(admin, 'HEAD')))],
  ['gitdir missing', ({ admin }) => rm(join(admin, 'gitdir'))],
  ['gitdir garbage', ({ admin }) => writeFile(join(admin, 'gitdir'), 'garbage\n')],
  ['gitdir names a folder that is not there', ({ admin }) => writeFile(join(admin, 'gitdir'), '/nowhere/.git\n')],
  ['commondir missing', ({ admin }) => rm(join(admin, 'commondir'))],
  ['commondir garbage', ({ admin }) => writeFile(join(admin, 'commondir'), 'garbage\n')],
  ['index garbage', ({ admin }) => writeFile(join(admin, 'index'), 'garbage\n')],
  ['.git missing', ({ path }) => rm(join(path, '.git'))],
];

async function begun(): Promise<Own> {
  const { path } = await worktreeOf(repo, 'i-1');
  await commitFiles(path, { 'b.txt': 'b' }, 'work');
  await put(path, { 'open.txt': 'open' });
  return { path, admin: (await privateGitDir(path)) ?? '' };
}

const saved = async (file: string): Promise<string> => {
  const found = await Promise.all(
    (await listSaves(repo.root, 'i-1')).map(({ ref }) => shell(repo.root, `git show ${ref}:${file}`)),
  );
  return found.find(({ code }) => code === 0)?.out ?? 'not saved';
};

describe.each(damages)('a worktree that its agent damaged: %s', (_name, damage) => {
  it('the idea goes on, with its commits and its open work', async () => {
    const own = await begun();
    await damage(own);
    const { path } = await worktreeOf(repo, 'i-1');
    expect(dirname(path)).toBe(repo.worktreesRoot);
    expect(await sh(path, 'log', '-1', '--format=%s')).toBe('work');
    expect(await read(path, 'b.txt')).toBe('b');
    if (await exists(join(path, 'open.txt'))) expect(await sh(path, 'status', '--porcelain')).toBe('?? open.txt');
    else expect(await saved('open.txt')).toBe('open');
  });

  it('cleanup saves what it holds and removes it; then another idea and the idea itself work', async () => {
    await damage(await begun());
    expect(await cleanupIdea(place())).toMatchObject({ removed: true });
    expect(await saved('open.txt')).toBe('open');
    expect(await sh(repo.root, 'worktree', 'list')).not.toContain('ralph/i-1');
    for (const idea of ['i-2', 'i-1']) expect((await worktreeOf(repo, idea)).branch).toBe(`ralph/${idea}`);
  });

  it('cleanup --force and a rollback do the same', async () => {
    await damage(await begun());
    expect(await rollbackIdea(place())).toMatchObject({ commits: 1, saved: expect.any(String) });
    expect(await saved('open.txt')).toBe('open');
    expect(await cleanupIdea({ ...place(), force: true })).toMatchObject({ removed: true });
    expect(await worktreeOf(repo, 'i-1')).toMatchObject({ base: repo.base });
  });

  it('the next idea in its slot gets a worktree, after a landing too', async () => {
    const own = await begun();
    await rm(join(own.path, 'open.txt'));
    await sh(own.path, 'checkout', '-q', '--detach', repo.base);
    await sh(own.path, 'branch', '-D', 'ralph/i-1');
    await markRecyclable(own.path);
    await damage(own);
    const { path } = await worktreeOf(repo, 'i-2');
    expect(await sh(path, 'status', '--porcelain=v2', '--branch')).toContain('branch.head ralph/i-2');
    expect(await exists(join(path, 'b.txt'))).toBe(false);
  });
});

it('a locked worktree that was moved comes back', async () => {
  const { path } = await begun();
  await sh(path, 'worktree', 'move', path, elsewhere());
  await sh(repo.root, 'worktree', 'lock', elsewhere());
  expect(await worktreeOf(repo, 'i-1')).toMatchObject({ path, origin: 'adopted' });
});

it('what another idea works in is not mended, and a worktree of another state folder stays where it is', async () => {
  const own = await begun();
  await writeFile(join(own.admin, 'HEAD'), 'garbage\n');
  await worktreeOf(repo, 'i-2');
  expect(await read(own.admin, 'HEAD')).toBe('garbage\n');
  const other = join(repo.scratch, 'other/projects/p/worktrees');
  const { path } = await worktreeOf(repo, 'i-3', { worktreesRoot: other });
  await expect(worktreeOf(repo, 'i-3')).rejects.toThrow(/Another ralphctl works on i-3/);
  expect(await exists(path)).toBe(true);
});
