/**
 * How long something took, in the one notation of all messages: `0.4s`, `42s`, `2m05s`, `1h42m`, `2d4h`. The full screen
 * and the report show whole seconds or whole minutes of the same (src/screen/text/time.ts). Both round down, so that they
 * agree.
 * Must not import anything.
 */
const DAY_MINUTES = 24 * 60;

export function took(ms: number): string {
  const spent = Math.max(0, ms);
  if (spent < 10_000) return `${(Math.floor(spent / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(spent / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${rest(seconds % 60, 's')}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < DAY_MINUTES) return `${Math.floor(minutes / 60)}h${rest(minutes % 60, 'm')}`;
  const hours = Math.floor((minutes % DAY_MINUTES) / 60);
  return `${Math.floor(minutes / DAY_MINUTES)}d${hours === 0 ? '' : `${hours}h`}`;
}

const rest = (n: number, unit: string): string => (n === 0 ? '' : `${`${n}`.padStart(2, '0')}${unit}`);
