/** What a person said between two runs, as an idea gets it that the next run takes over. Features: A1 C3. */
import { expect, it } from 'vitest';
import { keptAnswer } from '../../../src/decide/idea/answers.js';
import { firstEntry } from '../../../src/decide/run/first-state.js';
import { ANSWER, HINT } from '../../../src/protocol/names.js';
import { saidBetween } from '../../../src/workflows/run/adopted-children.js';
import { card } from '../decide/support.js';

const notes = ['use tabs', keptAnswer('Which?', 'blue'), keptAnswer('Which?', 'green')];
const asking = () => Object.assign(firstEntry(card('a'), false), { leftAsking: true as const });

it('the first answer answers the question that is still open; all else reaches the next prompt', () => {
  expect(saidBetween(asking(), notes)).toEqual([
    { signal: HINT, text: 'use tabs' },
    { signal: ANSWER, text: 'blue' },
    { signal: HINT, text: notes[2] },
  ]);
  expect(saidBetween(firstEntry(card('a'), false), notes).map(({ signal }) => signal)).toEqual([HINT, HINT, HINT]);
});

it.each([
  ['with an answer', notes],
  ['without a word', []],
])('the mark of the open question ends with the takeover, %s: no later answer goes to another question', (_, said) => {
  const entry = asking();
  saidBetween(entry, said);
  expect(entry).not.toHaveProperty('leftAsking');
  // The idea is started again later in the run.
  expect(saidBetween(entry, notes).map(({ signal }) => signal)).toEqual([HINT, HINT, HINT]);
});
