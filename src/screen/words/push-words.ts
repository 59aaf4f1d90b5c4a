/** Words of a push of the target and of a pull request, the same in logs and on the screen. The caller cleans them. Pure. */
import type { StampedEvent } from '../../protocol/events.js';
import { many } from '../text/numbers.js';

type Push = Extract<StampedEvent, { kind: 'push' }>;
type Review = Extract<StampedEvent, { kind: 'review' }>;

/** What happened, of which ideas, and the rest. */
export function pushWords({ state, to, why, again, commits = 0, ideas }: Push): [string, string, string] {
  if (state === 'held') return [`not pushed: ${why ?? ''}`, '', ''];
  const on = again ? `, ${again.join(', ')} landed again on top of what others pushed there` : '';
  return [
    commits > 0 ? `pushed ${many(commits, 'commit')} to ${to}` : `${to} has all landed work`,
    ideas.length > 0 ? ` (${ideas.join(', ')})` : '',
    `${on}${why ? `: ${why}` : ''}`,
  ];
}

/** The idea is the subject. */
export function reviewText({
  state,
  number,
  url,
  by,
  below,
  why,
}: Pick<Review, 'state' | 'number' | 'url' | 'by' | 'below' | 'why'>): string {
  switch (state) {
    case 'open':
      return `is in review: ${url}${below ? `, on top of pull request ${below.number} (${below.idea})` : ''}${why ? `; ${why}` : ''}`;
    case 'checks':
      return `has red checks on pull request ${number}: ${why ?? ''}; its agent gets it back`;
    case 'comments':
      return `has comments on pull request ${number} by ${why ?? 'somebody'}; its agent gets it back`;
    case 'apart':
      return `conflicts with the base of pull request ${number}; it lands again on top of it`;
    case 'astray':
      return `pull request ${number} is over without landing it: ${why ?? ''}; it lands again`;
    case 'merged':
    case 'closed':
      return `pull request ${number} was ${state}${by ? ` by ${by}` : ''}${why ? `: ${why}` : ''}`;
  }
}
