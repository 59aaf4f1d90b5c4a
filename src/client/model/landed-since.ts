/**
 * An idea of an older run than the newest, that has landed since: the run that landed it is one whose files cannot be
 * read, or a person landed it. The run by which `why` judges the idea tells.
 * Invariant: reads only. Without such a run the idea stands as recorded.
 */
import type { RunModel } from '../../model/model.js';
import { isOff } from '../../model/reverted.js';
import { takeVerdicts } from '../../model/stands.js';
import type { ShownRun } from '../../report/show.js';
import { asOfNow } from '../after-run/now.js';
import { newestRecorded } from '../views/recorded.js';
import { recordedWith } from './run-with.js';
import { takeOpen } from './take-open.js';

/** Undefined where the idea stands as recorded; otherwise where it landed. `all`: the runs whose events tell of the idea, newest first. */
export async function takeLandedSince(
  root: string,
  model: RunModel,
  id: string,
  all: readonly ShownRun[],
): Promise<string | undefined> {
  const idea = model.ideas.get(id);
  if (!idea || idea.group || idea.status === 'landed') return undefined;
  const { project, runId } = model;
  const judge = await recordedWith(root, project, id, await newestRecorded(root, project));
  if (!judge || judge.model.runId <= runId) return undefined;
  if (judge.over) await asOfNow(root, judge);
  else await takeOpen(judge.model, judge.run.file);
  const now = judge.model.ideas.get(id);
  if (now?.status !== 'landed' || isOff(now)) return undefined;
  const by = all.find((one) => one.runId > runId && (one.idea.atEnd ?? one.idea).status === 'landed');
  const commit = by?.idea.commit ?? now.commit ?? '';
  takeVerdicts(model, new Map([[id, { is: 'landed', commit }]]));
  const where = by ? `in run ${by.runId}, of which not all files can be read` : 'since then';
  return `${where}; its iterations and timeline here are of run ${runId}`;
}
