import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { RunOptions } from '../../../src/process/run.js';
import { killByToken } from '../../../src/process/tokens.js';

/** A folder that goes away with the test. */
export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'ralph-process-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };

/** A project name nobody else uses, whose processes are gone when the test is. */
export function testToken(): string {
  const project = `test-${randomUUID()}`;
  onTestFinished(async () => {
    await killByToken(project, 0);
  });
  return `${project}/run/idea/1/${randomUUID()}`;
}

export async function options(argv: readonly string[], more: Partial<RunOptions> = {}): Promise<RunOptions> {
  const dir = await tempDir();
  return {
    argv,
    cwd: dir,
    places: [more.cwd ?? dir],
    env: ENV,
    outputFile: join(dir, 'output.log'),
    timeoutMs: 30_000,
    token: testToken(),
    ...more,
  };
}

export const sh = (script: string, more: Partial<RunOptions> = {}): Promise<RunOptions> =>
  options(['/bin/sh', '-c', script], more);
export const node = (script: string, more: Partial<RunOptions> = {}): Promise<RunOptions> =>
  options([process.execPath, '-e', script], more);

/** Waits until `check` gives something. */
export async function until<T>(check: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 15_000;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error('waited 15 s in vain');
    await sleep(15);
  }
}
