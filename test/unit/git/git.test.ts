import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema/config.js';
import { readCommits } from '../../../src/git/commits.js';
import { exclusive, isLockContention, lockDelayMs, removeStaleLocks } from '../../../src/git/locks.js';
import { GitError, git } from '../../../src/git/runner.js';
import { assertDiskSpace, machineFault } from '../../../src/jobs/machine.js';
import { FAILURE } from '../../../src/protocol/failures.js';
import { makeRepo, put, sh, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const forge = (kind: string, file: string, id: string, other: string) =>
  execa('node', ['test/support/forge-index.mjs', kind, file, id, other]);
const treeOf = async (blob: string): Promise<string> =>
  (await execa('git', ['mktree'], { cwd: repo.root, input: `100644 blob ${blob}\ta.txt\n` })).stdout;
async function commitOther(): Promise<{ blob: string }> {
  await put(repo.root, { 'other.txt': 'green\n' });
  await sh(repo.root, 'add', '-A');
  await sh(repo.root, 'commit', '-qm', 'other');
  return { blob: await sh(repo.root, 'rev-parse', 'HEAD:other.txt') };
}

describe('git', () => {
  it('returns stdout without trailing newlines, or everything byte for byte', async () => {
    expect(await git(repo.root).run(['rev-parse', 'HEAD'])).toBe(repo.base);
    expect(await git(repo.root).result(['rev-parse', 'HEAD'])).toEqual({
      code: 0,
      stdout: `${repo.base}\n`,
      stderr: '',
    });
  });

  it('F6: names a read-only file system at once, as a fault of the machine and not as a lock', async (context) => {
    // Needs the right to mount, which root has.
    const mount = (...args: string[]) => execa('mount', args, { reject: false });
    const bound = await mount('--bind', repo.root, repo.root);
    if (bound.failed) context.skip(`nothing can be mounted here: ${bound.stderr || bound.message}`);
    try {
      const locked = await mount('-o', 'remount,bind,ro', repo.root);
      if (locked.failed) context.skip(`nothing can be mounted read-only here: ${locked.stderr}`);
      expect(await git(repo.root).run(['rev-parse', 'HEAD'])).toBe(repo.base);
      for (const args of [
        ['update-ref', 'refs/heads/x', 'HEAD'],
        ['commit', '--allow-empty', '-m', 'x'],
      ]) {
        const error = await git(repo.root)
          .run(args)
          .catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(GitError);
        expect(String(error)).toMatch(/Read-only file system/);
        expect(isLockContention((error as GitError).stderr)).toBe(false);
        expect(machineFault(error)).toMatchObject({ type: FAILURE.machine, retryable: true });
      }
      await expect(assertDiskSpace([join(repo.root, 'worktrees')], configSchema.parse({}))).rejects.toThrow(
        /the disk of .*worktrees is read-only \(EROFS\)/,
      );
    } finally {
      await execa('umount', ['--lazy', repo.root], { reject: false });
    }
    await expect(
      assertDiskSpace([repo.root], configSchema.parse({ disk: { minFreeMegabytes: 1 } })),
    ).resolves.toBeUndefined();
  });

  it('takes expected exit codes as answers and makes errors of the others', async () => {
    const args = ['rev-parse', '--verify', '-q', 'nope'];
    expect((await git(repo.root).result(args, { ok: [0, 1] })).code).toBe(1);
    const error = await git(repo.root)
      .run(['rev-parse', 'nope'])
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GitError);
    expect(error).toMatchObject({ code: 128, dir: repo.root });
    await expect(git(`${repo.root}/missing`).run(['status'])).rejects.toBeInstanceOf(GitError);
  });

  it('feeds stdin and ends it even when there is no input', async () => {
    expect(await git(repo.root).run(['hash-object', '--stdin'], { input: 'hello' })).toBe(
      'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0',
    );
    expect(await git(repo.root).run(['hash-object', '--stdin'])).toMatch(/^[0-9a-f]{40}$/);
  });

  it('does not let our own GIT_ environment in', async () => {
    process.env.GIT_DIR = '/nonexistent';
    process.env.GIT_INDEX_FILE = '/nonexistent/index';
    process.env.GIT_AUTHOR_NAME = 'Mallory';
    try {
      expect(await git(repo.root).run(['rev-parse', '--show-toplevel'])).toBe(repo.root);
      await git(repo.root).run(['commit', '--allow-empty', '-q', '-m', 'x']);
      expect(await sh(repo.root, 'log', '-1', '--format=%an')).toBe('Ada');
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_INDEX_FILE;
      delete process.env.GIT_AUTHOR_NAME;
    }
  });

  it('gives no secret of our environment to what git starts: filters, hooks', async () => {
    process.env.SECRET_THING = 'sesame';
    process.env.LC_TOKEN = 'sesame';
    try {
      const seen = `${repo.scratch}/seen`;
      await sh(repo.root, 'config', 'filter.x.clean', `env > '${seen}'; cat`);
      await put(repo.root, { '.gitattributes': '*.txt filter=x\n', 'b.txt': 'b\n' });
      await git(repo.root).run(['add', 'b.txt']);
      const text = await readFile(seen, 'utf8');
      expect(text).toMatch(/^PATH=/m);
      expect(text).not.toContain('sesame');
    } finally {
      delete process.env.SECRET_THING;
      delete process.env.LC_TOKEN;
    }
  });

  it('sees what commits hold, whatever git replace says', async () => {
    const blob = await sh(repo.root, 'rev-parse', 'HEAD:a.txt');
    await put(repo.scratch, { other: 'green\n' });
    await sh(repo.root, 'replace', blob, await sh(repo.root, 'hash-object', '-w', `${repo.scratch}/other`));
    expect(await sh(repo.root, 'show', 'HEAD:a.txt')).toBe('green');
    expect(await git(repo.root).run(['show', 'HEAD:a.txt'])).toBe('one');
  });

  it('sees the tree of a commit, whatever a commit-graph says', async () => {
    await put(repo.scratch, { other: 'green\n' });
    const evil = await treeOf(await sh(repo.root, 'hash-object', '-w', `${repo.scratch}/other`));
    await sh(repo.root, 'commit-graph', 'write', '--reachable');
    await forge('commit-graph', `${repo.root}/.git/objects/info/commit-graph`, repo.base, evil);
    const tree = await sh(repo.root, 'rev-parse', 'HEAD^{tree}');
    expect(await sh(repo.root, 'log', '-1', '--format=%T')).toBe(evil);
    expect(await git(repo.root).run(['log', '-1', '--format=%T'])).toBe(tree);
    expect((await readCommits(repo.root, 'HEAD')).map((one) => one.tree)).toEqual([tree]);
  });

  it('sees what an object holds, whatever a multi-pack-index says', async () => {
    const blob = await sh(repo.root, 'rev-parse', 'HEAD:a.txt');
    const other = (await commitOther()).blob;
    await sh(repo.root, 'repack', '-adq');
    await sh(repo.root, 'multi-pack-index', 'write');
    await forge('multi-pack-index', `${repo.root}/.git/objects/pack/multi-pack-index`, blob, other);
    expect(await sh(repo.root, 'cat-file', 'blob', blob)).toBe('green');
    expect(await git(repo.root).run(['cat-file', 'blob', blob])).toBe('one');
  });

  it('runs hooks only when asked to', async () => {
    await put(repo.root, { '.git/hooks/pre-commit': '#!/bin/sh\necho no >&2\nexit 1\n' });
    await chmod(`${repo.root}/.git/hooks/pre-commit`, 0o755);
    const args = ['commit', '--allow-empty', '-q', '-m', 'x'];
    await expect(git(repo.root).run(args, { hooks: true })).rejects.toThrow(/no/);
    await git(repo.root).run(args);
  });

  it('waits for a lock to go away', async () => {
    const lock = `${repo.root}/.git/index.lock`;
    await writeFile(lock, '');
    await put(repo.root, { 'b.txt': 'b' });
    const adding = git(repo.root).run(['add', 'b.txt']);
    setTimeout(() => void rm(lock), 150);
    await adding;
    expect(await sh(repo.root, 'diff', '--cached', '--name-only')).toBe('b.txt');
  });

  it('survives forty writers on one ref', async () => {
    await Promise.all(Array.from({ length: 40 }, () => git(repo.root).run(['update-ref', 'refs/x/one', repo.base])));
    expect(await sh(repo.root, 'rev-parse', 'refs/x/one')).toBe(repo.base);
  });

  it('stops when the signal is aborted', async () => {
    await expect(
      git(repo.root).run(['rev-parse', 'HEAD'], { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
  });
});

describe('locks', () => {
  it.each([
    ["fatal: Unable to create '/r/.git/index.lock': File exists.", true],
    ['error: could not lock config file .git/config: File exists', true],
    ["fatal: cannot lock ref 'refs/x': Unable to create '/r/.git/refs/x.lock': File exists.", true],
    ["fatal: Unable to create '/r/.git/packed-refs.lock': File exists.", true],
    ["fatal: cannot lock ref 'refs/heads/main': is at aaa but expected bbb", false],
    ["fatal: cannot lock ref 'refs/heads/ralph/x': 'refs/heads/ralph' exists; cannot create", false],
  ])('tells contention from answers: %s', (stderr, expected) => {
    expect(isLockContention(stderr)).toBe(expected);
  });

  it('gives up after some seconds in all', () => {
    let total = 0;
    for (let attempt = 1, delay = lockDelayMs(attempt); delay !== undefined; delay = lockDelayMs(++attempt))
      total += delay;
    expect(total).toBeGreaterThan(2000);
    expect(total).toBeLessThan(15_000);
  });

  it('runs work with one key one after another, also after a failure', async () => {
    const seen: string[] = [];
    const step = (name: string, fail = false) =>
      exclusive('k', async () => {
        seen.push(`+${name}`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`-${name}`);
        if (fail) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([step('a', true), step('b'), step('c')]);
    expect(seen).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
    expect(all.map((one) => one.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('removes only an old index lock', async () => {
    await writeFile(`${repo.root}/.git/index.lock`, '');
    expect(await removeStaleLocks(`${repo.root}/.git`)).toBe(false);
    expect(await removeStaleLocks(`${repo.root}/.git`, { now: Date.now() + 61_000 })).toBe(true);
    // Written before the clock was set back by an hour.
    await writeFile(`${repo.root}/.git/index.lock`, '');
    expect(await removeStaleLocks(`${repo.root}/.git`, { now: Date.now() - 3_600_000 })).toBe(true);
  });
});
