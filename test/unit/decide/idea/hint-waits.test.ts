/** Whether a prompt follows that has a hint, and what an idea ran out of. Features: C3 C4. */
import { describe, expect, it } from 'vitest';
import { hintTaken, hintWaits } from '../../../../src/decide/idea/amendments.js';
import { limitReached, ranOutOf, shownLimit, TIMED_OUT } from '../../../../src/decide/idea/completion.js';
import { LIMITS } from '../iteration.js';

describe('C4: a hint', () => {
  const at = (phase: 'agent' | 'gate' | 'landing' | 'needs-human' | 'paused', iteration: number, maxIterations = 3) =>
    hintWaits({ idea: 'a-1', phase, iteration, maxIterations });

  it('is read by itself while another iteration may come', () => {
    expect(at('agent', 2)).toBeUndefined();
    expect(at('paused', 2)).toBeUndefined();
    // An answer gives it one more iteration.
    expect(at('needs-human', 3)).toBeUndefined();
    expect(hintWaits({ idea: 'a-1', phase: 'agent', iteration: 9 })).toBeUndefined();
  });

  it.each(['agent', 'gate'] as const)('in the last iteration (%s) names what makes it be read', (phase) => {
    const text = at(phase, 3);
    expect(text).toContain('no prompt follows by itself that would have it: this is its last iteration, 3 of 3');
    expect(text).toContain('ralphctl limit a-1 1 now, or ralphctl retry a-1, once it has ended without landing');
  });

  it('in the only iteration names a retry alone, unless a plan has another step', () => {
    expect(at('agent', 1, 1)).toMatch(/this is its only iteration\. To have it read: ralphctl retry a-1/);
    const plan = (number: number) =>
      hintWaits({
        ...{ idea: 'a-1', phase: 'agent', iteration: 1, maxIterations: 1 },
        step: { number, of: 2 },
      });
    expect(plan(1)).toBeUndefined();
    expect(plan(2)).toContain('this is its only iteration');
  });

  it('to work that waits to land is read only if the landing fails', () => {
    expect(at('landing', 1)).toContain('It is read only if that landing gives the idea back to its agent');
  });
});

describe('C4: the reply to a hint, which the log keeps', () => {
  it('promises a prompt only where one follows', () => {
    expect(hintTaken('a-1', { phase: 'agent', iteration: 1, maxIterations: 3 })).toBe(
      'a-1 gets your text with its next prompt',
    );
    expect(hintTaken('a-1', { phase: 'agent', iteration: 1, maxIterations: 1 })).toContain(
      'no prompt follows by itself that would have it: this is its only iteration',
    );
  });

  it.each([undefined, null, 'agent', { phase: 'agent' }, { phase: 'agent', iteration: '1"', maxIterations: '1"' }])(
    'promises nothing where its sender does not know: %j',
    (seen) => expect(hintTaken('a-1', seen)).toBe('a-1 has your text for its next prompt, if one follows'),
  );
});

describe('C3: an idea that timed out', () => {
  const limits = { maxIterations: 3, timeoutMs: 60_000, iterationTimeoutMs: 1, loop: true, allowEmpty: false };
  const spent = { iteration: 3, activeMs: 60_000, grace: false };
  it('ran out of iterations, of time, or of the time of its only run', () => {
    expect(ranOutOf(limitReached(spent, limits))).toBe('iterations');
    expect(ranOutOf(limitReached({ ...spent, iteration: 2 }, limits))).toBe('time');
    expect(ranOutOf('step build: 2 of 2 iterations used')).toBe('iterations');
    for (const text of Object.values(TIMED_OUT)) expect(ranOutOf(`${text} after 30m`)).toBe('one run');
    expect(ranOutOf(undefined)).toBe('iterations');
  });
});

it.each([
  [{ loop: true }, 2, 3],
  // An answer grants one beyond the limit.
  [{ loop: true }, 4, 4],
  [{ loop: false }, 1, 1],
  [{ loop: false }, 2, 2],
  // A plan has an attempt for each step.
  [{ loop: false, attempts: 5 }, 2, 5],
])('B9 C3: no view has iteration 4 of 3: %j in iteration %i shows %i', (more, iteration, shown) => {
  expect(shownLimit({ ...LIMITS, maxIterations: 3, ...more }, iteration)).toBe(shown);
});
