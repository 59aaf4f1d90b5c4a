/** When the screen says that the worker is busy. Features: C6 G5. */
import { describe, expect, it } from 'vitest';
import { isUnanswered } from '../../../src/client/screen/why-still.js';

describe('C6 a worker that does not answer', () => {
  it('is not called busy while it may still be starting on a machine under load', () => {
    const asked = Date.parse('2026-11-22T10:00:00Z');
    expect(isUnanswered(asked, asked + 12_000)).toBe(false);
    expect(isUnanswered(asked, asked + 21_000)).toBe(true);
    expect(isUnanswered(undefined, asked)).toBe(false);
  });
});
