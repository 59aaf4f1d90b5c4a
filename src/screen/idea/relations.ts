/** Where an idea stands among others, in the words of every view. Pure. */
import { groupProgress, hasLanded } from '../../model/counts.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { someOf } from '../text/text.js';

/** `catalog, 3 of 4 landed`, over all levels of the group; empty without one. */
export function partOfText({ ideas }: RunModel, { parent }: IdeaModel): string {
  if (parent === undefined || !ideas.has(parent)) return '';
  const { done, total } = groupProgress(ideas, parent);
  return `${parent}, ${done} of ${total} landed`;
}

/** `list-001 ✓, catalog`; empty where it depends on nothing. */
export const afterText = ({ ideas }: RunModel, { dependsOn }: IdeaModel, most = 10): string =>
  someOf(
    most,
    dependsOn.map((id) => `${id}${ideas.has(id) && hasLanded(ideas, id) ? ' ✓' : ''}`),
  );
