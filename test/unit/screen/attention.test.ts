/** The title of the terminal, and the bell for somebody who looks elsewhere. Feature: G5. */
import { expect, it } from 'vitest';
import { newModel } from '../../../src/model/fold.js';
import { callsOf, rings, titleOf } from '../../../src/screen/attention.js';
import { idea, shop } from './shop.js';

it('the title says what landed and how many wait for a person', () => {
  const model = shop();
  expect(titleOf(model)).toBe('ralph shop 11/24 ?3');
  expect(titleOf(newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]))).toBe(
    'ralph shop 0/1',
  );
});

const one = new Set(['a']);
const two = new Set(['a', 'b']);
it.each([
  ['something new, and nobody looks', { before: one, now: two, focused: false, bell: true }, true],
  ['somebody looks', { before: one, now: two, focused: true, bell: true }, false],
  ['nothing new', { before: two, now: two, focused: false, bell: true }, false],
  ['one was answered', { before: two, now: one, focused: false, bell: true }, false],
  [
    'one was answered elsewhere, and another one came',
    { before: one, now: new Set(['b']), focused: false, bell: true },
    true,
  ],
  ['the screen has just opened', { before: undefined, now: two, focused: false, bell: true }, false],
  ['the person wants none', { before: one, now: two, focused: false, bell: false }, false],
])('%s', (_, waiting, rung) => {
  expect(rings(waiting)).toBe(rung);
});

it('G7: another question of the same idea calls again; one that a stop leaves open does not', () => {
  const asking = (questionId: string) => {
    const model = shop();
    Object.assign(model.ideas.get('mfa-001') ?? {}, { questionId });
    return model;
  };
  const [first, second] = [callsOf(asking('q1')), callsOf(asking('q2'))];
  expect(first.size).toBe(3);
  const seen = { focused: false, bell: true };
  expect(rings({ ...seen, before: first, now: second })).toBe(true);
  const left = asking('q1');
  const idea = left.ideas.get('mfa-001');
  Object.assign(idea ?? {}, { questionId: undefined, left: { question: 'Which?', questionId: 'q1', approval: false } });
  expect(rings({ ...seen, before: first, now: callsOf(left) })).toBe(false);
});
