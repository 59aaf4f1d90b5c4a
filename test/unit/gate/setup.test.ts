import { chmod, mkdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gateEnvironment } from '../../../src/gate/environment.js';
import { ensureSetup, SetupError, type SetupOptions } from '../../../src/gate/kept/setup.js';
import { exists } from '../../../src/git/worktrees/list.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
let tree: string;
let count: string;
beforeEach(async () => {
  repo = await makeRepo({
    '.gitignore': 'node_modules/\n.env*\n!.env.example\n*.key\n',
    'package-lock.json': '{}',
    '.env.example': 'tracked\n',
  });
  tree = join(repo.scratch, 'tree');
  count = join(repo.scratch, 'count');
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'work', tree);
});
afterEach(() => repo.remove());

const setup = (more: Partial<SetupOptions> = {}) =>
  ensureSetup({
    worktree: tree,
    copy: [],
    from: repo.root,
    timeoutMs: 20_000,
    logDir: join(repo.scratch, 'logs'),
    proofs: join(repo.scratch, 'proofs'),
    env: gateEnvironment(process.env, {}),
    token: `test/setup/${Math.random()}`,
    ...more,
  });
const command = (): string => `echo x >> '${count}'; mkdir -p node_modules && echo dep > node_modules/dep`;
const runs = async (): Promise<number> =>
  (await exists(count)) ? (await read(repo.scratch, 'count')).trim().split('\n').length : 0;

describe('the setup command', () => {
  it('runs once, also after clean, and again after a move, without what it had made', async () => {
    expect(await setup({ run: command() })).toEqual({ copied: [], ran: true });
    expect(await setup({ run: command() })).toEqual({ copied: [], ran: false });
    await sh(tree, 'clean', '-ffdxq', '-e', 'node_modules');
    expect(await setup({ run: command() })).toMatchObject({ ran: false });
    const moved = join(repo.scratch, 'moved');
    await put(tree, { 'node_modules/stale': tree, '.env': 'mine', 'new.txt': 'work' });
    await sh(repo.root, 'worktree', 'move', tree, moved);
    // An agent can write the record of what set-up made.
    const record = join(repo.root, '.git/worktrees/tree/ralphctl-setup');
    const stamp = JSON.parse(await readFile(record, 'utf8'));
    await put(repo.scratch, { keep: 'k' });
    await writeFile(record, JSON.stringify({ ...stamp, made: [...stamp.made, '../keep', 'new.txt', 'a.txt'] }));
    expect(await setup({ run: command(), worktree: moved })).toMatchObject({ ran: true });
    expect(await runs()).toBe(2);
    expect(await exists(join(moved, 'node_modules/stale'))).toBe(false);
    for (const path of ['.env', 'new.txt', '../keep']) expect(await exists(join(moved, path))).toBe(true);
  });

  it('runs again when a lockfile, the command, or what it made has changed', async () => {
    await setup({ run: command() });
    await commitFiles(tree, { 'sub/deep/Cargo.lock': 'v2' }, 'lock');
    expect(await setup({ run: command() })).toMatchObject({ ran: true });
    expect(await setup({ run: `${command()} ` })).toMatchObject({ ran: true });
    await sh(tree, 'clean', '-ffdxq');
    expect(await setup({ run: `${command()} ` })).toMatchObject({ ran: true });
    await commitFiles(tree, { 'src/code.ts': 'x' }, 'code');
    expect(await setup({ run: `${command()} ` })).toMatchObject({ ran: false });
  });

  it('works in a main checkout and as an argument list', async () => {
    expect(await setup({ worktree: repo.root, run: ['/bin/sh', '-c', command()] })).toMatchObject({ ran: true });
    expect(await setup({ worktree: repo.root, run: ['/bin/sh', '-c', command()] })).toMatchObject({ ran: false });
  });

  it.each(['a pipe', 'a device'])('F5: runs again when its records were replaced by %s', async (what) => {
    await setup({ run: command(), shared: true });
    for (const name of ['ralphctl-setup', 'ralphctl-kept', 'ralphctl-setup.new', 'ralphctl-kept.new']) {
      const record = join(repo.root, '.git/worktrees/tree', name);
      await rm(record, { force: true });
      if (what === 'a pipe') await execa('mkfifo', [record]);
      else await symlink('/dev/zero', record);
    }
    expect(await setup({ run: command(), shared: true })).toMatchObject({ ran: true });
    expect(await setup({ run: command(), shared: true })).toMatchObject({ ran: false });
    expect(await runs()).toBe(2);
  });

  it('fails with tail and log, and is tried again', async () => {
    const failing = setup({ run: 'echo no space left >&2; exit 7' });
    await expect(failing).rejects.toBeInstanceOf(SetupError);
    await expect(failing).rejects.toMatchObject({
      message: expect.stringMatching(/exit 7[\s\S]*no space left/),
      tail: 'no space left',
      log: join(repo.scratch, 'logs/setup.log'),
    });
    await expect(setup({ run: 'sleep 600', timeoutMs: 200 })).rejects.toThrow(/took longer than/);
    await expect(setup({ run: ['no-such-installer'] })).rejects.toThrow(/no-such-installer/);
    expect(await setup({ run: command() })).toMatchObject({ ran: true });
  });

  it('a failed run makes an earlier success invalid', async () => {
    await setup({ run: command() });
    await expect(setup({ run: 'exit 1' })).rejects.toThrow(SetupError);
    expect(await setup({ run: command() })).toMatchObject({ ran: true });
  });
});

describe('copied files', () => {
  it('brings ignored files along, never over what is there', async () => {
    await put(repo.root, {
      '.env': 'SECRET=1\n',
      '.env.local': 'L\n',
      '.env.example': 'edited by the user\n',
      'certs/a.key': 'k\n',
      'node_modules/x': 'x',
    });
    await put(tree, { '.env.local': 'the agent has its own\n' });
    const { copied } = await setup({ copy: ['.env*', '**/*.key', 'missing'] });
    expect(copied.sort()).toEqual(['.env', 'certs/a.key']);
    expect(await read(tree, '.env')).toBe('SECRET=1\n');
    expect(await read(tree, '.env.local')).toBe('the agent has its own\n');
    expect(await read(tree, '.env.example')).toBe('tracked\n');
    expect(await sh(tree, 'status', '--porcelain')).toBe('');
    expect((await setup({ copy: ['.env*'] })).copied).toEqual([]);
  });

  it('follows a link of the user, never one of the agent', async () => {
    await writeFile(join(repo.scratch, 'shared'), 'shared\n');
    await symlink(join(repo.scratch, 'shared'), join(repo.root, '.env'));
    await put(repo.root, { 'certs/a.key': 'k\n' });
    await put(repo.scratch, { 'outside/keep': '' });
    await symlink(join(repo.scratch, 'outside'), join(tree, 'certs'));
    expect((await setup({ copy: ['.env', 'certs/*.key'] })).copied).toEqual(['.env']);
    expect(await read(tree, '.env')).toBe('shared\n');
    expect(await exists(join(repo.scratch, 'outside/a.key'))).toBe(false);
    await rm(join(tree, 'certs'));
  });

  it('keeps a tree as it is: links, modes, repositories within', async () => {
    await put(repo.root, { 'node_modules/ava/cli.js': '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/lib"\n' });
    await put(repo.root, { 'node_modules/ava/lib': 'found its own\n' });
    await chmod(join(repo.root, 'node_modules/ava/cli.js'), 0o755);
    await mkdir(join(repo.root, 'node_modules/.bin'));
    const link = (text: string, path: string) => symlink(text, join(repo.root, 'node_modules', path));
    await link('../ava/cli.js', '.bin/ava');
    await link(join(repo.root, 'node_modules/ava'), 'absolute');
    await link('/bin/sh', '.bin/sh');
    await link('gone', 'dangling');
    await put(repo.scratch, { outside: 'outside\n' });
    await link(relative(join(repo.root, 'node_modules'), join(repo.scratch, 'outside')), 'out');
    await sh(repo.root, 'init', '-q', 'node_modules/own');
    await put(repo.root, { 'node_modules/own/deep/x': 'x\n' });
    const real = (path: string) => realpath(join(tree, 'node_modules', path));

    const { copied } = await setup({ copy: ['node_modules'] });
    expect(copied).toEqual(expect.arrayContaining(['node_modules/.bin/ava', 'node_modules/own/deep/x']));
    const ran = await execa(join(tree, 'node_modules/.bin/ava'));
    expect(ran.stdout).toBe('found its own');
    expect(await readlink(join(tree, 'node_modules/.bin/ava'))).toBe('../ava/cli.js');
    expect(await real('absolute')).toBe(await real('ava'));
    expect(await readlink(join(tree, 'node_modules/.bin/sh'))).toBe('/bin/sh');
    expect(await readlink(join(tree, 'node_modules/dangling'))).toBe('gone');
    expect(await real('out')).toBe(await realpath(join(repo.scratch, 'outside')));
    expect(await sh(join(tree, 'node_modules/own'), 'rev-parse', '--is-inside-work-tree')).toBe('true');
    expect((await setup({ copy: ['node_modules'] })).copied).toEqual([]);
  });

  it('brings what .worktreeinclude names and git ignores', async () => {
    await put(repo.root, {
      '.worktreeinclude': '# for worktrees\n.env*\n!.env.test\n*.json\nconfig/\n',
      '.env': 'SECRET=1\n',
      '.env.test': 't\n',
      'secrets.json': '{}',
      'config/a.key': 'k\n',
      'certs/b.key': 'k\n',
    });
    expect((await setup()).copied).toEqual(['.env', 'config/a.key']);
    expect(await read(tree, '.env')).toBe('SECRET=1\n');
    expect((await setup({ copy: ['**/*.key'] })).copied).toEqual(['certs/b.key']);
  });

  it.each(['/etc/passwd', '../x', 'a/../../b', '.git/config'])('refuses %s', async (glob) => {
    await expect(setup({ copy: [glob] })).rejects.toThrow(/leaves the repository/);
  });

  it('refuses what an agent would commit', async () => {
    await put(repo.root, { 'secrets.json': '{}' });
    await expect(setup({ copy: ['*.json'] })).rejects.toThrow(/secrets\.json, which git does not ignore/);
  });
});
