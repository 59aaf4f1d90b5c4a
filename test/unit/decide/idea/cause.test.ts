import { expect, test } from 'vitest';
import { causeOf, exhaustedText, nextCause } from '../../../../src/decide/idea/stall.js';
import type { Feedback } from '../../../../src/protocol/agent-run.js';

const red: Feedback = { kind: 'gate-failed', command: 'npm test', exitCode: 1, tail: '', log: '' };

test('A8 the same cause counts up, another one begins anew', () => {
  const text = causeOf({ kind: 'claimed-but-empty' }, { kind: 'complete' });
  const twice = nextCause(nextCause(undefined, text), text);
  expect(exhaustedText('2 of 2 iterations used', twice)).toBe(
    '2 of 2 iterations used; 2 times in a row the agent reported COMPLETE but changed nothing',
  );
  expect(exhaustedText('3 of 3', nextCause(twice, causeOf(red, undefined)))).toBe(
    '3 of 3; the last time the gate was red: npm test (exit code 1)',
  );
});

test('A8 an iteration that only made progress is told as that; one without a cause adds nothing', () => {
  expect(causeOf(undefined, { kind: 'progress', percent: 60 })).toBe('the agent reported PROGRESS 60 %');
  expect(nextCause({ text: 'x', times: 3 }, causeOf(undefined, undefined))).toBeUndefined();
  expect(exhaustedText('3 of 3', undefined)).toBe('3 of 3');
});

test('A8 a cause is cut, so that a reason stays small', () => {
  expect(nextCause(undefined, 'x'.repeat(1000))?.text.length).toBeLessThanOrEqual(160);
});
