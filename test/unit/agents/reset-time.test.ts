/** The end of a limit, read from the words of an error (B8). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetTimeIn } from '../../../src/agents/reading/reset-time.js';
import { instantsOf, wallTime } from '../../../src/agents/reading/zoned-time.js';

const NOW = Date.parse('2026-11-21T06:30:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const utc = (text: string): number => Date.parse(`${text}Z`);
const read = (text: string, now = NOW, zone = 'UTC'): string | undefined => {
  const at = resetTimeIn(text, now, zone);
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 19);
};

describe('B8 stated resets', () => {
  it.each([
    ['You’ve hit your limit · resets 5pm (Europe/Berlin)', '2026-11-21T16:00:00'],
    ["You've hit your limit · resets 3:23am (UTC)", '2026-11-22T03:23:00'],
    ["You've hit your session limit ∙ resets 11:30am (America/New_York)", '2026-11-21T16:30:00'],
    ['You’ve hit your usage limit. Upgrade to Pro or try again at 2:50 AM.', '2026-11-22T02:50:00'],
    ['You’ve hit your usage limit. Try again at Nov 24th, 2026 9:05 AM.', '2026-11-24T09:05:00'],
    ['weekly limit reached, resets Nov 24 at 5pm (Europe/Berlin)', '2026-11-24T16:00:00'],
    ['limit reached; resets Jan 2, 9am (UTC)', '2027-01-02T09:00:00'],
    ['available again on 24 November 2026 09:05', '2026-11-24T09:05:00'],
    ['weekly limit: resets Monday 9am (UTC)', '2026-11-23T09:00:00'],
    ['HTTP 429, retry-after: 3600', '2026-11-21T07:30:00'],
    ['{"retry-after":"90"}', '2026-11-21T06:31:30'],
    ['retry_after=1500ms', '2026-11-21T06:30:01'],
    ['retry-after-ms: 2500', '2026-11-21T06:30:02'],
    ['Retry-After: Sat, 21 Nov 2026 09:28:00 GMT', '2026-11-21T09:28:00'],
    [`Claude AI usage limit reached|${NOW / 1000 + 3600}`, '2026-11-21T07:30:00'],
    [`limit reached|${NOW + 1000}`, '2026-11-21T06:30:01'],
    [`{"resets_at": ${NOW / 1000 + 60}}`, '2026-11-21T06:31:00'],
    ['quota exceeded, resets at 2026-11-21T12:00:00Z', '2026-11-21T12:00:00'],
    ['quota exceeded until 2026-11-21T12:00:00+02:00', '2026-11-21T10:00:00'],
    ['quota exceeded until 2026-11-21 12:00 (Asia/Tokyo)', undefined],
    ['try again after 2026-11-22 12:00 (Asia/Tokyo)', undefined],
    ['resets 2026-11-22 12:00 (Asia/Tokyo)', '2026-11-22T03:00:00'],
    ['Your quota will reset after 3h 20m', '2026-11-21T09:50:00'],
    ['limit reached, resets in 3h 20m', '2026-11-21T09:50:00'],
    ['Rate limit reached. Please try again in 1h5m3s.', '2026-11-21T07:35:03'],
    ['Please try again in 20s. Visit the docs', '2026-11-21T06:30:20'],
    ['try again in 2 days, 1 hour and 5 minutes', '2026-11-23T07:35:00'],
    ['resets 5pm PST', '2026-11-22T01:00:00'],
    ['Try again at 23:15', '2026-11-21T23:15:00'],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['nothing about time', 'rate limit exceeded'],
    ['an unknown zone', 'resets 5pm (Mars/Olympus)'],
    ['an impossible date', 'resets Feb 30, 2027 9am (UTC)'],
    ['an impossible time', 'resets 25:10 (UTC)'],
    ['a bare number', 'try again 5 times'],
    ['a date long past', 'try again at Nov 24th, 2019 9:05 AM'],
    ['an epoch long past', 'limit reached|1199999999'],
    ['a time without a word that makes it a reset', '[2026-11-21T12:00:00Z] error 429'],
    ['a longer number', 'request|12345678901234567'],
  ])('gives nothing for %s', (_why, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('times without a zone are the host’s', () => {
    expect(read('try again at 2:50 AM', NOW, 'America/New_York')).toBe('2026-11-21T07:50:00');
  });

  it('a time that has just passed is not tomorrow’s: clocks differ', () => {
    expect(read('resets 6:29am (UTC)')).toBe('2026-11-21T06:29:00');
    expect(read('resets 6:20am (UTC)')).toBe('2026-11-22T06:20:00');
  });

  it('is right across changes of the clock', () => {
    // Berlin puts the clock back at 03:00 on 2026-10-25: 02:30 comes twice.
    expect(read('resets 2:30am (Europe/Berlin)', utc('2026-10-24T20:00:00'))).toBe('2026-10-25T00:30:00');
    expect(read('resets 2:30am (Europe/Berlin)', utc('2026-10-25T00:45:00'))).toBe('2026-10-25T01:30:00');
    expect(read('resets 5pm (Europe/Berlin)', utc('2026-10-24T20:00:00'))).toBe('2026-10-25T16:00:00');
    // And forward at 02:00 on 2026-03-29: 02:30 does not come; an hour later is what is meant.
    expect(read('resets 2:30am (Europe/Berlin)', utc('2026-03-28T20:00:00'))).toBe('2026-03-29T01:30:00');
    // Once the clock has gone past it, tomorrow's is meant.
    expect(read('resets 2:30am (Europe/Berlin)', utc('2026-03-29T01:32:00'))).toBe('2026-03-30T00:30:00');
  });
});

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Chatham', 'America/Sao_Paulo', 'Africa/Casablanca'],
];
const zones = fc.constantFrom(...ZONES);
const instants = fc
  .integer({ min: utc('2024-01-01T00:00:00') / MINUTE, max: utc('2030-01-01T00:00:00') / MINUTE })
  .map((m) => m * MINUTE);

describe('properties', () => {
  it('what a clock shows at an instant is read back as that instant (or its twin an hour off, where the clock is put back)', () => {
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        expect(instantsOf(wallTime(at, zone), zone)).toContain(at);
      }),
      { numRuns: 500 },
    );
  });

  it('a stated clock time is the next one at which that zone’s clock shows it', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 23 * 60 }), zones, zones, (now, ahead, zone, host) => {
        const at = now + ahead * MINUTE;
        const { hour, minute } = wallTime(at, zone);
        const half = hour < 12 ? 'am' : 'pm';
        const text = `limit · resets ${hour % 12 || 12}:${String(minute).padStart(2, '0')}${half} (${zone})`;
        const found = resetTimeIn(text, now, host);
        expect(found).toBeDefined();
        // Earlier than meant only where the clock shows the time twice.
        expect(found).toBeLessThanOrEqual(at);
        expect(wallTime(found ?? 0, zone)).toMatchObject({ hour, minute });
        expect(found).toBeGreaterThan(now - 5 * MINUTE);
      }),
      { numRuns: 500 },
    );
  });

  it('a stated date and time is exactly that', () => {
    const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    fc.assert(
      fc.property(instants, fc.integer({ min: 10, max: 7 * 24 * 60 }), zones, (now, ahead, zone) => {
        const at = now + ahead * MINUTE;
        const { year, month, day, hour, minute } = wallTime(at, zone);
        const clock = `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
        const found = resetTimeIn(`Try again at ${names[month - 1]} ${day}th, ${year} ${clock}.`, now, zone);
        expect(instantsOf({ year, month, day, hour, minute }, zone)).toContain(found);
      }),
      { numRuns: 300 },
    );
  });

  it('durations add up', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(23), fc.nat(59), (d, h, m) => {
        fc.pre(d + h + m > 0);
        expect(resetTimeIn(`try again in ${d}d ${h}h ${m}m`, NOW)).toBe(NOW + d * 24 * HOUR + h * HOUR + m * MINUTE);
      }),
    );
  });

  it('never throws, never gives a time long past', () => {
    const words = fc.constantFrom(
      'resets',
      'try again',
      'at',
      'in',
      'Nov',
      '5pm',
      '(',
      ')',
      '|',
      '12:61',
      '9',
      'retry-after:',
      'UTC',
      'h',
      '2026-13-40T99:99Z',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }), (parts) => {
        const at = resetTimeIn(parts.join(' '), NOW, 'UTC');
        if (at !== undefined) expect(at).toBeGreaterThan(NOW - 5 * MINUTE);
      }),
      { numRuns: 1000 },
    );
  });
});
