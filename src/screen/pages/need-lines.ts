/** Words for requests to a person. */
import { withoutSignal } from '../../decide/text.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { listsOf, type Need } from '../lists.js';
import { dim, type Line, line } from '../text/line.js';
import { many } from '../text/numbers.js';
import { clean, paragraphs } from '../text/text.js';
import { SIGNALS } from '../text/theme.js';
import { fixSentence } from '../words/gone-words.js';

/** The facts that a person needs to decide: the question, the reason, or the progress so far. */
export function needText({ idea, shown, text }: Need): string {
  if (!idea) return clean(text ?? '');
  if (shown === 'asks' || shown === 'approve') return clean(idea.question ?? idea.reason ?? '').trim();
  if (shown === 'timed out') return timedOut(idea) || clean(idea.reason ?? '');
  return clean(offText(idea) ?? idea.reason ?? '');
}

/** As `status` tells it, with the command that runs it again. */
const offText = ({ off }: IdeaModel): string | undefined => off && `${off.text}. ${fixSentence(off)}`;

/** In words there is no key of its own: `a` approves. */
export const decision = ({ id, status }: IdeaModel): string =>
  status === 'needs-human' ? ` a land it as it is   : answer ${clean(id)} "…" to change it` : ' a approve';

/** Takes the place of an empty list of requests. */
export function nobody(model: RunModel): string {
  if (model.reading) return ' reading …';
  const { resting } = listsOf(model);
  return resting.length === 0
    ? ' nobody is waited for'
    : ' no question; a paused or held idea goes on when you resume it';
}

const TAG = /<(?:ralph|chorus|promise)\b[^>]*>\s*(COMPLETE|BLOCKED|NEEDS_HUMAN|PROGRESS)\b/g;
const KINDS = { COMPLETE: 'complete', BLOCKED: 'blocked', NEEDS_HUMAN: 'needs-human', PROGRESS: 'progress' } as const;

/** Words with signals as people read them, `? NEEDS_HUMAN: …`. Works on each line of a stream alone. */
export const withSignals = (words: string): string =>
  words
    .replace(TAG, (_, word: keyof typeof KINDS) => `${SIGNALS[KINDS[word]].sign} ${word}`)
    .replace(/<\/(?:ralph|chorus|promise)>/g, '');

/** Words of an agent for a page: without its signal, and without the markup of one that is no valid signal. */
export const wordsAlone = (words: string): string =>
  withSignals(withoutSignal(words))
    .replace(/<\/?(?:ralph|chorus|promise)(?:\s+nonce\b[^>]*)?>/g, '')
    .trim();

/** The last line of the error that ended its last iteration; empty where the reason already has it. */
export function lastError({ iterations, reason = '' }: IdeaModel): string {
  const last = iterations.at(-1);
  if (last?.outcome !== 'failed' && last?.outcome !== 'timeout') return '';
  const row = paragraphs(last.message ?? '').findLast((one) => one.trim() !== '');
  return row === undefined || clean(reason).includes(row.trim()) ? '' : `last error: ${row.trim()}`;
}

/**
 * The part of a long text that fits. The last line says how many lines are hidden. `most`: the last first line.
 * `keys`: PgDn and PgUp scroll it; otherwise `whole` names the place that has all of it.
 */
export function windowed(
  all: readonly Line[],
  height: number,
  from: number,
  { keys, whole }: { keys: boolean; whole: string },
): { lines: Line[]; most: number } {
  const room = Math.max(1, height);
  if (all.length <= room) return { lines: [...all], most: 0 };
  const shown = Math.max(1, room - 1);
  const most = all.length - shown;
  const first = keys ? Math.max(0, Math.min(from, most)) : 0;
  const rest = most - first;
  const above = first > 0 ? `${many(first, 'line')} above, PgUp` : '';
  const below = rest > 0 ? `${many(rest, 'more line')}${keys ? ', PgDn' : `: ${whole}`}` : '';
  const mark = [below, above].filter((one) => one !== '').join(' · ');
  return { lines: [...all.slice(first, first + shown), line(dim(` … ${mark}`))].slice(0, room), most };
}

/** The first lines of a text; a cut text ends with the number of hidden lines and the command that prints it whole. */
export const firstLines = (rows: readonly string[], height: number, id: string): string[] =>
  rows.length <= height
    ? [...rows]
    : [...rows.slice(0, height - 1), `… ${rows.length - height + 1} more lines: ralphctl why ${id}`];

/** `3 of 3 iterations, 60 %, gate red: npm test` */
function timedOut(idea: IdeaModel): string {
  const last = idea.iterations.at(-1);
  const most = idea.max ?? last?.max;
  if (!last || most === undefined || last.number < most) return '';
  const parts = [`${last.number} of ${most} iterations`];
  if (idea.percent !== undefined) parts.push(`${idea.percent} %`);
  if (idea.gate && !idea.gate.pass) parts.push(`gate red: ${clean(idea.gate.command ?? '')}`);
  return parts.join(', ');
}

/** The whole text of a request. */
export const questionOf = (need: Need): string =>
  need.idea && (need.shown === 'asks' || need.shown === 'approve')
    ? (need.idea.question ?? need.idea.reason ?? '')
    : [
        need.shown === 'timed out' || need.idea?.off ? needText(need) : (need.idea?.reason ?? need.text ?? ''),
        need.idea && !need.idea.off ? lastError(need.idea) : '',
      ]
        .filter((one) => one !== '')
        .join('\n');
