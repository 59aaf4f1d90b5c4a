/** Pipes that an agent leaves where git opens a file, and gits that do not end by themselves. Features: B11 C6. */
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { git } from '../../../src/git/runner.js';
import { savePoint } from '../../../src/git/saves/saves.js';
import { readStatus } from '../../../src/git/status.js';
import { GIT_LIMITS, withCancellation } from '../../../src/git/watched.js';
import { settleIteration } from '../../../src/git/worktrees/settle.js';
import { pidsWith } from '../../support/processes.js';
import { until } from '../../support/program.js';
import { worktreeOf } from './idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from './repo.js';

let repo: TestRepo;
let path: string;
let base: string;
const usual = { ...GIT_LIMITS };

beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'ralphctl.yaml': 'gate: []\n', 'lib/.gitignore': 'out\n', 'lib/a': 'a\n' });
  base = await sh(repo.root, 'rev-parse', 'main');
  ({ path } = await worktreeOf(repo, 'i-1', { base, recycle: false }));
  GIT_LIMITS.firstLook = 200;
});
afterEach(async () => {
  Object.assign(GIT_LIMITS, usual);
  await repo.remove();
});

async function pipe(name: string): Promise<void> {
  await mkdir(dirname(join(path, name)), { recursive: true });
  await rm(join(path, name), { force: true });
  execFileSync('mkfifo', [join(path, name)]);
}
const isPipe = async (name: string): Promise<boolean> =>
  (await lstat(join(path, name)).catch(() => undefined))?.isFIFO() ?? false;

const settle = () =>
  settleIteration({
    ...{ worktree: path, idea: 'i-1', branch: 'ralph/i-1', base, since: base, restore: [] },
    commit: { message: 'feat: work\n', hooks: false },
  });

describe('a named pipe in a worktree after its agent', () => {
  it.each(['sub/.gitignore', 'sub/.gitattributes', '.gitattributes', 'nested/.git/HEAD'])(
    'is removed and told where git would wait for ever: %s',
    async (name) => {
      await pipe(name);
      if (name.startsWith('nested')) for (const one of ['objects', 'refs']) await mkdir(join(path, 'nested/.git', one));
      await put(path, { 'sub/y': 'y\n' });
      const settled = await settle();
      expect(settled).toMatchObject({ pipes: [name], changed: true, committed: true });
      expect(await isPipe(name)).toBe(false);
      expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('sub/y');
      expect((await settle()).pipes, 'told once').toEqual([]);
    },
  );

  it('stays where it is harmless to git', async () => {
    await pipe('run/queue');
    await pipe('sub/.gitignore');
    await put(path, { 'sub/y': 'y\n' });
    expect((await settle()).pipes).toEqual(['sub/.gitignore']);
    expect(await isPipe('run/queue')).toBe(true);
  });

  it('gives a tracked ignore file back, so that nothing ignored is committed', async () => {
    await pipe('lib/.gitignore');
    await put(path, { 'lib/out': 'built\n', 'lib/new': 'work\n' });
    expect((await settle()).pipes).toEqual(['lib/.gitignore']);
    expect(await read(path, 'lib/.gitignore')).toBe('out\n');
    expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('lib/new');
  });

  it('in place of a tracked file is removed, and the file restored', async () => {
    await pipe('ralphctl.yaml');
    await put(path, { 'b.txt': 'work\n' });
    const settled = await settle();
    expect(settled).toMatchObject({ pipes: ['ralphctl.yaml'], changed: true, committed: true });
    expect(await read(path, 'ralphctl.yaml')).toBe('gate: []\n');
    expect(await sh(path, 'diff', '--name-only', base, 'HEAD')).toBe('b.txt');
  });

  it('does not keep the work from being saved', async () => {
    await settle();
    await pipe('a.txt');
    await pipe('sub/.gitignore');
    await put(path, { 'sub/y': 'y\n' });
    const ref = await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
    expect(await sh(path, 'show', `${ref}:sub/y`)).toBe('y');
    expect(await sh(path, 'show', `${ref}:a.txt`)).toBe('one');
  });

  it('is a socket in place of a tracked file', async () => {
    await rm(join(path, 'a.txt'));
    const server = createServer();
    const cwd = process.cwd();
    onTestFinished(() => void server.close());
    // The path of a socket must be short.
    process.chdir(path);
    await new Promise<void>((resolve) => server.listen('a.txt', resolve)).finally(() => process.chdir(cwd));
    expect((await settle()).pipes).toEqual(['a.txt']);
    expect(await read(path, 'a.txt')).toBe('one\n');
  });
});

describe('a git that does not end', () => {
  const hang = async (): Promise<string> => {
    const mark = `1000.${process.pid}${Date.now()}`;
    // A filter is a real program of the repository that git waits for.
    await sh(path, 'config', 'filter.slow.clean', `sleep ${mark}`);
    await put(path, { '.gitattributes': '*.slow filter=slow\n', 'a.slow': 'x\n' });
    return mark;
  };

  it('has a time limit where it only reads, and the error names the folder', async () => {
    const mark = await hang();
    GIT_LIMITS.read = 1000;
    // On a busy machine its filter has not even begun by then.
    const reading = git(path).run(['hash-object', 'a.slow'], { read: true });
    await expect(reading).rejects.toThrow(`git hash-object in ${path} did not end within 1 s`);
    await until('its filter to end', async () => (await pidsWith('sleep', mark)).length === 0);
    GIT_LIMITS.read = usual.read;
    expect(await git(path).run(['rev-parse', 'HEAD'], { read: true }), 'others work on').toBe(base);
  });

  it.each([true, false])('ends when its work is cancelled (read: %s)', async (reads) => {
    const mark = await hang();
    const job = new AbortController();
    const args = reads ? ['hash-object', 'a.slow'] : ['add', '-A'];
    const working = withCancellation(job.signal, () => git(path).run(args, { read: reads }));
    working.catch(() => undefined);
    await until('the filter to run', async () => (await pidsWith('sleep', mark)).length > 0);
    GIT_LIMITS.cancelledRead = GIT_LIMITS.cancelledWrite = 100;
    job.abort();
    await expect(working).rejects.toThrow('did not end after its work was cancelled');
    await until('its filter to end', async () => (await pidsWith('sleep', mark)).length === 0);
    await rm(join(path, 'a.slow'));
    Object.assign(GIT_LIMITS, usual);
    // No lock is left, and saving after a cancellation works.
    await put(path, { 'b.txt': 'work\n' });
    await withCancellation(job.signal, () =>
      savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' }),
    );
    expect((await readStatus(path)).untracked).toContain('b.txt');
  });
});

it('leaves the pipes of a checkout that is not one of ralphctl’s, and names them when the limit is over', async () => {
  execFileSync('mkfifo', [join(repo.root, '.gitattributes')]);
  await put(repo.root, { 'c.txt': 'c\n' });
  execFileSync('mkfifo', [join(repo.root, 'lib/.gitignore.d')]);
  await rm(join(repo.root, 'lib/.gitignore'));
  execFileSync('mkfifo', [join(repo.root, 'lib/.gitignore')]);
  await commitFiles(path, { 'z.txt': 'z\n' }, 'work');
  GIT_LIMITS.read = 600;
  await put(repo.root, { 'lib/new': 'n\n' });
  await expect(readStatus(repo.root)).rejects.toThrow(`find '${repo.root}' -type p`);
  expect((await lstat(join(repo.root, 'lib/.gitignore'))).isFIFO()).toBe(true);
});
