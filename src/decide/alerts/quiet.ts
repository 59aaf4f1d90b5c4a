/**
 * Quiet hours, by the clock of a named time zone.
 * Invariant: the same moment gives the same answer on every machine, so that a workflow may ask. Pure; imports nothing.
 */

const MINUTE = 60_000;
const DAY = 24 * 60;

interface Hours {
  /** Minutes of the day. `from` after `to`: across midnight. */
  from: number;
  to: number;
}

/** When the quiet hours that hold now end, epoch ms; undefined outside of them. */
export function quietUntil(hours: Hours | undefined, timeZone: string, now: number): number | undefined {
  if (!hours) return undefined;
  const minute = minuteOf(now, timeZone);
  const { from, to } = hours;
  const quiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!quiet) return undefined;
  const begun = now - (now % MINUTE);
  const end = begun + ((to - minute + DAY) % DAY) * MINUTE;
  // The clock may be put forward or back in between.
  const off = minuteOf(end, timeZone) - to;
  const short = ((off + DAY + DAY / 2) % DAY) - DAY / 2;
  return Math.max(begun + MINUTE, end - short * MINUTE);
}

/** The minute of the day that clocks there show. */
export function minuteOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return read('hour') * 60 + read('minute');
}
