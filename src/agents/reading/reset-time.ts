/**
 * The end of a usage limit, from an error text: forms as data, tried in order, the exact ones first.
 * Invariant: applied only to the error text of a run that hit a limit. An ambiguous form (an unknown time zone, an
 * impossible date) gives no result, so that the caller backs off instead of sleeping until a wrong time.
 */
import { instantsOf, isZone, localZone, type WallTime, wallTime } from './zoned-time.js';

interface Clock {
  /** epoch ms */
  now: number;
  /** Zone of times that name none. */
  zone: string;
}

interface Form {
  name: string;
  pattern: RegExp;
  read: (groups: Record<string, string | undefined>, clock: Clock) => number | undefined;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A clock time that passed this recently means today, not tomorrow, because clocks differ a little. */
const JUST_PASSED = 5 * MINUTE;
const FURTHEST = 400 * DAY;
const LOOKED_AT = 8192;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Abbreviations with a single offset everywhere. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  // The signs of these names are reversed.
  ...{ utc: 'UTC', gmt: 'UTC', z: 'UTC', pst: 'Etc/GMT+8', pdt: 'Etc/GMT+7', mst: 'Etc/GMT+7', mdt: 'Etc/GMT+6' },
  ...{ est: 'Etc/GMT+5', edt: 'Etc/GMT+4', cdt: 'Etc/GMT+5', cet: 'Etc/GMT-1', cest: 'Etc/GMT-2' },
  ...{ pt: 'America/Los_Angeles', et: 'America/New_York' },
};
const UNITS: readonly [RegExp, number][] = [
  [/^(?:ms|millis)/, 1],
  [/^s/, 1000],
  [/^(?:m$|mi)/, MINUTE],
  [/^h/, HOUR],
  [/^d/, DAY],
  [/^w/, 7 * DAY],
];

/** The text before a time that means the end of a limit. */
const LEAD = `(?:resets?|resetting|try(?:ing)? again|retry(?:ing)?|available(?: again)?|until|wait|back)`;
const AT = String.raw`[\s"':=]*(?:(?:at|on|by|until|time)[\s"':=]*)*`;
const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))?(?::\d{2})?\s*(?<half>[ap]\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s*\((?<zone>[A-Za-z][\w+\-/ ]*)\)|\s+(?<abbreviation>[A-Z]{2,5})\b)?`;
const MONTH = String.raw`(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`;
const DATE_DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,?\s+(?<year>\d{4}))?`;
const BETWEEN = String.raw`(?:,|\s|\bat\b)+`;
const QUANTITY = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)`;

const form = (name: string, pattern: string, read: Form['read']): Form => ({
  name,
  pattern: new RegExp(pattern, 'i'),
  read,
});

const FORMS: readonly Form[] = [
  form('epoch suffix', String.raw`\|(?<epoch>\d{10}|\d{13})(?!\d)`, ({ epoch }) => fromEpoch(epoch)),
  form(
    'epoch field',
    String.raw`reset(?:s|_?at|s_at|_time)?["']?\s*[:=]\s*["']?(?<epoch>\d{13}|\d{10})(?!\d)`,
    ({ epoch }) => fromEpoch(epoch),
  ),
  form(
    'HTTP date',
    String.raw`(?:retry[-_ ]after|reset)[^\n]{0,20}?(?<date>(?:sun|mon|tue|wed|thu|fri|sat), \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT)`,
    ({ date = '' }) => Date.parse(date),
  ),
  form(
    'ISO time',
    String.raw`(?:${LEAD}|reset[-_\w]*|retry[-_ ]after)${AT}(?<iso>\d{4}-\d{2}-\d{2})[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?\s?(?<offset>Z\b|[+-]\d{2}:?\d{2})?${ZONE}`,
    isoTime,
  ),
  form(
    'retry-after',
    String.raw`retry[-_ ]after(?<milli>[-_]ms)?["']?\s*[:=]?\s*["']?(?<amount>\d+(?:\.\d+)?)\s*(?<unit>ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?(?![\w:])`,
    ({ amount, unit, milli }, { now }) => now + Number(amount) * unitMs(milli ? 'ms' : (unit ?? 's')),
  ),
  form(
    'duration',
    String.raw`(?:${LEAD}[^\n]{0,30}?\b(?:in|for|after)|\bwait(?:ing)?(?: for)?)\s+(?:about\s+|another\s+|~\s?)?(?<duration>${QUANTITY}(?:(?:,|\s|\band\b)*${QUANTITY})*)(?![\w])`,
    ({ duration = '' }, { now }) => now + durationMs(duration),
  ),
  form(
    'date',
    `${LEAD}${AT}(?:${MONTH}\\s+${DATE_DAY}|${DATE_DAY.replace('day', 'first')}\\s+${MONTH.replace('month', 'second')})${YEAR}${BETWEEN}${TIME}${ZONE}`,
    onDate,
  ),
  form('weekday', `${LEAD}${AT}(?<weekday>sun|mon|tue|wed|thu|fri|sat)[a-z]*\\.?${BETWEEN}${TIME}${ZONE}`, onWeekday),
  form('clock', `${LEAD}${AT}${TIME}${ZONE}(?![\\d-])`, atClock),
];

/**
 * The end of the limit in an error text, epoch milliseconds; undefined when none is readable. It may have passed a
 * moment ago.
 */
export function resetTimeIn(text: string, now = Date.now(), zone = localZone()): number | undefined {
  const end = text.slice(-LOOKED_AT).replaceAll(/[\u202f\u00a0]/g, ' ');
  for (const { pattern, read } of FORMS) {
    const match = pattern.exec(end);
    const at = match?.groups ? read(match.groups, { now, zone }) : undefined;
    if (at !== undefined && at > now - JUST_PASSED && at <= now + FURTHEST) return Math.round(at);
  }
  return undefined;
}

function fromEpoch(digits = ''): number {
  return digits.length > 10 ? Number(digits) : Number(digits) * 1000;
}

function unitMs(unit: string): number {
  return UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? Number.NaN;
}

function durationMs(text: string): number {
  const parts = text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi);
  return [...parts].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * unitMs(unit), 0);
}

/** The zone in a text: the clock's when it names none, undefined when it names an unknown one. */
function zoneOf({ zone, abbreviation }: Record<string, string | undefined>, clock: Clock): string | undefined {
  const named = zone?.trim() ?? abbreviation;
  if (named === undefined) return clock.zone;
  const short = ABBREVIATIONS[named.toLowerCase()];
  if (short !== undefined) return short;
  if (isZone(named)) return named;
  // A capitalised word after the time need not be a zone; in parentheses it is.
  return zone === undefined ? clock.zone : undefined;
}

function timeOf({
  hour,
  minute,
  half,
}: Record<string, string | undefined>): { hour: number; minute: number } | undefined {
  const given = Number(hour);
  const minutes = Number(minute ?? 0);
  // A bare number without minutes or am/pm is not a time of day.
  if (minute === undefined && half === undefined) return undefined;
  if (minutes > 59 || (half ? given < 1 || given > 12 : given > 23)) return undefined;
  const afternoon = half?.toLowerCase().startsWith('p') ? 12 : 0;
  return { hour: half ? (given % 12) + afternoon : given, minute: minutes };
}

/** The first of the wanted days, in order, whose time is in the future or has just passed. */
function firstOf(
  days: readonly Pick<WallTime, 'year' | 'month' | 'day'>[],
  groups: Record<string, string | undefined>,
  clock: Clock,
): number | undefined {
  const zone = zoneOf(groups, clock);
  const time = timeOf(groups);
  if (zone === undefined || !time) return undefined;
  const instants = days.flatMap((day) => instantsOf({ ...day, ...time }, zone));
  const stated = (at: number): boolean => {
    const { hour, minute } = wallTime(at, zone);
    return hour === time.hour && minute === time.minute;
  };
  // A time that the clock skipped today was never shown, so it cannot have just passed.
  return instants.sort((a, b) => a - b).find((at) => at > clock.now - (stated(at) ? JUST_PASSED : 0));
}

/** The calendar days of the zone, from yesterday on. */
function daysFrom(clock: Clock, zone: string, count: number): { year: number; month: number; day: number }[] {
  const today = wallTime(clock.now, zone);
  return Array.from({ length: count }, (_, i) => {
    const date = new Date(Date.UTC(today.year, today.month - 1, today.day - 1 + i));
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  });
}

function atClock(groups: Record<string, string | undefined>, clock: Clock): number | undefined {
  const zone = zoneOf(groups, clock);
  return zone === undefined ? undefined : firstOf(daysFrom(clock, zone, 4), groups, clock);
}

function onWeekday(groups: Record<string, string | undefined>, clock: Clock): number | undefined {
  const zone = zoneOf(groups, clock);
  if (zone === undefined) return undefined;
  const wanted = WEEKDAYS.indexOf((groups.weekday ?? '').toLowerCase());
  const days = daysFrom(clock, zone, 10).filter(
    ({ year, month, day }) => new Date(Date.UTC(year, month - 1, day)).getUTCDay() === wanted,
  );
  return firstOf(days, groups, clock);
}

function onDate(groups: Record<string, string | undefined>, clock: Clock): number | undefined {
  const month = MONTHS.indexOf((groups.month ?? groups.second ?? '').toLowerCase().slice(0, 3)) + 1;
  const day = Number(groups.day ?? groups.first);
  const years = groups.year ? [Number(groups.year)] : [-1, 0, 1].map((n) => new Date(clock.now).getUTCFullYear() + n);
  const days = years.map((year) => ({ year, month, day })).filter(isDay);
  return firstOf(days, groups, clock);
}

function isDay({ year, month, day }: { year: number; month: number; day: number }): boolean {
  return day >= 1 && new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1;
}

function isoTime(groups: Record<string, string | undefined>, clock: Clock): number | undefined {
  const { iso = '', hour, minute, second = '00', offset } = groups;
  if (offset) return Date.parse(`${iso}T${hour}:${minute}:${second}${offset}`);
  const [year = 0, month = 0, day = 0] = iso.split('-').map(Number);
  return isDay({ year, month, day }) ? firstOf([{ year, month, day }], groups, clock) : undefined;
}
