/**
 * The relevant part of a file whose other parts change with everyday work: compares it, and copies that of an older
 * version into a newer one. Pure.
 */
import { PARTLY, type Part } from './patterns.js';

export const partOf = (path: string): Part | undefined => PARTLY[path.slice(path.lastIndexOf('/') + 1)];

/** The relevant part of a text; the whole text when it cannot be parsed. */
export function cut(text: string, part: Part): string {
  if (!('json' in part)) return sections(text, part.sections).wanted;
  const whole = json(text);
  return whole ? JSON.stringify(part.json.map((key) => whole[key])) : text;
}

/** Whether the relevant part differs between `before` and `after`. */
export function differs(before: string, after: string, part: Part): boolean {
  if (cut(before, part) !== cut(after, part)) return true;
  if (!('json' in part)) return false;
  const [old, now] = [json(before), json(after)];
  return old !== undefined && now !== undefined && part.grows.some((key) => !grew(old[key], now[key]));
}

/** No existing entry changed: entries are new, and none precedes an existing one. */
function grew(before: unknown, now: unknown): boolean {
  if (before === undefined || JSON.stringify(before) === JSON.stringify(now)) return true;
  if (Array.isArray(before)) return Array.isArray(now) && before.every((one) => now.includes(one));
  if (!isMap(before) || !isMap(now)) return false;
  const patterns = Object.keys(before).filter((key) => key.includes('*'));
  return (
    Object.entries(before).every(([key, value]) => JSON.stringify(value) === JSON.stringify(now[key])) &&
    Object.keys(now).every((key) => key in before || (/^[.#]/.test(key) && !patterns.some((one) => covers(one, key))))
  );
}

const covers = (pattern: string, key: string): boolean => key.startsWith(pattern.slice(0, pattern.indexOf('*')));

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `now` with the relevant part of `before`; undefined when that is impossible. */
export function graft(now: string, before: string, part: Part): string | undefined {
  if (!('json' in part)) {
    return `${sections(now, part.sections).rest}\n${sections(before, part.sections).wanted}\n`;
  }
  const [whole, old] = [json(now), json(before)];
  if (!whole || !old) return undefined;
  const kept = Object.entries(whole).filter(([key]) => !part.json.includes(key));
  const taken = Object.entries(old).filter(([key]) => part.json.includes(key));
  const back = part.grows.filter((key) => !grew(old[key], whole[key]));
  const mixed = back.map((key): [string, unknown] => {
    const [then, value] = [old[key], whole[key]];
    return [key, isMap(then) && isMap(value) ? { ...value, ...then } : then];
  });
  return `${JSON.stringify(Object.fromEntries([...kept, ...taken, ...mixed]), null, 2)}\n`;
}

function json(text: string): Record<string, unknown> | undefined {
  try {
    const whole: unknown = JSON.parse(text);
    return typeof whole === 'object' && whole !== null ? (whole as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function sections(text: string, heads: RegExp): { wanted: string; rest: string } {
  let inside = false;
  const wanted: string[] = [];
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const head = /^\[+([^\]]+)\]/.exec(line)?.[1];
    if (head !== undefined) inside = heads.test(head.trim());
    (inside ? wanted : rest).push(line);
  }
  return { wanted: wanted.join('\n').trimEnd(), rest: rest.join('\n').trimEnd() };
}
