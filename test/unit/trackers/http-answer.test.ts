/** What `gh api --include` and `glab api --include` print, read. Features: F3. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { explain } from '../../../src/client/output.js';
import { forPeople } from '../../../src/client/views/terminal.js';
import { clock, withLocalTimes } from '../../../src/screen/text/time.js';
import { failureOf, readAnswer } from '../../../src/trackers/http-answer.js';
import { endOfWait } from '../../../src/trackers/tracker.js';

const read = (...stdout: string[]) => readAnswer({ exitCode: 0, stdout, stderr: '' });
const ANSWER = ['HTTP/2.0 200 OK', 'Ratelimit-Remaining: 1999', '', '[{"id":1}]'];

describe('the answer of a forge', () => {
  it('has a status, headers and a body', () => {
    const answer = read(...ANSWER);
    expect([answer?.status, answer?.headers.get('ratelimit-remaining'), answer?.json()]).toEqual([
      200,
      '1999',
      [{ id: 1 }],
    ]);
  });

  it('may come after warnings of the program', () => {
    const warning =
      'DEPRECATION WARNING: The environment variable NO_PROMPT has been deprecated and will be removed in future releases. Use GLAB_NO_PROMPT instead.';
    const answer = read(warning, ...ANSWER);
    expect([answer?.status, answer?.json()]).toEqual([200, [{ id: 1 }]]);
  });

  it('is none where the program got none', () => {
    expect([read(), read('glab: not logged in'), read('', '')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('a limit of the forge', () => {
  const zone = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = 'Asia/Kolkata';
  });
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const until = Date.parse('2026-11-21T20:40:00Z');
  const answer = read(
    'HTTP/2.0 403 Forbidden',
    'x-ratelimit-remaining: 0',
    `x-ratelimit-reset: ${until / 1000}`,
    '',
    '{}',
  );
  const limited = () =>
    failureOf('gh', 'gh auth login', { result: { exitCode: 1, stdout: [], stderr: '' }, answer, timeoutMs: 1000 });

  it('ends at a local time, whenever and wherever somebody reads it', () => {
    const { message, at } = limited();
    expect(at).toBe(until);
    expect(withLocalTimes(message, until - 60_000)).toBe('the tracker limits requests until 02:10');
    // A log or a status may show it a day later.
    const later = until + 30 * 3_600_000;
    expect(withLocalTimes(message, later)).toBe(`the tracker limits requests until ${clock(until, later)}`);
    expect(clock(until, later)).toBe('Sun 02:10');
    expect(forPeople(message, {})).not.toContain('UTC');
  });

  it('has it in the error of a command, too', () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      explain(limited(), false);
    } finally {
      write.mockRestore();
    }
    expect(lines.join('')).toMatch(/limits requests until .*02:10\n$/);
  });
});

describe('the end of a limit that is wrong', () => {
  const HOUR = 3_600_000;
  /** Milliseconds from now. */
  const waitOf = (status: number, ...headers: string[]): number | undefined => {
    const answer = read(`HTTP/2.0 ${status} No`, ...headers, '', '{"message":"no"}');
    const now = Date.now();
    const result = { exitCode: 1, stdout: [], stderr: '' };
    const error = failureOf('gh', 'gh auth login', { result, answer, timeoutMs: 1000 });
    expect([error.retry, error.message]).toEqual([true, expect.stringMatching(/limits requests until \d{4}-.* UTC$/)]);
    const end = endOfWait(error, now);
    return end === undefined ? undefined : end - now;
  };
  const used = (reset: number) => ['X-RateLimit-Remaining: 0', `X-RateLimit-Reset: ${reset}`];

  it('is a wait of a day at most, and no failure', () => {
    for (const seconds of ['1e300', '99999999999999', '31536000'])
      expect(waitOf(429, `Retry-After: ${seconds}`)).toBeLessThanOrEqual(24 * HOUR);
    for (const reset of [9_999_999_999_999, Date.now() + HOUR])
      expect(waitOf(403, ...used(reset))).toBeLessThanOrEqual(24 * HOUR);
  });

  it('names none where it is over: the waits grow from try to try', () => {
    expect(waitOf(429, 'Retry-After: 0')).toBeUndefined();
    expect(waitOf(403, ...used(Math.floor(Date.now() / 1000) - 600))).toBeUndefined();
    for (const odd of ['-5', 'soon', '']) {
      const wait = waitOf(429, `Retry-After: ${odd}`);
      expect([wait !== undefined && wait > 50_000, wait !== undefined && wait <= 61_000]).toEqual([true, true]);
    }
  });

  it('is a time of the forge, whose clock differs', () => {
    const forge = Math.floor(Date.now() / 1000) - 7200;
    const wait = waitOf(403, ...used(forge + 600), `Date: ${new Date(forge * 1000).toUTCString()}`);
    expect([(wait ?? 0) > 590_000, (wait ?? 0) < 660_000]).toEqual([true, true]);
  });

  it('an answer of a proxy that gave up can be tried again', () => {
    for (const status of [408, 425, 502, 504]) {
      const answer = read(`HTTP/2.0 ${status} No`, '', '');
      const result = { exitCode: 1, stdout: [], stderr: '' };
      expect(failureOf('gh', 'gh auth login', { result, answer, timeoutMs: 1000 })).toMatchObject({ retry: true });
    }
  });
});
