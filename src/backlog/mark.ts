/** Marks landed ideas as done in the text of their backlog, or reverses that, in any format. */

import type { FormatName } from '../protocol/backlog-formats.js';
import { detect } from './detect.js';
import type { Beside } from './formats/source.js';
import { Source } from './formats/source.js';

export interface Marking {
  /** False removes the mark. */
  done?: boolean;
  /** The format that the run recorded; absent: detect it. */
  format?: FormatName | undefined;
  beside?: Beside;
  /** ISO time, for formats that store one. */
  now?: string;
}

/**
 * The new text; undefined without a change: no such idea, an idea with that mark already, or a file of no known format.
 */
export function tickBacklog(file: string, text: string, id: string, marking: Marking = {}): string | undefined {
  const { done = true, format, beside, now = new Date().toISOString() } = marking;
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const source = new Source(file, text.slice(bom.length), beside);
  const found = detect(source, format);
  const marked = 'problem' in found ? undefined : found.format.mark(source, id, done, now);
  return marked === undefined ? undefined : bom + marked;
}

/** Like {@link tickBacklog}, for an idea and the epics that its landing completes. Skips ideas that it cannot tick. */
export function tickAll(file: string, text: string, ids: readonly string[], marking: Marking = {}): string | undefined {
  const ticked = ids.reduce((before, id) => tickBacklog(file, before, id, marking) ?? before, text);
  return ticked === text ? undefined : ticked;
}
