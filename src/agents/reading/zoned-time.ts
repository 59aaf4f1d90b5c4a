/**
 * Wall clock times in a time zone as instants, by `Intl`, so that daylight saving is right without a separate table.
 * Must not import anything.
 */

export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', era: 'short' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    formats.set(zone, format);
  }
  return format;
}

/** True for names that `Intl` knows, e.g. `Europe/Berlin`, `UTC`. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a clock in `zone` shows at `at` (epoch ms). */
export function wallTime(at: number, zone: string): WallTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? Number.NaN;
  return {
    ...{ year: part('year'), month: part('month'), day: part('day') },
    ...{ hour: part('hour'), minute: part('minute') },
  };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime): number => Date.UTC(year, month - 1, day, hour, minute);

/** Milliseconds by which the clock in `zone` is ahead of UTC, to the minute. */
function offsetAt(at: number, zone: string): number {
  return asUtc(wallTime(at, zone)) - Math.floor(at / 60_000) * 60_000;
}

const DAY_MS = 86_400_000;

/**
 * The instants (epoch ms, in order) at which the clock in `zone` shows this time. Two when the clock is set back; when
 * it is set forward past the time, the instant at which it would have come otherwise.
 */
export function instantsOf(wall: WallTime, zone: string): number[] {
  const guess = asUtc(wall);
  const before = offsetAt(guess - DAY_MS, zone);
  const candidates = new Set([before, offsetAt(guess + DAY_MS, zone)].map((offset) => guess - offset));
  const hits = [...candidates].filter((at) => at + offsetAt(at, zone) === guess).sort((a, b) => a - b);
  return hits.length > 0 ? hits : [guess - before];
}
