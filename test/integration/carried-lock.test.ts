/** What people say about ideas for later runs is written under the lock of the project only. Features: C2, C5. */
import { once } from 'node:events';
import { afterEach, expect, inject, it } from 'vitest';
import { findProjectId } from '../../src/client/context.js';
import { closedLockDir } from '../../src/config/paths.js';
import { acquireLock } from '../../src/process/lock.js';
import { abandonedIdeas } from '../../src/run-files/carried.js';
import { Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('C2 C5: abandon and --forget wait for another command on the project, also beside an open run', async () => {
  held = await Held.open(inject('stateRoot'), [{ id: 'a-1', steps: [{ signal: 'COMPLETE' }] }]);
  const { box, stateRoot } = held;
  const project = await findProjectId({ root: stateRoot, cacheRoot: '', env: {}, cwd: box.repo, json: true });
  await held.start();
  await held.began('a-1');

  const waits = async (...args: string[]): Promise<() => Promise<number | null>> => {
    const child = box.spawn(...args);
    const over = once(child, 'exit');
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(`${args[0]} to wait`, async () => said.includes('waiting for another command on this project'));
    return async () => (await over)[0] as number | null;
  };
  const release = await acquireLock(closedLockDir(stateRoot, project), { waitMs: 0 });
  const forgotten = await waits('hint', 'a-1', '--forget');
  const dropped = await waits('edit', 'a-1', '--forget');
  const abandoned = await waits('abandon', 'a-1');
  await release();
  // Nothing was noted that could be forgotten.
  expect([await forgotten(), await dropped(), await abandoned()]).toEqual([7, 7, 0]);
  expect([...(await abandonedIdeas(stateRoot, project)).keys()]).toEqual(['a-1']);
  await held.finish();
}, 240_000);
