/**
 * The state of a run that is closing. From then until its workflow has ended, such as while its last alerts go out, the
 * worker calls every end `completed`, also that of an abort.
 * Invariant: pure.
 */
import type { SummaryFile } from '../../model/facts.js';
import type { RunModel } from '../../model/model.js';
import type { RunStatus } from '../../protocol/views.js';

/** A person ended the run. */
const ENDED: ReadonlySet<string> = new Set<RunModel['state']>(['stopping', 'stopped', 'aborted']);

/** `summary`: of that run, once it is written. Before, its last event tells. */
export function stateAtClose(
  { state, runId }: Pick<RunStatus, 'state' | 'runId'>,
  model: Pick<RunModel, 'state'> | undefined,
  summary: Pick<SummaryFile, 'outcome' | 'status'> | undefined,
): RunStatus['state'] {
  if (state !== 'completed') return state;
  const outcome = summary?.status.runId === runId ? summary.outcome : model?.state;
  return outcome !== undefined && ENDED.has(outcome) ? 'stopping' : state;
}
