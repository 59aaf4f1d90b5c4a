/** The title of the terminal, and the bell for somebody who looks elsewhere. Feature: G5. */
import { expect, it } from 'vitest';
import { newModel } from '../../../src/model/fold.js';
import { rings, titleOf } from '../../../src/screen/attention.js';
import { idea, shop } from './shop.js';

it('the title says what landed and how many wait for a person', () => {
  const model = shop();
  expect(titleOf(model)).toBe('ralph shop 11/24 ?3');
  expect(titleOf(newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]))).toBe(
    'ralph shop 0/1',
  );
});

it.each([
  ['something new, and nobody looks', { before: 1, now: 2, focused: false, bell: true }, true],
  ['somebody looks', { before: 1, now: 2, focused: true, bell: true }, false],
  ['nothing new', { before: 2, now: 2, focused: false, bell: true }, false],
  ['one was answered', { before: 2, now: 1, focused: false, bell: true }, false],
  ['the screen has just opened', { before: -1, now: 3, focused: false, bell: true }, false],
  ['the person wants none', { before: 1, now: 2, focused: false, bell: false }, false],
])('%s', (_, waiting, rung) => {
  expect(rings(waiting)).toBe(rung);
});
