import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../../src/process/identity.js';
import { acquireLock, LockTimeoutError, withLock } from '../../../src/process/lock.js';
import { bundle, remove, run, temporaryFolder, until } from '../server/program.js';

let dir: string;
let program: string;

/** Enters the lock `rounds` times; writes enter and leave lines to a file; may hang inside. */
const SOURCE = `
import { appendFile, writeFile } from 'node:fs/promises';
import { withLock } from './src/process/lock.js';
const [, , lock, log, rounds, mode] = process.argv;
for (let i = 0; i < Number(rounds); i++) {
  await withLock(lock, async () => {
    await appendFile(log, 'enter ' + process.pid + '\\n');
    if (mode === 'hang') { console.log('held'); await new Promise((r) => setInterval(() => {}, 1000)); }
    await new Promise((r) => setTimeout(r, 1));
    await appendFile(log, 'leave ' + process.pid + '\\n');
  }, { waitMs: 60_000, onWait: () => console.log('waiting') });
}
`;

beforeAll(async () => {
  dir = await temporaryFolder();
  program = await bundle(join(dir, 'bin'), 'locker', SOURCE);
});
afterAll(() => remove(dir));

/** Every enter is followed by the leave of the same process, except for those that were killed inside. */
function expectExclusive(log: string, killed: ReadonlySet<number>): number {
  let inside: string | undefined;
  let entered = 0;
  for (const line of log.trim().split('\n')) {
    const [what, pid = ''] = line.split(' ');
    if (what === 'enter') {
      if (inside !== undefined) expect(killed, `${pid} entered while ${inside} was inside`).toContain(Number(inside));
      inside = pid;
      entered++;
    } else {
      expect(pid).toBe(inside);
      inside = undefined;
    }
  }
  return entered;
}

describe('the lock between processes', () => {
  it('lets one of many real processes in at a time', async () => {
    const [lock, log] = [join(dir, 'many.lock'), join(dir, 'many.log')];
    const all = Array.from({ length: 12 }, () => run(program, [lock, log, '8']));
    const ends = await Promise.all(all.map(({ done }) => done));
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(all.map(() => ({ code: 0, stderr: '' })));
    expect(expectExclusive(await readFile(log, 'utf8'), new Set())).toBe(12 * 8);
  }, 60_000);

  it('passes on at once, to exactly one of many takers, when the owner is killed', async () => {
    const [lock, log] = [join(dir, 'killed.lock'), join(dir, 'killed.log')];
    const killed = new Set<number>();
    for (let round = 0; round < 3; round++) {
      const owner = run(program, [lock, log, '1', 'hang']);
      await until('the lock to be held', () => owner.lines.includes('held'));
      const takers = Array.from({ length: 6 }, () => run(program, [lock, log, '2']));
      await until('all to wait', () => takers.every(({ lines }) => lines.includes('waiting')));
      killed.add(owner.child.pid ?? 0);
      owner.child.kill('SIGKILL');
      const ends = await Promise.all(takers.map(({ done }) => done));
      expect(ends.map(({ code }) => code)).toEqual(takers.map(() => 0));
    }
    expect(expectExclusive(await readFile(log, 'utf8'), killed)).toBe(3 * (1 + 6 * 2));
  }, 60_000);

  it('excludes tasks of one process from each other too', async () => {
    const lock = join(dir, 'tasks.lock');
    let inside = 0;
    let most = 0;
    const task = () =>
      withLock(
        lock,
        async () => {
          most = Math.max(most, ++inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside--;
        },
        { waitMs: 20_000 },
      );
    await Promise.all(Array.from({ length: 8 }, task));
    expect(most).toBe(1);
  });

  it('frees itself when the work throws', async () => {
    const lock = join(dir, 'throws.lock');
    const boom = withLock(lock, () => Promise.reject(new Error('boom')), { waitMs: 0 });
    await expect(boom).rejects.toThrow('boom');
    expect(await withLock(lock, async () => 'in', { waitMs: 0 })).toBe('in');
  });

  it('names the owner when it gives up, and tells once that it waits', async () => {
    const lock = join(dir, 'held.lock');
    const release = await acquireLock(lock, { waitMs: 0 });
    const told: number[] = [];
    const late = acquireLock(lock, { waitMs: 120, onWait: ({ pid }) => told.push(pid) });
    await expect(late).rejects.toThrow(LockTimeoutError);
    await expect(acquireLock(lock, { waitMs: 0 })).rejects.toThrow(`ps -fp ${process.pid}`);
    expect(told).toEqual([process.pid]);
    await release();
  });

  it('does not honour an owner whose pid was reused, and keeps honouring an old lock whose owner lives', async () => {
    const self = await ownIdentity();
    const reused = join(dir, 'reused.lock');
    await mkdir(reused);
    await writeFile(join(reused, '0000000007'), JSON.stringify({ pid: self.pid, startTime: `${self.startTime}9` }));
    await withLock(reused, async () => undefined, { waitMs: 0 });
    const old = join(dir, 'old.lock');
    await mkdir(old);
    await writeFile(join(old, '0000000007'), JSON.stringify(self));
    await expect(acquireLock(old, { waitMs: 50 })).rejects.toThrow(LockTimeoutError);
  });

  it('survives a torn claim and does not grow without end', async () => {
    const lock = join(dir, 'torn.lock');
    await mkdir(lock);
    await appendFile(join(lock, '0000000001'), '{"pid":');
    for (let i = 0; i < 60; i++) await withLock(lock, async () => undefined, { waitMs: 0 });
    expect((await readdir(lock)).length).toBeLessThan(30);
  });
});
