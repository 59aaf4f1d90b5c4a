/**
 * The exit code of a run that is over.
 * Invariant: 0 only when everything landed, is still on the target and needs no push; every way to leave a run asks here.
 */
import type { RunModel } from '../../model/model.js';
import type { RunSummary } from '../../protocol/run.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { EXIT, type ExitCode } from '../../protocol/user-error.js';
import { readSummary } from '../../run-files/summary.js';
import type { Context } from '../context.js';
import { goneAtEnd } from '../report/gone-at-end.js';

type Ended = Pick<RunSummary, 'notLanded'> & { status: Pick<RunSummary['status'], 'delivery'> };

/** `gone`: landed work that has left the target, as sentences. */
export const exitOfSummary = ({ notLanded, status }: Ended, gone: readonly string[]): ExitCode =>
  notLanded.length + gone.length === 0 && status.delivery === undefined ? EXIT.ok : EXIT.notLanded;

/** Of the run that the screen showed. One that goes on ends nothing: 0. */
export async function exitOfRun(context: Context, model: RunModel): Promise<ExitCode> {
  if (model.endedAt === undefined) return EXIT.ok;
  const { project, runId } = model;
  const ref: RunRef = { project, runId };
  const summary = await readSummary(context.root, ref, () => {});
  if (!summary) return exitOfModel(model);
  return exitOfSummary(summary, await goneAtEnd(context, project, runId, summary).catch(() => []));
}

/** A terminated run leaves no summary. */
const exitOfModel = ({ state, ideas }: RunModel): ExitCode =>
  state === 'completed' && [...ideas.values()].every(({ group, status }) => group || status === 'landed')
    ? EXIT.ok
    : EXIT.notLanded;
