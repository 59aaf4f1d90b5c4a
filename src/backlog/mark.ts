/** Marks landed ideas as done in the text of their backlog, or reverses that, in any format. */

import type { FormatName } from '../protocol/backlog-formats.js';
import { detect } from './detect.js';
import type { Beside } from './formats/format.js';
import { Source } from './formats/source.js';

export interface Marking {
  /** Undone: false. */
  done?: boolean;
  /** As the run knows it; else detected. */
  format?: FormatName | undefined;
  beside?: Beside;
  /** ISO time, for formats that keep one. */
  now?: string;
}

/** The new text; undefined without a change: no such idea, already marked, or a file that is not ours. */
export function tickBacklog(file: string, text: string, id: string, marking: Marking = {}): string | undefined {
  const { done = true, format, beside, now = new Date().toISOString() } = marking;
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const source = new Source(file, text.slice(bom.length), beside);
  const found = detect(source, format);
  const marked = 'problem' in found ? undefined : found.format.mark(source, id, done, now);
  return marked === undefined ? undefined : bom + marked;
}

/** As {@link tickBacklog}, for an idea and the Blues that its landing completes; ideas that it cannot tick stay as they are. */
export function tickAll(file: string, text: string, ids: readonly string[], marking: Marking = {}): string | undefined {
  const ticked = ids.reduce((before, id) => tickBacklog(file, before, id, marking) ?? before, text);
  return ticked === text ? undefined : ticked;
}
