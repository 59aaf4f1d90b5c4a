/** Words for commands that a person gave an idea after the run; the next start applies them. */
import type { IdeaModel } from '../model/model.js';
import { clean } from './text/text.js';

export function forNextText({ forNext, status }: Pick<IdeaModel, 'forNext' | 'status'>): string | undefined {
  // What somebody brought back needs no more work.
  if (!forNext || status === 'landed') return undefined;
  if (forNext.leftOut) return 'the next run leaves it out';
  if (forNext.queued) return 'queued for the next start';
  return `kept for the next start: ${forNext.words.map(clean).join(', ')}`;
}
