/** A run does not begin while a command works on the project without one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closedLockDir } from '../../../src/config/paths.js';
import { acquireLock } from '../../../src/process/lock.js';
import { whenNoCommandWorks } from '../../../src/worker/preflight.js';

it('C2: the first activity of a run waits until a rollback without a run has ended', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-closed-'));
  try {
    const happened: string[] = [];
    const release = await acquireLock(closedLockDir(root, 'shop'), { waitMs: 0 });
    const opened = whenNoCommandWorks(root, 'shop').then(() => happened.push('the run begins'));
    await new Promise((resolve) => setImmediate(resolve));
    happened.push('the rollback ends');
    await release();
    await opened;
    expect(happened).toEqual(['the rollback ends', 'the run begins']);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
