/**
 * Detects a repository that has moved, lost its `.git`, or has a broken HEAD. The idea is not at fault, so ralphctl
 * charges nothing. Work resumes when the repository is back, or when `ralphctl` runs in the new folder.
 */
import { brokenHead, commonDirAt } from '../git/worktrees/moved.js';
import { FAILURE } from '../protocol/failures.js';
import type { RunRef } from '../protocol/run-ref.js';
import { type LoadedRun, loadRun } from '../run-files/run.js';
import { WorkError } from './job.js';

export const repositoryIsGone = async ({ file }: LoadedRun): Promise<boolean> =>
  (await commonDirAt(file.repo)) === undefined;

/** @throws WorkError of type `machine`; a retry of it costs nothing */
export async function assertRepository(run: LoadedRun): Promise<void> {
  const broken = await brokenHead(run.file.repo, run.file.target);
  if (broken !== undefined) throw new WorkError(`${broken}; to end the run: ralphctl abort`, FAILURE.machine, true);
  if (!(await repositoryIsGone(run))) return;
  throw new WorkError(
    `the repository ${run.file.repo} is gone: it was moved, or its .git is missing. Put it back, or run "ralphctl start" in its new place; to end the run: ralphctl abort`,
    FAILURE.machine,
    true,
  );
}

/** The fault of a run's repository, which explains other failures; undefined while it is intact. */
export async function repositoryFault(root: string, ref: RunRef): Promise<unknown> {
  const run = await loadRun(root, ref).catch(() => undefined);
  return run && assertRepository(run).catch((gone: unknown) => gone);
}
