/** Selects the idea of a page. Invariant: pure. */
import type { IdeaModel } from '../../model/model.js';
import type { View } from '../view.js';

/** The idea of the page. An idea that landed in an earlier run appears in its state at the end of that run. */
export function pageIdea({ model, ui, details }: Pick<View, 'model' | 'ui' | 'details'>): IdeaModel | undefined {
  const idea = ui.idea === undefined ? undefined : model.ideas.get(ui.idea);
  const before = details.idea?.id === ui.idea ? details.idea?.before : undefined;
  if (!idea?.landedBefore || idea.status !== 'landed' || !before) return idea;
  const { title, text, parent, group, children, dependsOn, tags } = idea;
  return {
    ...before.idea,
    ...{ title, group, children, dependsOn, tags, landedBefore: true },
    ...(text === undefined ? {} : { text }),
    ...(parent === undefined ? {} : { parent }),
  };
}
