/** Words for commands that a person gave an idea after the run; the next start applies them. */
import type { IdeaModel } from '../model/model.js';
import { clean } from './text/text.js';
import { lineGoneText, lineWait } from './words/gone-words.js';

type About = Pick<IdeaModel, 'forNext' | 'lineGone' | 'status'>;

/** In a few cells. */
export function forNextShort({ forNext, lineGone, status }: About): string | undefined {
  if (status === 'landed') return undefined;
  if (lineGone) return lineGone.ticked ? 'ticked' : 'line is gone';
  if (!forNext) return undefined;
  return forNext.leftOut
    ? 'next: left out'
    : `next: ${forNext.queued ? 'queued' : forNext.words.map(clean).join(', ')}`;
}

export function forNextText({ forNext, lineGone, status }: About): string | undefined {
  // What somebody brought back needs no more work.
  if (status === 'landed') return undefined;
  if (lineGone) return `${lineGoneText(lineGone)}${forNext?.queued ? `; ${lineWait(lineGone)}` : ''}`;
  // Its reason says so.
  if (!forNext || forNext.turnedDown) return undefined;
  if (forNext.leftOut) return 'the next run leaves it out';
  if (forNext.queued) return 'queued for the next start';
  return `kept for the next start: ${forNext.words.map(clean).join(', ')}`;
}
