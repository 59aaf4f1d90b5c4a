/**
 * A run begins only when no command works on the project without a run (`client/after-run`): both would work on the same
 * worktrees and the same target.
 */
import { closedLockDir } from '../config/paths.js';
import { withLock } from '../server/lock.js';

/** Below the time that the server gives the first activity of a run. */
const MOST_WAIT_MS = 90_000;

/** @throws LockTimeoutError while a command is at work; the server then tries the activity again */
export const whenNoCommandWorks = (root: string, project: string): Promise<void> =>
  withLock(closedLockDir(root, project), () => Promise.resolve(), { waitMs: MOST_WAIT_MS });
