/** A rollback that was refused stays known until the target moves. Feature: C2. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { refusedRollback } from '../../../src/model/refused.js';
import type { RunEvent } from '../../../src/protocol/events.js';

const T0 = Date.UTC(2026, 0, 1);
const landed = (idea: string): RunEvent => ({ kind: 'idea', idea, title: idea, status: 'landed', commit: 'abcdef12' });
const says = (idea: string, done: string): RunEvent => ({ kind: 'command', verb: 'rollback', idea, by: 'cli', done });
const WHY = 'one stays landed: later landings build on it in a.txt. Roll those back first: two';

function refused(...events: RunEvent[]) {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
  for (const [n, event] of events.entries()) fold(model, { at: new Date(T0 + n * 1000).toISOString(), ...event });
  return refusedRollback(model, 'one');
}

it('C2: a refused rollback stands, in a run and after it, until something lands or is taken off', () => {
  const both = [landed('one'), landed('two')];
  const after: RunEvent = { kind: 'refused', verb: 'rollback', idea: 'one', by: 'cli', why: WHY };
  expect(refused(...both)).toBeUndefined();
  expect(refused(...both, { ...after, verb: 'edit' })).toBeUndefined();
  expect(refused(...both, after)).toEqual({ at: T0 + 2000, text: WHY });
  expect(refused(...both, says('one', WHY))).toEqual({ at: T0 + 2000, text: WHY });
  expect(refused(...both, after, says('two', 'two was taken off main by abcdef12'))).toBeUndefined();
  expect(refused(...both, after, landed('three'))).toBeUndefined();
  expect(refused(...both, after, { kind: 'reverted', idea: 'two', by: 'abcdef12', text: 'off' })).toBeUndefined();
});
