/** What goes wrong is told without secrets, whoever threw it. Feature: B1. */
import { describe, expect, it } from 'vitest';
import { WorkError } from '../../../src/jobs/job.js';
import { cleanFault, cleanLanding, redactorOf } from '../../../src/jobs/secrets.js';
import { FAILURE } from '../../../src/protocol/failures.js';
import type { LandResult } from '../../../src/protocol/git-work.js';

const SECRET = 'correct-horse-battery';
const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH7'}`;
const redact = redactorOf({ root: '/', host: 'h', env: { DEPLOY_PASSWORD: SECRET, HOME: '/home/of/nobody' } });

describe('B1 errors', () => {
  it('stay what they are, without secrets in message, stack and causes', () => {
    const cause = new Error(`fatal: https://me:${SECRET}@host/ and ${TOKEN}`);
    const error = new WorkError(`git failed: ${cause.message}`, FAILURE.repository, true);
    error.cause = cause;
    const clean = cleanFault(error, redact);
    expect(clean).toBe(error);
    expect(error).toMatchObject({ type: FAILURE.repository, retryable: true });
    expect(error.message).toMatch(/^git failed: fatal: https:\/\/me:\[redacted\]@host\/ and \[redacted\]$/);
    for (const text of [error.message, error.stack, cause.message, cause.stack]) {
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(TOKEN);
    }
  });

  it('of every kind: with getters, in a circle, no errors at all', () => {
    const aborted = new DOMException(`stopped by ${TOKEN}`, 'AbortError');
    expect(cleanFault(aborted, redact)).toBe(aborted);
    expect([aborted.name, aborted.message]).toEqual(['AbortError', 'stopped by [redacted]']);
    const circle = new Error(TOKEN);
    circle.cause = circle;
    expect((cleanFault(circle, redact) as Error).message).toBe('[redacted]');
    expect(cleanFault(`no ${SECRET}`, redact)).toBe('no [redacted]');
    expect(cleanFault(undefined, redact)).toBeUndefined();
  });
});

it('B1: a landing says its own words only', () => {
  const conflict: LandResult = {
    kind: 'conflict',
    onto: 't',
    files: ['a'],
    detail: `CONFLICT ${TOKEN}`,
    durationMs: 1,
  };
  expect(cleanLanding(conflict, redact)).toEqual({ ...conflict, detail: 'CONFLICT [redacted]' });
  const landed: LandResult = { kind: 'landed', commit: 'c', commits: 1, durationMs: 1 };
  expect(cleanLanding(landed, redact)).toEqual(landed);
  expect(cleanLanding({ ...landed, note: SECRET }, redact)).toMatchObject({ note: '[redacted]' });
  const reverted = [{ idea: 'a', by: 'abcdef01', subject: SECRET }];
  expect(cleanLanding({ ...landed, reverted }, redact)).toMatchObject({ reverted: [{ subject: '[redacted]' }] });
});
