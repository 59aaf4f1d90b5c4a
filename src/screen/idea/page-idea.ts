/** Selects the idea of a page. Invariant: pure. */
import type { IdeaModel } from '../../model/model.js';
import type { View } from '../view.js';
import { toldOf } from './told.js';

/** An earlier run has the work of the idea, and this run none: it landed before, and is there or was taken off since. */
export const isOfEarlierRun = ({ landedBefore, status, off, iterations }: IdeaModel): boolean =>
  status === 'landed' ? landedBefore : off !== undefined && iterations.length === 0;

/**
 * The idea of the page. An idea that landed in an earlier run appears in its state at the end of that run; one that was
 * taken off since stands as it does now, with the work of that run.
 */
export function pageIdea({ model, ui, details }: Pick<View, 'model' | 'ui' | 'details'>): IdeaModel | undefined {
  const idea = ui.idea === undefined ? undefined : model.ideas.get(ui.idea);
  const before = idea && toldOf({ details, ui }, idea)?.before;
  if (!before || !isOfEarlierRun(idea)) return idea;
  return idea.status === 'landed' ? asItLanded(idea, before.idea) : withWork(idea, before.idea);
}

function asItLanded(
  { title, text, success, parent, group, children, dependsOn, tags }: IdeaModel,
  then: IdeaModel,
): IdeaModel {
  return {
    ...then,
    ...{ title, group, children, dependsOn, tags, landedBefore: true },
    ...(text === undefined ? {} : { text }),
    ...(success === undefined ? {} : { success }),
    ...(parent === undefined ? {} : { parent }),
  };
}

function withWork(idea: IdeaModel, then: IdeaModel): IdeaModel {
  const { iterations, moments, said, spent, base, startedAt, gate, mergedGate, landedAs } = then;
  return {
    ...idea,
    ...{ iterations, spent },
    ...{ moments: [...moments, ...idea.moments], said: [...said, ...idea.said] },
    ...(base === undefined ? {} : { base }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(gate ? { gate } : {}),
    ...(mergedGate ? { mergedGate } : {}),
    ...(landedAs ? { landedAs } : {}),
  };
}
