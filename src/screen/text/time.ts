/**
 * Clock times and durations as the screen shows them.
 * Invariant: clock times are local. The duration of what still goes on changes at most every 10 s below one minute, and at
 * most once a minute above it. What has ended has its seconds below one minute.
 */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (n: number): string => `${n}`.padStart(2, '0');
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const dayOf = (at: number): string => new Date(at).toDateString();

/** The day that a clock time needs before it: `Tue `, `3 Nov `; empty where the hour alone says it. */
export function dayBefore(at: number, now: number): string {
  const date = new Date(at);
  if (dayOf(at) === dayOf(now)) return '';
  // A run spans midnight, and no reader takes 23:40 for a time of tomorrow.
  if (Math.abs(now - at) < 12 * HOUR) return '';
  if (Math.abs(now - at) < 6 * DAY) return `${DAYS[date.getDay()]} `;
  return `${date.getDate()} ${MONTHS[date.getMonth()]} `;
}

/** `23:40`; with the day for another day: `Tue 23:40`, `3 Nov 23:40`. */
export function clock(at: number, now: number): string {
  const date = new Date(at);
  return `${dayBefore(at, now)}${two(date.getHours())}:${two(date.getMinutes())}`;
}

const HALF_DAY = 12 * HOUR;

/**
 * Replaces the times of the program's own texts: workflows know no zone and write `2026-11-21 22:40 UTC`, or the hour
 * alone for a time within half a day. Only in their phrases: a diff or the words of an agent stay as they are.
 */
export function withLocalTimes(text: string, now = Date.now()): string {
  if (!text.includes(' UTC')) return text;
  return text.replace(
    /(?<=\b(?:until|since|(?:try|answered|retries) at) |\()(?:(\d{4}-\d\d-\d\d) )?(\d\d:\d\d)(?::\d\d)? UTC\b/g,
    (all, day: string | undefined, time: string) => {
      const today = new Date(now).toISOString().slice(0, 10);
      const at = Date.parse(`${day ?? today}T${time}:00Z`);
      if (Number.isNaN(at)) return all;
      if (day !== undefined) return clock(at, now);
      return clock(at - now > HALF_DAY ? at - DAY : now - at > HALF_DAY ? at + DAY : at, now);
    },
  );
}

/** The cells of a column of clock times. */
export const clockCells = (times: readonly number[], now: number): number =>
  Math.max(5, ...times.map((at) => clock(at, now).length));

/** Start of a run: `today 22:00`, `Tue 22:03`, `3 Nov 22:01`. */
export function dayClock(at: number, now: number): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (dayOf(at) === dayOf(now)) return `today ${time}`;
  if (Math.abs(now - at) < 6 * DAY) return `${DAYS[date.getDay()]} ${time}`;
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${time}`;
}

/** `<10s`, `20s`, `3m`, `1h42m`, `2d4h`. */
export function duration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 10_000) return '<10s';
  if (whole < MINUTE) return `${Math.floor(whole / 10_000) * 10}s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}m`;
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  if (whole < DAY) return `${Math.floor(whole / HOUR)}h${minutes === 0 ? '' : `${two(minutes)}m`}`;
  const hours = Math.floor((whole % DAY) / HOUR);
  return `${Math.floor(whole / DAY)}d${hours === 0 ? '' : `${hours}h`}`;
}

/** Like `duration`, for what has ended: its seconds no longer change. `<1s`, `4s`, `42s`, `3m`. */
export function lasted(ms: number): string {
  if (ms >= MINUTE) return duration(ms);
  return ms < 1000 ? '<1s' : `${Math.floor(ms / 1000)}s`;
}

/** How long a run took, or takes so far: the same in every view. */
export const ran = (
  { startedAt, endedAt }: { startedAt: number; endedAt?: number | undefined },
  now: number,
): string => (endedAt === undefined ? duration(now - startedAt) : lasted(endedAt - startedAt));

/** A waiting time in one unit and at most three cells. */
export function age(ms: number): string {
  if (ms < MINUTE) return '<1m';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.min(99, Math.floor(ms / DAY))}d`;
}

/** The estimate of the remaining time needs this many landed ideas. */
const ENOUGH = 5;

/** `about 40m`, from the median time of landed ideas; undefined until enough have landed. */
export function timeToGo(landedMs: readonly number[], open: number, slots: number): string | undefined {
  if (landedMs.length < ENOUGH || open <= 0) return undefined;
  const sorted = [...landedMs].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const ms = (median * open) / Math.max(1, Math.min(slots, open));
  if (ms < 5 * MINUTE) return 'under 5m';
  if (ms < HOUR) return about(Math.round(ms / (5 * MINUTE)) * 5 * MINUTE);
  if (ms < 4 * HOUR) return about(Math.round(ms / (30 * MINUTE)) * 30 * MINUTE);
  return about(Math.round(ms / HOUR) * HOUR);
}

const about = (ms: number): string => `about ${duration(ms)}`;
