/** Loads a run's pinned files. A missing file is a failure that no retry fixes. */
import { StoredFileError } from '../config/stored-error.js';
import type { IdeaLimits } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { readEdit } from '../run-files/edits.js';
import { type LoadedRun, loadIdea, loadRun, reloadRun } from '../run-files/run.js';
import { wallOf } from './confine/walls.js';
import { type WorkDeps, WorkError } from './job.js';
import { assertRepository, repositoryIsGone } from './repository-gone.js';

const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const isRunName = ({ project, runId }: RunRef): boolean => SAFE_NAME.test(project) && SAFE_NAME.test(runId);

/** For a person whose worker lacks files of the run. */
export const elsewhere = ({ root }: Pick<WorkDeps, 'root'>): string =>
  `Run the worker on the host that started the run, or restore the state folder ${root}`;

export async function load(deps: WorkDeps, ref: RunRef): Promise<LoadedRun> {
  // Workflow input is untrusted: any client that reaches the port can start a workflow, so names must not leave the
  // root.
  if (!isRunName(ref)) {
    throw new WorkError(`not a run: ${ref.project}/${ref.runId}`, FAILURE.badInput);
  }
  let run: LoadedRun;
  try {
    run = await loadRun(deps.root, ref);
    if (await repositoryIsGone(run)) run = await reloadRun(deps.root, ref);
  } catch (error) {
    if (error instanceof StoredFileError) return asMissing(error);
    throw new WorkError(
      `the files of run ${ref.runId} are not on this host (${deps.host}): ${(error as Error).message}. ${elsewhere(deps)}`,
      FAILURE.runFilesMissing,
    );
  }
  // Runs before the first git command. That command reports an unreadable repository.
  await wallOf(deps, run).catch(() => undefined);
  return run;
}

/** `revision`: load with the texts of that edit. */
export async function loadOne(
  deps: WorkDeps,
  ref: RunRef & { idea: string; revision?: number },
): Promise<[LoadedRun, Idea]> {
  const run = await load(deps, ref);
  await assertRepository(run);
  const idea = SAFE_NAME.test(ref.idea) ? await loadIdea(deps.root, ref, ref.idea).catch(asMissing) : undefined;
  if (!idea) throw new WorkError(`run ${ref.runId} has no idea ${ref.idea}`, FAILURE.badInput);
  if (ref.revision === undefined) return [run, idea];
  const edit = await readEdit(deps.root, ref, ref.idea, ref.revision).catch(asMissing);
  if (edit) return [run, { ...idea, ...edit }];
  throw new WorkError(
    `edit ${ref.revision} of ${ref.idea} is not on this host (${deps.host}). ${elsewhere(deps)}`,
    FAILURE.runFilesMissing,
  );
}

/** No retry fixes a damaged file or one of a newer version. */
export function asMissing(error: unknown): never {
  if (error instanceof StoredFileError) throw new WorkError(error.message, FAILURE.runFilesMissing);
  throw error;
}

/* The limits of an idea: its own, else the ones in the run's configuration. */

export function limitsOf(idea: Idea, run: LoadedRun): IdeaLimits {
  const { config } = run.file;
  return {
    maxIterations: idea.maxIterations ?? config.maxIterations,
    timeoutMs: (idea.timeoutMinutes ?? config.timeoutMinutes) * 60_000,
    iterationTimeoutMs: (idea.iterationTimeoutMinutes ?? config.iterationTimeoutMinutes) * 60_000,
    loop: idea.ralph,
    allowEmpty: idea.allowEmpty,
    ...(idea.plan ? { attempts: idea.plan.reduce((sum, phase) => sum + phase.steps.length, 0) } : {}),
  };
}
