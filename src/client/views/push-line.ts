/** The lines about a push of the target and about pull requests. Pure. */
import type pc from 'picocolors';
import type { StampedEvent } from '../../protocol/events.js';
import { pushWords, reviewText } from '../../screen/run/push-words.js';
import { clean } from './live-lines.js';

/** The reason may name several commands. */
const LONGEST = 700;

type Paint = ReturnType<typeof pc.createColors>;

export function pushLine(event: Extract<StampedEvent, { kind: 'push' }>, paint: Paint): string {
  const [what, of, rest] = pushWords(event).map((part) => clean(part, LONGEST));
  const sign = event.state === 'held' ? paint.yellow('!') : paint.green('⇡');
  return `${sign} ${what}${of ? paint.dim(of) : ''}${rest}`;
}

export function reviewLine(event: Extract<StampedEvent, { kind: 'review' }>, paint: Paint): string {
  return `${paint.blue('⇡')} ${event.idea} ${clean(reviewText(event), LONGEST)}`;
}
