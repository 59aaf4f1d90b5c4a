/** Landed ideas whose work a person took off the target while the run was open. Pure; imports types only. */
import type { IdeaModel, RunModel } from './model.js';

export const isReverted = ({ status, reason, reverted }: IdeaModel): boolean =>
  status === 'landed' && reverted !== undefined && reason === reverted.text;

/** Nothing of it is on the target. */
export const isOff = (idea: IdeaModel): boolean => isReverted(idea) && idea.reverted?.part === undefined;

export interface RevertedIdea {
  idea: string;
  text: string;
}

/** Undefined: none. */
export function revertedIn({ order, ideas }: Pick<RunModel, 'order' | 'ideas'>, most = order.length) {
  const found = order.flatMap((id): RevertedIdea[] => {
    const idea = ideas.get(id);
    return idea?.reverted && isReverted(idea) ? [{ idea: id, text: idea.reverted.text }] : [];
  });
  return found.length > 0 ? found.slice(0, most) : undefined;
}
