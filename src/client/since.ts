/** The values of `--since`. */
import { UserError } from '../protocol/user-error.js';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Epoch ms of a local date, a date with a time, or an age such as `2h`.
 * @throws UserError for anything else, and for the future
 */
export function timeOf(said: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(said) ?? [];
  if (amount !== undefined) return Date.now() - Number(amount) * (UNITS[unit] ?? 0);
  // `Date.parse` takes "1" for a year, and a date alone for UTC.
  const at =
    DATE.test(said) && isDay(said) ? new Date(said.length === 10 ? `${said}T00:00` : said).getTime() : Number.NaN;
  const examples = 'Examples: --since 2h, --since 3d, --since 2026-11-22';
  if (!Number.isFinite(at)) throw new UserError(`"${said}" is no time. ${examples}`);
  if (at > Date.now()) throw new UserError(`"${said}" lies in the future. ${examples}`);
  return at;
}

/** `Date` takes 31 February for 3 March. */
const isDay = (said: string): boolean => {
  const day = new Date(`${said.slice(0, 10)}T00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(said.slice(0, 10));
};
