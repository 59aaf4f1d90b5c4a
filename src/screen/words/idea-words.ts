/** A change of an idea's state in words. Invariant: foreign text passes through the cleaner. Pure. */
import type { IdeaModel, Iteration } from '../../model/model.js';
import type { StampedEvent } from '../../protocol/events.js';
import { staysLanded, type TakenOff, takenOffIn } from '../../protocol/taken-off.js';
import { dim, line } from '../text/line.js';
import type { EventWords, Writing } from './event-words.js';

/** Indents a text below a line, after its time. */
export const UNDER = ' '.repeat(11);

export function ideaWords(event: Extract<StampedEvent, { kind: 'idea' }>, as: Writing): EventWords {
  const { clean } = as;
  const reason = event.reason ? `: ${clean(event.reason)}` : '';
  const one = { loud: true } as const;
  const more = (text: string): Pick<EventWords, 'more'> => ({ more: line(text) });
  switch (event.status) {
    case 'running':
      // Before the work is settled for the gate, or with the begin of the gate.
      if (event.gating)
        return { sign: '▹', colour: 'blue', words: line('its agent has ended; its slot is free'), quiet: true };
      return {
        ...{ ...one, sign: '▸', colour: 'blue', words: line(clean(event.title)) },
        more: event.agentName ? line(dim(` ${clean(event.agentName)}`)) : [],
      };
    case 'landed': {
      if (staysLanded(event)) return { ...one, sign: '✓', colour: 'green', words: line(`stays landed${reason}`) };
      const words = line(`landed${event.commit ? ` ${clean(event.commit).slice(0, 8)}` : ''}`);
      return { ...one, sign: '✓', colour: 'green', words, ...more(reason) };
    }
    case 'needs-human':
      return {
        ...{ ...one, sign: '?', colour: 'cyan' },
        words: line(`${event.approval ? 'wants approval' : 'asks'}${as.question(event)}`),
        ...more(
          `\n${UNDER}${event.approval ? `approve with: ralphctl approve ${event.idea}` : `answer with: ralphctl answer ${event.idea} "…"`}`,
        ),
      };
    case 'blocked':
      return { ...one, sign: '⊗', colour: 'yellow', words: line(`blocked${reason}`) };
    case 'timeout':
      return {
        ...one,
        sign: '◔',
        colour: 'yellow',
        words: line(`timed out${reason}`),
        ...more('; its worktree is kept'),
      };
    case 'failed':
      return {
        ...{ ...one, sign: '✗', colour: 'red' },
        words: line(`failed${reason}`),
        ...(event.unworked ? {} : more('; its worktree is kept')),
      };
    case 'paused':
      return {
        ...{ sign: '◫', colour: 'gray' },
        words: line(event.approval ? 'waits for approval' : `paused${event.waits ? reason : ''}`),
      };
    case 'skipped':
      return { ...one, sign: '⊘', colour: 'gray', words: line(`skipped${reason}`) };
    case 'abandoned':
      return { ...one, sign: '⊘', colour: 'gray', words: line(`given up${reason}`) };
    case 'pending': {
      const off = takenOffIn(clean(event.reason ?? ''));
      if (off) return { sign: '◦', words: line(takenOff(off)) };
      if (!event.held && as.stops?.(event)) {
        // Some reasons begin with the word.
        const word = event.reason?.startsWith('stopped') ? clean(event.reason) : `stopped${reason}`;
        return { sign: '◫', colour: 'yellow', words: line(word) };
      }
      return {
        sign: '◦',
        words: line(`${event.held ? 'held' : as.begun?.(event) === false ? 'to do' : 'to do again'}${reason}`),
      };
    }
    case 'wants-slot':
      return { sign: '◷', colour: 'yellow', words: line(`waits for a slot${reason}`), quiet: true };
    case 'landing':
      // One of each landing would be too much; a wait for another idea can last as long as its agent works.
      if (event.waits) return { sign: '▵', colour: 'blue', words: line(`in the landing queue${reason}`) };
      return { sign: '▵', colour: 'blue', words: line('in the landing queue'), quiet: true };
  }
}

const takenOff = ({ target, commit }: TakenOff): string => `taken off ${target} by ${commit}; later runs leave it out`;

const REST_ASKED = { pause: 'pauses after this step', stop: 'stops after this step' } as const;

/** What a person asked for, while the running step goes on; undefined: nothing. */
export const restText = ({ status, restAsked }: Pick<IdeaModel, 'status' | 'restAsked'>): string | undefined =>
  status === 'running' && restAsked ? REST_ASKED[restAsked] : undefined;

/**
 * `iteration 2`, `agent run 3, iteration 2`. Every view lists agent runs by the number that `--iteration` takes; an
 * uncharged one repeats the number of its iteration.
 */
export const runName = ({ serial, number }: Pick<Iteration, 'serial' | 'number'>): string =>
  serial === number ? `iteration ${number}` : `agent run ${serial}, iteration ${number}`;
