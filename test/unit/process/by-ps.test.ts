/**
 * The process table, identities, tokens and marks from /proc and from `ps`: the same answers. macOS has `ps` only.
 * Features: D1 E4.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parted } from '../../../src/process/described.js';
import { ATTEMPT_ENV } from '../../../src/protocol/names.js';
import { ENV, tempDir, until } from './helpers.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The modules, loaded anew for one source of processes. */
async function from(source: 'proc' | 'ps') {
  vi.stubEnv('RALPHCTL_PROCESS_TABLE', source);
  vi.resetModules();
  const [identity, table, tokens, marked, left, find] = await Promise.all([
    import('../../../src/process/identity.js'),
    import('../../../src/process/table.js'),
    import('../../../src/process/tokens.js'),
    import('../../../src/process/marked.js'),
    import('../../../src/process/left-git.js'),
    import('../../../src/server/find.js'),
  ]);
  expect(identity.hasProc).toBe(source === 'proc' && process.platform === 'linux');
  return { ...identity, ...table, ...tokens, ...marked, ...left, ...find };
}

async function started(program: string, args: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(program, args, { env: { ...ENV, ...env }, stdio: 'ignore', detached: true });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child, 'spawn');
  return child.pid ?? 0;
}

/** A program named git that waits. */
async function slowGit(args: string[], env: Record<string, string>): Promise<number> {
  const git = join(await tempDir(), 'git');
  await symlink('/bin/sleep', git);
  return started(git, ['600', ...args], env);
}

describe.each(['proc', 'ps'] as const)('from %s', (source) => {
  it('D1: a process has one identity while it lives, with no space in it, and none afterwards', async () => {
    const of = await from(source);
    const pid = await started('/bin/sleep', ['600'], {});
    const first = await of.identityOf(pid);
    expect(first?.startTime).toMatch(/^\S+$/);
    expect(await of.identityOf(pid)).toEqual(first);
    expect(await of.identityOfNewChild(pid)).toEqual(first);
    const row = (await of.processTable()).find((one) => one.pid === pid);
    expect([row?.ppid, row?.pgid, row?.startTime]).toEqual([process.pid, pid, first?.startTime]);
    expect(first && (await of.isAlive(first))).toBe(true);
    expect(first && (await of.isAlive({ ...first, startTime: 'before' }))).toBe(false);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await of.identityOf(pid)) === undefined);
    expect(first && (await of.isAlive(first))).toBe(false);
  });

  it('D1: an attempt is found and ended by its token, and nothing beside it', async () => {
    const of = await from(source);
    const project = `t-${randomUUID()}`;
    const one = await started('/bin/sleep', ['600'], { [ATTEMPT_ENV]: `${project}/run/a/1/x`, LATER: 'a b=c d' });
    const other = await started('/bin/sleep', ['600'], { [ATTEMPT_ENV]: `${project}0/run/a/1/x` });
    await until(async () => (await of.findByToken(`${project}0`)).length === 1);
    await until(async () => (await of.findByToken(project)).length === 1);
    expect((await of.findByToken(`${project}/run/a`)).map(({ pid }) => pid)).toEqual([one]);
    expect((await of.killByToken(project, 100)).map(({ pid }) => pid)).toEqual([one]);
    expect(await of.identityOf(other)).toBeDefined();
  });

  it('D1: a git is found by its mark and command', async () => {
    const of = await from(source);
    const mark = `RALPHCTL_SYNC=${randomUUID()}`;
    const [name = '', value = ''] = mark.split('=');
    const pid = await slowGit(['0', '0'], { [name]: value });
    await until(async () => (await of.findMarkedGit(mark, ['600'])) === pid);
    expect(await of.findMarkedGit(mark, ['merge'])).toBeUndefined();
    expect(await of.findMarkedGit(`${mark}1`, ['600'])).toBeUndefined();
  });

  it('D1: what a dead job process left is found with its command; what a living one runs is not', async () => {
    const of = await from(source);
    const place = { root: join(await tempDir(), 'a state folder'), project: 'p-1' };
    await mkdir(place.root);
    const own = await of.ownIdentity();
    const launchedBy = (pid: number): Record<string, string> => ({
      RALPHCTL_LAUNCHER: `${pid} ${own.startTime} ${place.project} ${place.root}`,
      ZLATER: '1',
    });
    const gone = await slowGit([], { ...launchedBy(2 ** 22 - 3), GIT_OPTIONAL_LOCKS: '0' });
    const kept = await slowGit([], launchedBy(process.pid));
    await until(async () => (await of.findLeftGit(place)).length > 0);
    await until(async () => (await of.findMarkedGit('ZLATER=1', ['600'])) !== undefined);
    const found = await of.findLeftGit(place);
    expect(found.map(({ pid, endable }) => [pid, endable])).toEqual([[gone, true]]);
    expect(found[0]?.command).toMatch(/git 600$/);
    expect(await of.identityOf(kept)).toBeDefined();
    expect(await of.findLeftGit({ ...place, project: 'p-2' })).toEqual([]);
  });

  it('a server is found by its database', async () => {
    const of = await from(source);
    const dir = await tempDir();
    const database = join(dir, 'a database.db');
    const program = join(dir, 'temporal');
    await writeFile(program, '#!/bin/sh\nsleep 600\n', { mode: 0o755 });
    const pid = await started(program, ['server', 'start-dev', '--db-filename', database, '--port', '1'], {});
    await until(async () => (await of.findServers(database)).length === 1);
    expect((await of.findServers(database)).map((found) => found.process.pid)).toEqual([pid]);
    expect(await of.findServers(join(dir, 'a'))).toEqual([]);
  });
});

describe('a line of ps', () => {
  it('is parted where the environment begins; values keep their spaces', () => {
    expect(parted('git -c core.x=y merge A=1 B=two words C=')).toEqual({
      words: ['git', '-c', 'core.x=y', 'merge'],
      environment: ['A=1', 'B=two words', 'C='],
    });
    expect(parted('sleep 1')).toEqual({ words: ['sleep', '1'], environment: [] });
  });
});
