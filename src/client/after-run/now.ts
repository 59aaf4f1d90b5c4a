/**
 * The last run of a project as its ideas stand now, while no run is open: the record, what people said since, and the
 * target.
 * Invariant: reads only, and fails no command: without an answer of git, the record counts.
 */
import { type AfterRun, stateAfterRun } from '../../decide/idea/after-run.js';
import { standsAs } from '../../decide/idea/on-target.js';
import { endedAs } from '../../model/at-end.js';
import type { Gone, IdeaModel } from '../../model/model.js';
import type { Idea } from '../../protocol/idea.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { readSummary } from '../../run-files/summary.js';
import { afterRunOf } from '../../screen/idea/possible.js';
import { takeNow } from '../model/take-target.js';
import type { RunPlan } from '../plan/run-plan.js';
import { type TargetNow, targetNow } from '../report/gone.js';
import type { Recorded } from '../views/recorded.js';

/** Brings the model of the run up to date. */
export async function asOfNow(root: string, { model, run }: Recorded): Promise<TargetNow> {
  const { project, runId } = model;
  endedAs(model, await readSummary(root, { project, runId }, () => {}).catch(() => undefined));
  return (await takeNow(root, model, run.file)).now;
}

export interface Standing {
  state: AfterRun;
  status: IdeaStatus;
  /** Its commit, where it has landed. */
  commit?: string;
  gone?: Gone;
}

/** Of an idea of the run, after `asOfNow`. */
export function standingOf(idea: IdeaModel): Standing {
  const { off, recorded } = idea;
  const state = afterRunOf(idea);
  const commit = recorded?.commit ?? idea.commit ?? off?.landed;
  return {
    ...{ state, status: statusOf(state, idea) },
    ...(commit ? { commit } : {}),
    ...(off ? { gone: off } : {}),
  };
}

function statusOf(state: AfterRun, { status, off, forNext }: IdeaModel): IdeaStatus {
  if (state === 'abandoned' || state === 'skipped') return state;
  return off && (off.stays || forNext?.leftOut) ? 'skipped' : status;
}

/** Of an idea that only the backlog has. */
export async function standingInPlan(
  plan: RunPlan,
  idea: Idea,
  said: { givenUp: boolean; leftOut: boolean },
): Promise<Standing> {
  const place = { ...plan, repo: plan.project.repository.root };
  const now = await targetNow(place, new Map(), { whole: true, others: [idea.id] });
  const gone = now.gone.get(idea.id);
  const record: IdeaStatus = idea.done ? 'landed' : 'pending';
  const commit = now.landed?.get(idea.id);
  const stands = standsAs(
    { status: record, worked: false, again: false },
    { landed: commit !== undefined, gone: gone !== undefined },
  );
  const off = stands === 'off';
  const status = stands === 'landed' ? 'landed' : off ? 'pending' : record;
  const state = stateAfterRun({ status, group: idea.blue, off, ...said });
  return {
    state,
    status: state === 'abandoned' || state === 'skipped' ? state : status,
    ...(commit ? { commit } : {}),
    ...(off && gone ? { gone } : {}),
  };
}
