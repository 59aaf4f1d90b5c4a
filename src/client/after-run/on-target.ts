/**
 * What the target of a project has of its ideas now, while no run is open. The record of a run is older than what people
 * did to the branch since.
 * Invariant: reads only, and fails no command: without an answer of git, the record counts.
 */
import { landedCommits } from '../../git/landing/landed.js';
import { goneOf, type TakenBack } from '../../git/landing/taken-back.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { RunPlan } from '../plan/run-plan.js';
import type { Recorded } from '../views/recorded.js';

export interface OnTarget {
  target: string;
  /** Landed ideas with the newest commit of each; undefined: unknown. */
  landed: ReadonlyMap<string, string> | undefined;
  /** How the work of a landed idea left the target as a whole; undefined: it is there. */
  gone(idea: string): Promise<TakenBack | undefined>;
}

export async function onTarget(recorded: Recorded | undefined, plan?: RunPlan): Promise<OnTarget> {
  const file = recorded?.run.file;
  const repo = file?.repo ?? plan?.project.repository.root;
  const target = file?.target ?? plan?.target ?? '';
  const backlog = file?.backlog.file ?? plan?.backlog.file;
  if (repo === undefined || backlog === undefined)
    return { target, landed: undefined, gone: () => Promise.resolve(undefined) };
  const look = { repo, target, backlogPath: repositoryPath(repo, backlog), whole: true };
  return {
    target,
    landed: await landedCommits(repo, target, look.backlogPath).catch(() => undefined),
    gone: async (idea) => (await goneOf(look, [idea]).catch(() => []))[0],
  };
}

export interface Standing {
  status: IdeaStatus;
  /** Its commit, where the target shows that it has landed. */
  commit?: string;
  /** How its landed work left the target. */
  gone?: TakenBack;
}

/**
 * What the record says, unless the target shows that the work of the idea is there, or is gone. `again`: the run worked
 * on it once more, so that an older landing of it on the target says nothing.
 */
export async function standingOf(
  now: OnTarget,
  idea: string,
  { status, again }: { status: IdeaStatus; again: boolean },
): Promise<Standing> {
  const commit = now.landed?.get(idea);
  if (status !== 'landed' && (commit === undefined || again)) return { status };
  const gone = await now.gone(idea);
  if (gone) return { status, ...(status === 'landed' ? { gone } : {}) };
  return { status: 'landed', ...(commit ? { commit } : {}) };
}

/** Whether the run worked on a landed idea once more. After a rollback, only the target tells. */
export const ranAgain = ({ run, model }: Recorded, idea: string, rolledBack: boolean): boolean =>
  run.file.again?.includes(idea) === true && !rolledBack && model.ideas.get(idea)?.told?.verb !== 'rollback';
