/**
 * The part of a file that counts, where the rest changes with everyday work: to compare it, and to put that of an older
 * version into a newer one. Pure.
 */
import { PARTLY, type Part } from './patterns.js';

export const partOf = (path: string): Part | undefined => PARTLY[path.slice(path.lastIndexOf('/') + 1)];

/** What counts of a text; the whole of one that cannot be read. */
export function cut(text: string, part: Part): string {
  if (!('json' in part)) return sections(text, part.sections).wanted;
  const whole = json(text);
  return whole ? JSON.stringify(part.json.map((key) => whole[key])) : text;
}

/** `now` with what counts taken from `before`; undefined when that cannot be done. */
export function graft(now: string, before: string, part: Part): string | undefined {
  if (!('json' in part)) {
    return `${sections(now, part.sections).rest}\n${sections(before, part.sections).wanted}\n`;
  }
  const [whole, old] = [json(now), json(before)];
  if (!whole || !old) return undefined;
  const kept = Object.entries(whole).filter(([key]) => !part.json.includes(key));
  const taken = Object.entries(old).filter(([key]) => part.json.includes(key));
  return `${JSON.stringify(Object.fromEntries([...kept, ...taken]), null, 2)}\n`;
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
