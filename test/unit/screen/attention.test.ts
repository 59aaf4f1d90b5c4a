/** The title of the terminal, and the bell for somebody who looks elsewhere. Feature: G5. */
import { expect, it } from 'vitest';
import { rings, titleOf } from '../../../src/screen/attention.js';
import { shop } from './shop.js';

it('the title says what landed and how many wait for a person', () => {
  const model = shop();
  expect(titleOf(model)).toBe('ralph shop 11/24 ?3');
  expect(titleOf({ name: 'shop', counts: { ...model.counts, needYou: 0 } })).toBe('ralph shop 11/24');
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
