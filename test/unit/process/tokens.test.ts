import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive, parseStat, signalIdentity } from '../../../src/process/identity.js';
import { cpuTime } from '../../../src/process/table.js';
import { findByToken, killByToken, tokenMatches } from '../../../src/process/tokens.js';
import { ATTEMPT_ENV } from '../../../src/protocol/names.js';
import { ENV, tempDir, until } from './helpers.js';

/** A process in a session of its own, marked as an attempt. */
async function marked(token: string, script = 'exec sleep 600'): Promise<number> {
  const env = { ...ENV, [ATTEMPT_ENV]: token };
  const child = spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore', detached: true });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const pid = child.pid ?? 0;
  // Until it has replaced itself by its program it still shows the environment of this process.
  await until(async () => (await findByToken(token)).some((found) => found.pid === pid));
  return pid;
}

const pids = async (prefix: string): Promise<number[]> => (await findByToken(prefix)).map(({ pid }) => pid).sort();

describe('finding by token', () => {
  it('matches whole segments only', async () => {
    const project = `t-${randomUUID()}`;
    const one = await marked(`${project}/run1/task-1/1/a`);
    const ten = await marked(`${project}/run1/task-10/1/a`);
    const other = await marked(`${project}x/run1/task-1/1/a`);
    expect(await pids(project)).toEqual([one, ten].sort());
    expect(await pids(`${project}/`)).toEqual([one, ten].sort());
    expect(await pids(`${project}/run1/task-1`)).toEqual([one]);
    expect(await pids(`${project}/run1/task-1/1/a`)).toEqual([one]);
    expect(await pids(`${project}/run`)).toEqual([]);
    expect(await pids(`${project}x`)).toEqual([other]);
    expect(await pids(project.slice(2))).toEqual([]);
  });

  it('never takes everything for a match', async () => {
    await expect(findByToken('')).rejects.toThrow(/every run/);
    await expect(killByToken('//')).rejects.toThrow(/every run/);
    expect(tokenMatches('a/b', 'a')).toBe(true);
    expect(tokenMatches('ab', 'a')).toBe(false);
  });

  it('kills what it finds, and tells', async () => {
    const project = `t-${randomUUID()}`;
    const soft = await marked(`${project}/run/a/1/x`);
    const deaf = await marked(`${project}/run/b/1/x`, "trap '' TERM; while :; do sleep 600; done");
    const spared = await marked(`${project}2/run/b/1/x`);
    const killed = (await killByToken(project, 100)).map(({ pid }) => pid);
    expect(killed).toContain(soft);
    expect(killed).toContain(deaf);
    expect(await pids(project)).toEqual([]);
    expect(await identityOf(spared)).toBeDefined();
  });
});

describe('descendants', () => {
  it('die with what carries the token, although they dropped it and have a session of their own (C5)', async () => {
    const project = `t-${randomUUID()}`;
    const dir = await tempDir();
    const file = join(dir, 'pid');
    await marked(`${project}/run/a/1/x`, `env -i setsid /bin/sh -c 'echo $$ > ${file}; exec sleep 600' & wait`);
    const pid = await until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || undefined);
    const hidden = await until(() => identityOf(pid));
    expect(await pids(project)).not.toContain(pid);
    const killed = await killByToken(project, 100);
    expect(killed.map((one) => one.pid)).toContain(pid);
    expect(await isAlive(hidden)).toBe(false);
  });

  it('processor time is read as ps gives it', () => {
    expect(cpuTime('1-02:03:04')).toBe(93_784_000);
    expect(cpuTime('0:00.25')).toBe(250);
    expect(cpuTime('12:01')).toBe(721_000);
    expect(cpuTime('?')).toBe(0);
  });
});

describe('identities', () => {
  it('tell a process from a later one with its pid', async () => {
    const pid = await marked(`t-${randomUUID()}/r/i/1/x`);
    const identity = await identityOf(pid);
    expect(identity).toBeDefined();
    if (!identity) return;
    expect(await isAlive(identity)).toBe(true);
    const recycled = { pid, startTime: `${identity.startTime}0` };
    expect(await isAlive(recycled)).toBe(false);
    expect(await signalIdentity(recycled, 'SIGKILL')).toBe(false);
    expect(await isAlive(identity)).toBe(true);
    expect(await signalIdentity(identity, 'SIGKILL')).toBe(true);
    await until(async () => !(await isAlive(identity)));
  });

  it('do not exist for what does not run', async () => {
    const child = spawn('/bin/true', { stdio: 'ignore' });
    await once(child, 'exit');
    expect(await identityOf(child.pid ?? 0)).toBeUndefined();
    for (const pid of [0, -1, 1.5, Number.NaN]) expect(await identityOf(pid)).toBeUndefined();
  });

  it('are never those of this process when signalling', async () => {
    const own = await identityOf(process.pid);
    expect(own).toBeDefined();
    if (own) expect(await signalIdentity(own, 'SIGTERM')).toBe(false);
  });

  it('are read past a command name with spaces and parentheses', () => {
    const stat = `12 (a) b) c) S 3 4 5 0 -1 0 0 0 0 0 7 8 0 0 20 0 1 0 987654 1 2 3`;
    expect(parseStat(stat)).toMatchObject({ state: 'S', ppid: 3, pgid: 4, cpuMs: 150 });
    expect(parseStat(stat)?.startTime.endsWith('/987654')).toBe(true);
    expect(parseStat('')).toBeUndefined();
  });
});
