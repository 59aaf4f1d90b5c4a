/** What a run leaves to the next one. Features: A2, C3. */
import { expect, test } from 'vitest';
import { carriedOver } from '../../../../src/decide/idea/carry.js';
import { Autopilot, firstState } from '../../../../src/decide/run/autopilot.js';
import { card, entryOf, settings } from '../support.js';

test('A2: retries outlast the run: one more for what failed, none for what landed or was cut short untried', () => {
  const entries = [
    entryOf(card('failed'), { status: 'failed', retries: 1 }),
    entryOf(card('blocked'), { status: 'blocked' }),
    entryOf(card('timeout'), { status: 'timeout' }),
    entryOf(card('landed'), { status: 'landed', retries: 3 }),
    entryOf(card('running'), { status: 'running', retries: 2 }),
    entryOf(card('pending')),
    entryOf(card('abandoned'), { status: 'abandoned', retries: 1 }),
  ];
  const { retries } = carriedOver(entries);
  expect(retries).toEqual([
    { idea: 'failed', count: 2 },
    { idea: 'blocked', count: 1 },
    { idea: 'timeout', count: 1 },
    { idea: 'running', count: 2 },
    { idea: 'abandoned', count: 1 },
  ]);
  expect(carriedOver([entryOf(card('pending'))])).toEqual({ abandoned: [], hints: [], unsaid: [] });
});

test('D2: what may get another pull request and has none yet may get it in the next run, too', () => {
  const entries = [
    entryOf(card('retried'), { status: 'running', anew: true }),
    entryOf(card('landed'), { status: 'landed', anew: true }),
    entryOf(card('pending')),
  ];
  expect(carriedOver(entries).kept).toEqual([{ idea: 'retried', verb: 'anew' }]);
});

test('A2: the next run begins with them, except for what has landed since', () => {
  const retries = [
    { idea: 'a', count: 2 },
    { idea: 'b', count: 4 },
    { idea: 'gone', count: 1 },
  ];
  const state = firstState(
    {
      ...{ agentsQueue: '', gitQueue: '', target: 'main', cards: [card('a'), card('b'), card('c')], landed: ['b'] },
      carried: { abandoned: [], hints: [], retries },
    },
    settings(),
    0,
  );
  expect(state.entries.map((entry) => entry.retries)).toEqual([2, 0, 0]);
});

test('C2: what a person left out before the run is told at its beginning, once', () => {
  const state = firstState(
    {
      ...{ agentsQueue: '', gitQueue: '', target: 'main', cards: [card('a'), card('b'), card('c')], landed: [] },
      carried: {
        ...{ abandoned: [{ idea: 'b' }], hints: [], retries: [] },
        kept: [{ idea: 'a', verb: 'skip', reason: 'later' }],
      },
    },
    settings(),
    0,
  );
  const pilot = new Autopilot(state, settings());
  pilot.tellLeftOut();
  expect(pilot.takeChanges(1).map(({ card: { id }, status, reason }) => [id, status, reason])).toEqual([
    ['a', 'skipped', 'later'],
    ['b', 'abandoned', 'abandoned by a person (in an earlier run)'],
  ]);
  expect(pilot.takeChanges(2)).toEqual([]);
});
