/** Checks that a worker can work. Each problem is one sentence with its fix. */
import { access, constants, mkdir } from 'node:fs/promises';
import { execa } from 'execa';
import { closedLockDir, projectDir } from '../config/paths.js';
import { withLock } from '../process/lock.js';

export async function workerProblems(root: string, project: string, bundle: string): Promise<string[]> {
  const problems: string[] = [];
  const dir = projectDir(root, project);
  try {
    await mkdir(dir, { recursive: true });
    await access(dir, constants.W_OK);
  } catch {
    problems.push(`the state folder ${dir} cannot be written; make it writable or set RALPHCTL_HOME to another folder`);
  }
  const git = await execa('git', ['--version'], { reject: false });
  if (git.failed) problems.push('git is not on PATH; install git 2.38 or newer');
  try {
    await access(bundle);
  } catch {
    problems.push(`the workflow bundle ${bundle} is missing; run: npm run build`);
  }
  return problems;
}

/*
 * A run waits while a command works on the project without a run (`client/after-run`), because both would use the same
 * worktrees and the same target.
 */

/** Shorter than the server's time limit for the first activity of a run. */
const MOST_WAIT_MS = 90_000;

/** @throws LockTimeoutError while such a command works; the server then retries the activity */
export const whenNoCommandWorks = (root: string, project: string): Promise<void> =>
  withLock(closedLockDir(root, project), () => Promise.resolve(), { waitMs: MOST_WAIT_MS });
