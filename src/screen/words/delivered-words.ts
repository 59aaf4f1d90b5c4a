/** Words of what was told outside: alerts, and the tracker. Pure. */
import { line } from '../text/line.js';
import type { EventWords, Of, Writing } from './event-words.js';

const ALERTS: Readonly<Record<Of<'alert'>['state'], string>> = {
  delivered: 'was delivered',
  failed: 'could not be delivered',
  bell: 'rang in the attached terminals',
};

export function alertWords({ row, state, why }: Of<'alert'>, { clean }: Pick<Writing, 'clean'>): EventWords {
  const words = line(`the alert to ${clean(row)} ${ALERTS[state]}${why ? `: ${clean(why)}` : ''}`);
  return state === 'failed'
    ? { sign: '!', colour: 'yellow', words, alone: words }
    : { sign: '·', colour: 'gray', words, alone: words, quiet: true };
}

const TOLD: Readonly<Record<Of<'tracker'>['state'], string>> = {
  claimed: 'is claimed in the tracker',
  taken: 'is taken by somebody else in the tracker',
  told: 'is up to date in the tracker',
  done: 'is done in the tracker',
  released: 'is released in the tracker',
  waits: 'is not told to the tracker yet',
  failed: 'could not be told to the tracker',
};

/** Only problems stand in the logs. */
export function trackerWords({ state, why }: Of<'tracker'>, { clean }: Pick<Writing, 'clean'>): EventWords {
  const words = line(`${TOLD[state]}${why ? `: ${clean(why)}` : ''}`);
  return state === 'waits' || state === 'failed'
    ? { sign: '!', colour: 'yellow', words }
    : { sign: '·', colour: 'gray', words, quiet: true };
}
