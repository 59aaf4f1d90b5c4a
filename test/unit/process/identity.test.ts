import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  aliveness,
  hasProc,
  identityOf,
  isAlive,
  ownIdentity,
  parseStat,
  terminate,
} from '../../../src/process/identity.js';
import { until } from './helpers.js';

const sleeper = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });

async function identified(child: ReturnType<typeof sleeper>) {
  const pid = child.pid ?? 0;
  return until(() => identityOf(pid));
}

describe('process identity', () => {
  it('knows a running process and forgets it once it ended', async () => {
    const child = sleeper();
    const identity = await identified(child);
    expect(await isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await until(async () => !(await isAlive(identity)));
    expect(await identityOf(identity.pid)).toBeUndefined();
  });

  it('does not take a reused pid for the process that had it', async () => {
    const self = await ownIdentity();
    expect(await isAlive(self)).toBe(true);
    expect(
      await aliveness({ pid: self.pid, startTime: self.startTime.replace(/\d$/, (d) => `${(+d + 1) % 10}`) }),
    ).toBe('dead');
    expect(await aliveness({ pid: self.pid, startTime: 'an earlier boot/1/2' })).toBe('dead');
  });

  it.runIf(hasProc)('says unknown for a process of another pid namespace', async () => {
    const self = await ownIdentity();
    const [boot, , ticks] = self.startTime.split('/');
    expect(await aliveness({ pid: self.pid, startTime: `${boot}/1/${ticks}` })).toBe('unknown');
  });

  it('reads the start time behind a name with spaces and parentheses', () => {
    const rest = Array.from({ length: 40 }, (_, i) => i + 4).join(' ');
    expect(parseStat(`12 (a) b (c) S ${rest}`)?.startTime).toMatch(/\/22$/);
  });
});

describe('terminate', () => {
  it('ends a process that ignores SIGTERM', async () => {
    const code = 'process.on("SIGTERM", () => {}); console.log("deaf"); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    await terminate(await identified(child), 100);
    expect(await ended).toBe('SIGKILL');
  });

  it('leaves a process alone that only has the same pid', async () => {
    const child = sleeper();
    const identity = await identified(child);
    await terminate({ pid: identity.pid, startTime: 'other/1/2' }, 100);
    expect(await isAlive(identity)).toBe(true);
    await terminate(identity, 2_000);
    expect(await isAlive(identity)).toBe(false);
  });
});
