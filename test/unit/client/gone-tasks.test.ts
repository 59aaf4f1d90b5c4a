/** Landed work that left the target is a task until an agent works on it again. Features: C2 G4. */
import { expect, it } from 'vitest';
import { isTask } from '../../../src/client/report/gather.js';
import type { Gone, RunModel } from '../../../src/model/model.js';

const gone = { landed: 'a', text: 'a-1 landed as a, and b took it off main again' } as Gone;
const model = (idea: object): RunModel => ({ ideas: new Map([['a-1', idea]]) }) as unknown as RunModel;

it('of an idea that stands as off, that no run has any more, or of which a part is gone', () => {
  expect(isTask(model({ id: 'a-1', off: gone }), ['a-1', gone])).toBe(true);
  expect(isTask(model({ id: 'a-1' }), ['b-1', gone])).toBe(true);
  expect(isTask(model({ id: 'a-1', status: 'landed' }), ['a-1', { ...gone, part: ['a.txt'] }])).toBe(true);
});

it('not of one that ran again and ended in another way', () => {
  expect(isTask(model({ id: 'a-1', status: 'timeout' }), ['a-1', gone])).toBe(false);
});
