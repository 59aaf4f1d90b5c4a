/** Changes outside the worktree of an idea, by somebody unknown, while its agent ran. Pure; imports types only. */
import type { IdeaModel } from './model.js';

/** One sentence each, oldest first, also after the warning is over. */
export const changedOutside = ({ moments }: Pick<IdeaModel, 'moments'>): string[] => [
  ...new Set(moments.flatMap(({ warning, text }) => (warning === 'outside' ? [text] : []))),
];
