/**
 * The first line of ralphctl's comment on an issue: an HTML comment that says whose it is and whether it holds the
 * issue. Invariant: a comment of ralphctl has exactly one, as its first line; texts inside a comment are never read.
 * Pure; imports types only.
 */
import type { Holder, Shown } from './tracker.js';

export interface Mark extends Holder {
  state: 'held' | 'done' | 'released';
}

/** Begins every comment that has one. */
export const MARK = '<!-- ralphctl ';

const LINE = /^<!-- ralphctl (\S{1,80}) (\S{1,80}) (\S{1,80}) (\d{1,9}) (held|done|released) -->/;

export function readMark(body: string): Mark | undefined {
  const found = LINE.exec(body);
  if (!found) return undefined;
  const [, owner = '', run = '', idea = '', life = '', state = ''] = found;
  return { owner, run, idea, life: Number(life), state: state as Mark['state'] };
}

/** The whole comment. */
export function commentOf({ owner, run, idea, life }: Holder, { state, text }: Shown): string {
  const held = state === 'done' || state === 'released' ? state : 'held';
  return `<!-- ralphctl ${owner} ${run} ${idea} ${life} ${held} -->\n${text}`;
}
