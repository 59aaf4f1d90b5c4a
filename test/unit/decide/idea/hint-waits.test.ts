/** Whether a prompt follows that has a hint, and what an idea ran out of. Features: C3 C4. */
import { describe, expect, it } from 'vitest';
import { hintWaits } from '../../../../src/decide/idea/amendments.js';
import { limitReached, ranOutOf, TIMED_OUT } from '../../../../src/decide/idea/completion.js';

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
        step: { number, of: 2, id: 's', phase: '', skipped: 0 },
      });
    expect(plan(1)).toBeUndefined();
    expect(plan(2)).toContain('this is its only iteration');
  });

  it('to work that waits to land is read only if the landing fails', () => {
    expect(at('landing', 1)).toContain('It is read only if that landing gives the idea back to its agent');
  });
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
