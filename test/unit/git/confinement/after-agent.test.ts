/** What an ended agent left for git to follow. Features: B2 D2. */
import { spawnSync } from 'node:child_process';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearWhatGitFollows } from '../../../../src/git/confinement/after-agent.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let path: string;
let admin: string;
let tip: string;
beforeEach(async () => {
  repo = await makeRepo();
  ({ path } = await worktreeOf(repo, 'i-1'));
  await commitFiles(path, { 'b.txt': 'b' }, 'work');
  await put(path, { 'open.txt': 'open' });
  admin = (await privateGitDir(path)) ?? '';
  tip = await sh(path, 'rev-parse', 'HEAD');
});
afterEach(() => repo.remove());

const BRANCH = 'ralph/i-1';
const ref = (branch = BRANCH): string => join(repo.root, '.git/refs/heads', branch);
const clear = async (given: { sandboxed?: boolean; tip?: string | undefined } = {}): Promise<string> => {
  const { sandboxed = true } = given;
  const known = 'tip' in given ? given.tip : tip;
  const tipOf = async (branch: string) => (branch === BRANCH ? known : undefined);
  const found = await clearWhatGitFollows({ worktree: path, branch: BRANCH, sandboxed, tipOf });
  return found.map(({ what }) => what).join('\n');
};
const head = (): Promise<string> => readFile(join(admin, 'HEAD'), 'utf8');

it('finds nothing after honest work: an own branch, a rebase and a bisect that are open', async () => {
  await sh(path, 'checkout', '-q', '-b', 'ralph/tried');
  await mkdir(join(admin, 'rebase-merge'));
  await writeFile(join(admin, 'rebase-merge/head-name'), `refs/heads/${BRANCH}\n`);
  await writeFile(join(admin, 'BISECT_START'), `${BRANCH}\n`);
  await writeFile(join(admin, 'COMMIT_EDITMSG'), 'ref: what it refers to\n');
  expect(await clear()).toBe('');
  expect(await head()).toBe('ref: refs/heads/ralph/tried\n');
  expect(await exists(join(admin, 'COMMIT_EDITMSG'))).toBe(true);
});

describe('removes, and says so', () => {
  it.each([
    ['a link', async (at: string) => symlink('/nowhere', at), 'logs/HEAD'],
    ['a link in place of a folder', async (at: string) => symlink('/nowhere', at), 'logs'],
    ['a name in place of a commit', async (at: string) => writeFile(at, 'ref: refs/heads/main\n'), 'ORIG_HEAD'],
    ['a name below refs', async (at: string) => writeFile(at, 'ref: refs/heads/main\n'), 'refs/worktree/x'],
  ])('%s', async (_name, make, name) => {
    const at = join(admin, name);
    await rm(at, { recursive: true, force: true });
    await mkdir(join(at, '..'), { recursive: true });
    await make(at);
    expect(await clear()).toContain(`/${name}; ralphctl removed them`);
    expect(await exists(at)).toBe(false);
  });

  it.each([
    ['BISECT_START', '-Bmain\n', 'BISECT_LOG'],
    ['BISECT_START', 'main\n', 'BISECT_LOG'],
    ['rebase-merge/head-name', 'refs/heads/main\n', 'rebase-merge'],
    ['rebase-apply/head-name', 'refs/heads/ralph/../main\n', 'rebase-apply'],
  ])('an open operation: %s with %j', async (file, text, sign) => {
    await mkdir(join(admin, file, '..'), { recursive: true });
    if (sign === 'BISECT_LOG') await writeFile(join(admin, sign), '');
    await writeFile(join(admin, file), text);
    expect(await clear()).toContain(`goes back to ${text.trim()}; ralphctl ended it`);
    expect([await exists(join(admin, file)), await exists(join(admin, sign))]).toEqual([false, false]);
  });
});

it('leaves a pipe and a broken index to those who tell and mend them', async () => {
  spawnSync('mkfifo', [join(admin, 'MERGE_HEAD')]);
  await rm(join(admin, 'index'));
  await symlink('/nowhere', join(admin, 'index'));
  expect(await clear()).toBe('');
  expect((await lstat(join(admin, 'MERGE_HEAD'))).isFIFO()).toBe(true);
});

it.each([
  'ref: refs/heads/main\n',
  'ref:refs/heads/ralph/i-1\n',
  'ref: refs/heads/ralph/../main\n',
  'ref: refs/heads/ralph/`x`\n',
])('goes back from HEAD with %j to the branch, with all files', async (text) => {
  await writeFile(join(admin, 'HEAD'), text);
  expect(await clear()).toContain(`ralphctl went back to ${BRANCH}`);
  expect(await head()).toBe(`ref: refs/heads/${BRANCH}\n`);
  expect(await sh(path, 'rev-parse', 'HEAD')).toBe(tip);
  expect(await sh(path, 'status', '--porcelain')).toBe('?? open.txt');
});

it('and from a HEAD that is a link', async () => {
  await rm(join(admin, 'HEAD'));
  await symlink('refs/heads/main', join(admin, 'HEAD'));
  expect(await clear()).toContain(`ralphctl went back to ${BRANCH}`);
  expect((await lstat(join(admin, 'HEAD'))).isFile()).toBe(true);
  expect(await head()).toBe(`ref: refs/heads/${BRANCH}\n`);
});

describe.each([true, false])('in a sandbox: %s', (sandboxed) => {
  it('a branch that is another name comes back, and the other branch stays', async () => {
    const main = await sh(repo.root, 'rev-parse', 'main');
    await writeFile(ref(), 'ref: refs/heads/main\n');
    expect(await clear({ sandboxed })).toContain(`made its branch ${BRANCH} another name of refs/heads/main`);
    expect(await readFile(ref(), 'utf8')).toBe(`${tip}\n`);
    expect(await sh(repo.root, 'rev-parse', 'main')).toBe(main);
  });

  it('one that is a link, too', async () => {
    await rm(ref());
    await symlink('refs/heads/main', ref());
    expect(await clear({ sandboxed })).toContain('put it back');
    expect(await readFile(ref(), 'utf8')).toBe(`${tip}\n`);
  });

  it('one whose tip nobody knows is removed, and its work stays where it is', async () => {
    await writeFile(ref('ralph/other'), 'ref: refs/heads/ralph/i-1\n');
    expect(await clear({ sandboxed })).toBe(
      'made ralph/other another name of refs/heads/ralph/i-1; ralphctl removed it',
    );
    expect(await exists(ref('ralph/other'))).toBe(false);
    expect(await sh(repo.root, 'rev-parse', BRANCH)).toBe(tip);
  });
});

it('without a sandbox links and HEAD are its own business', async () => {
  await symlink('/nowhere', join(admin, 'annex'));
  await sh(path, 'checkout', '-q', '-b', 'feature');
  expect(await clear({ sandboxed: false })).toBe('');
  expect(await exists(join(admin, 'annex'))).toBe(true);
});
