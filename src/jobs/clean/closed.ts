/** Steps of a cleaning that need the project closed. */
import { closedLockDir } from '../../config/paths.js';
import { LockTimeoutError, withLock } from '../../process/lock.js';
import { runsOver } from '../../run-files/begun.js';
import type { Cleaning } from './clean.js';

/** Longer than any of our own holders of the lock needs that is not a command. */
const LOCK_MS = 2000;

export const mayBeOpen = async ({ root, project, open }: Cleaning): Promise<boolean> =>
  (await runsOver(root, project)).some(({ over }) => !over) || ((await open?.()) ?? false);

/** False: a run may be open by now, or a command works on the project. */
export async function whileClosed(cleaning: Cleaning, act: () => Promise<boolean>): Promise<boolean> {
  const { root, project } = cleaning;
  try {
    return await withLock(closedLockDir(root, project), async () => !(await mayBeOpen(cleaning)) && (await act()), {
      waitMs: LOCK_MS,
    });
  } catch (error) {
    if (error instanceof LockTimeoutError) return false;
    throw error;
  }
}
