/** A landing lane that is full holds new ideas back, and never those that empty it (A1, D1). */
import { describe, expect, it } from 'vitest';
import { Board } from '../../../../src/decide/run/board.js';
import { fillSlots } from '../../../../src/decide/run/waiting.js';
import { card, pilotOf, settings } from '../support.js';

const cards = Array.from({ length: 30 }, (_, n) => card(`i-${n}`));

function board(waiting: number, maxWaiting: number | undefined): Board {
  const all = settings({ slots: 3, ...(maxWaiting === undefined ? {} : { maxWaiting }) });
  const { state } = pilotOf(cards, all);
  const made = new Board(state, all);
  for (let n = 0; n < waiting; n++) {
    const entry = made.graph.entry(`i-${n}`);
    if (!entry) continue;
    made.set(entry, 'landing');
    state.lane.push(entry.card.id);
  }
  return made;
}
const started = (waiting: number, maxWaiting?: number): number => fillSlots(board(waiting, maxWaiting), 0).length;

describe('new ideas', () => {
  it.each<[number, number | undefined, number]>([
    [5, 0, 3],
    [6, 0, 0],
    [1, 2, 3],
    [2, 2, 0],
    [20, undefined, 3],
  ])('%i in the lane, at most %s: %i start', (waiting, most, starts) => expect(started(waiting, most)).toBe(starts));

  it('start a few at a time where that is asked for, until every slot is taken', () => {
    const wide = pilotOf(cards, { slots: 25 });
    const starts = (most: number): number =>
      wide.decide(false, 0, most).filter((command) => command.do === 'start').length;
    expect([starts(10), starts(0), starts(10), starts(10), starts(10)]).toEqual([10, 0, 10, 5, 0]);
  });

  it('wait while ideas that come back get their slot', () => {
    const full = board(6, 0);
    const back = full.graph.entry('i-20');
    if (!back) throw new Error('no such idea');
    full.set(back, 'wants-slot');
    full.state.waiting.push('i-20');
    expect(fillSlots(full, 0)).toMatchObject([{ do: 'grant', idea: 'i-20' }]);
  });
});
