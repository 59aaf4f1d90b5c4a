/** Cleaning of worktrees with submodules and repositories inside, and of those that a person made. Features: G9. */
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationDir, worktreesDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { writeMark } from '../../../../src/git/worktrees/recycle.js';
import { clean } from '../../../../src/jobs/clean/clean.js';
import type { Cleaned } from '../../../../src/protocol/retention.js';
import { daysBefore, oldRun } from '../../../support/old-runs.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../../git/repo.js';

const PROJECT = 'mine-11111111';
const NOW = new Date(Date.now() + 100 * 86_400_000);
const FILES = ['-c', 'protocol.file.allow=always'];
let repo: TestRepo;
let root: string;
let lib: string;

beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', '.gitignore': 'build/\n.env.local\n' });
  root = join(repo.scratch, 'state');
  await oldRun(root, { project: PROJECT, repo: repo.root, at: daysBefore(NOW.getTime(), 99) });
  await mkdir(worktreesDir(root, PROJECT), { recursive: true });
  lib = join(repo.scratch, 'lib');
  const deep = join(repo.scratch, 'deep');
  for (const one of [deep, lib]) {
    await mkdir(one);
    await sh(one, 'init', '-q', '-b', 'main');
    await sh(one, 'config', 'user.name', 'Ada');
    await sh(one, 'config', 'user.email', 'ada@example.org');
    await commitFiles(one, { 'l.txt': 'lib\n', '.gitignore': 'out/\n' }, 'lib');
  }
  await sh(lib, ...FILES, 'submodule', '-q', 'add', deep, 'deep');
  await sh(lib, 'commit', '-qm', 'deep');
  await sh(repo.root, ...FILES, 'submodule', '-q', 'add', lib, 'libs/x');
  await sh(repo.root, 'commit', '-qm', 'submodule');
});
afterEach(() => repo.remove());

const cleaned = (worktreesRoot?: string): Promise<Cleaned> =>
  clean({
    ...{ root, project: PROJECT, rules: { ...DEFAULT_RETENTION, transcriptDays: 'never', gateLogDays: 'never' } },
    ...{ place: { repo: repo.root, target: 'main', worktreesRoot }, dryRun: false, byItself: false, now: NOW },
    ...{ stop: () => false, waitMs: 5000 },
  });

let count = 0;
async function worktree(folder = worktreesDir(root, PROJECT)): Promise<string> {
  const path = join(folder, `ralph-tree-${String(++count).padStart(3, '0')}`);
  await sh(repo.root, 'worktree', 'add', '-q', '-b', `ralph/a-${count}`, path);
  await sh(path, ...FILES, 'submodule', '-q', 'update', '--init', '--recursive');
  await writeMark((await privateGitDir(path)) ?? '', 'idea', `a-${count}`);
  return path;
}
const reset = ['reset', '-q', '--hard'];

describe('repositories inside', () => {
  it('a worktree goes whose submodules are clean, with all their commits on the remote', async () => {
    const path = await worktree();
    await put(path, { 'libs/x/out/built.js': 'ignored\n', '.env.local': 'SECRET=1\n' });
    const { items, stays } = await cleaned();
    expect(stays).toEqual([]);
    expect(items.map(({ name }) => name)).toEqual([path]);
    expect(await exists(path)).toBe(false);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['untracked files', (path) => put(path, { 'libs/x/new.txt': 'only here\n' })],
    ['untracked files of a nested one', (path) => put(path, { 'libs/x/deep/new.txt': 'only here\n' })],
    [
      'a commit on a branch',
      async (path) => {
        await commitFiles(join(path, 'libs/x'), { 'n.txt': 'n\n' }, 'only here');
        await sh(join(path, 'libs/x'), 'branch', 'mine');
        await sh(join(path, 'libs/x'), 'checkout', '-q', '--detach', 'origin/main');
      },
    ],
    [
      'a commit that only a reflog has',
      async (path) => {
        await commitFiles(join(path, 'libs/x'), { 'n.txt': 'n\n' }, 'only here');
        await sh(join(path, 'libs/x'), ...reset, 'origin/main');
      },
    ],
    [
      'a commit of a nested one that only a reflog has',
      async (path) => {
        await commitFiles(join(path, 'libs/x/deep'), { 'n.txt': 'n\n' }, 'only here');
        await sh(join(path, 'libs/x/deep'), ...reset, 'origin/main');
      },
    ],
    [
      'a stash',
      async (path) => {
        await put(path, { 'libs/x/l.txt': 'edited\n' });
        await sh(join(path, 'libs/x'), 'stash', '-q');
      },
    ],
    [
      'a commit, and no folder any more',
      async (path) => {
        await commitFiles(join(path, 'libs/x'), { 'n.txt': 'n\n' }, 'only here');
        await rm(join(path, 'libs/x'), { recursive: true });
        await mkdir(join(path, 'libs/x'));
      },
    ],
    [
      'files and no repository any more',
      async (path) => {
        await rm(join(path, 'libs/x/.git'));
        await put(path, { 'libs/x/new.txt': 'only here\n' });
      },
    ],
    [
      'hidden edits',
      async (path) => {
        await sh(join(path, 'libs/x'), 'update-index', '--assume-unchanged', 'l.txt');
        await put(path, { 'libs/x/l.txt': 'hidden\n' });
      },
    ],
    [
      'a repository in an ignored folder, as a whole',
      async (path) => {
        await mkdir(join(path, 'build/tool'), { recursive: true });
        await sh(join(path, 'build/tool'), 'init', '-q');
        await commitFiles(join(path, 'build/tool'), { 't.txt': 't\n' }, 'only here');
      },
    ],
    [
      'a bare repository in an ignored folder',
      async (path) => {
        await sh(path, 'clone', '-q', '--bare', lib, 'build/tool.git');
      },
    ],
    [
      'a worktree of another repository in an ignored folder',
      async (path) => {
        await sh(lib, 'worktree', 'add', '-q', '--detach', join(path, 'build/other'));
      },
    ],
    [
      'a git directory that is damaged',
      async (path) => {
        await mkdir(join(path, 'build/broken/.git'), { recursive: true });
      },
    ],
  ])('a worktree stays that holds %s', async (_, change) => {
    const path = await worktree();
    await change(path);
    const { items, stays } = await cleaned();
    expect(items).toEqual([]);
    expect(await exists(path)).toBe(true);
    expect(stays).toEqual([expect.stringMatching(/ stays: ./)]);
    expect(stays[0]?.startsWith(path)).toBe(true);
  });

  it.each<[string, (clone: string, program: string) => Promise<unknown>]>([
    ['of its own', (clone, program) => sh(clone, 'config', 'filter.own.clean', program)],
    [
      'of a file that its settings include',
      async (clone, program) => {
        await put(clone, { '.git/more': `[filter "own"]\n\tclean = "${program}"\n` });
        await sh(clone, 'config', 'include.path', 'more');
      },
    ],
    [
      'of a repository in it',
      async (clone, program) => {
        await sh(clone, ...FILES, 'submodule', '-q', 'update', '--init');
        const deep = join(clone, 'deep');
        await sh(deep, 'config', 'filter.own.clean', program);
        await put(deep, { 'l.txt': 'lib\n', '../.git/modules/deep/info/attributes': '* filter=own\n' });
      },
    ],
    [
      'of its second file of settings',
      async (clone, program) => {
        await sh(clone, 'config', 'filter.own.clean', program);
        await rename(join(clone, '.git/config'), join(clone, '.git/config.worktree'));
        await put(clone, { '.git/config': '[extensions]\n\tworktreeConfig = true\n' });
      },
    ],
  ])('B4: git runs no program %s in a repository in an ignored folder, and the worktree stays', async (_, set) => {
    const path = await worktree();
    const [clone, ran] = [join(path, 'build/clone'), join(repo.scratch, 'ran')];
    await sh(path, 'clone', '-q', lib, clone);
    await set(clone, `touch '${ran}'; cat`);
    // The same text under another time: git has to read it through the filter.
    await put(clone, { '.git/info/attributes': '* filter=own\n', 'l.txt': 'lib\n' });
    const later = new Date(Date.now() + 60_000);
    for (const file of ['l.txt', 'deep/l.txt']) await utimes(join(clone, file), later, later).catch(() => undefined);
    const { items, stays } = await cleaned();
    expect(await exists(ran)).toBe(false);
    expect(items).toEqual([]);
    expect(stays).toEqual([expect.stringMatching(/ stays: the repository .* has settings that may run programs \(/)]);
  });

  it('a worktree stays whose inner repository has its files elsewhere', async () => {
    const path = await worktree();
    const clone = join(path, 'build/clone');
    await sh(path, 'clone', '-q', lib, clone);
    await sh(clone, 'config', 'core.worktree', lib);
    expect((await cleaned()).stays).toEqual([expect.stringMatching(/ has its files elsewhere$/)]);
  });

  it('a worktree goes whose submodule has commits that the copy of the checkout has, too', async () => {
    const copy = join(repo.root, 'libs/x');
    await sh(copy, 'config', 'user.name', 'Ada');
    await sh(copy, 'config', 'user.email', 'ada@example.org');
    await commitFiles(copy, { 'local.txt': 'not pushed\n' }, 'local');
    const path = await worktree();
    await sh(join(path, 'libs/x'), ...FILES, 'fetch', '-q', copy, 'HEAD:refs/heads/local');
    expect((await cleaned()).items.map(({ name }) => name)).toEqual([path]);
  });

  it('a clone in an ignored folder goes, whose commits its remote has', async () => {
    const path = await worktree();
    await sh(path, 'clone', '-q', lib, 'build/clone');
    expect((await cleaned()).items.map(({ name }) => name)).toEqual([path]);
  });
});

describe('worktrees that ralphctl did not make', () => {
  it('stay, whatever they are called', async () => {
    const folder = join(repo.scratch, 'trees');
    await mkdir(folder);
    const mine = await worktree(folder);
    const add = async (name: string, ...args: string[]): Promise<string> => {
      await sh(repo.root, 'worktree', 'add', '-q', ...args, join(folder, name));
      return join(folder, name);
    };
    const named = await add('feature', '-b', 'feature');
    const below = await add('team/feature', '-b', 'feature-2');
    const unmarked = await add('ralph-tree-900', '--detach');
    const foreign = await worktree(folder);
    await sh(foreign, 'checkout', '-q', '-b', 'my-own');
    const marked = await add('mine', '--detach');
    await writeMark((await privateGitDir(marked)) ?? '', 'idea', 'a-1');
    const landing = join(integrationDir(root, PROJECT), 'main');
    const person = join(integrationDir(root, PROJECT), 'person');
    await sh(repo.root, 'worktree', 'add', '-q', '--detach', landing);
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'person', person);
    const { items } = await cleaned(folder);
    expect(items.map(({ name }) => name).sort()).toEqual([landing, mine].sort());
    for (const path of [named, below, unmarked, foreign, marked, person]) expect(await exists(path)).toBe(true);
  });
});

describe('leftovers of cleanings', () => {
  it('only those go that have a name of ours, whose process has ended, and which are no link', async () => {
    const folder = worktreesDir(root, PROJECT);
    const outside = join(repo.scratch, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'f.txt'), 'mine\n');
    const stay = ['.cleaning-rota', '.cleaning-1-abc', '.cleaning-999999999-0123456g', '.cleaning-1-01234567'];
    for (const name of stay) await put(folder, { [`${name}/plan.txt`]: 'mine\n' });
    await symlink(outside, join(folder, '.cleaning-999999999-aaaaaaaa'));
    await put(folder, { 'x/f.txt': 'trash\n' });
    await rename(join(folder, 'x'), join(folder, '.cleaning-999999999-01234567'));
    await cleaned();
    for (const name of stay) expect(await exists(join(folder, name, 'plan.txt'))).toBe(true);
    expect(await exists(join(folder, '.cleaning-999999999-aaaaaaaa'))).toBe(true);
    expect(await exists(join(outside, 'f.txt'))).toBe(true);
    expect(await exists(join(folder, '.cleaning-999999999-01234567'))).toBe(false);
  });
});
