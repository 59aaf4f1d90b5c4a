/**
 * Keys of a person who goes on typing after the editor has closed by itself: they are nobody's commands.
 * Invariant: only typing without a pause counts, so that after a pause every key means what the last line says.
 */
import type { Typed } from './typing.js';

const PAUSE_MS = 1000;
const EDITS: ReadonlySet<string> = new Set(['enter', 'newline', 'alt-enter', 'backspace', 'delete', 'paste']);

export class TypedOn {
  #last = Number.NEGATIVE_INFINITY;
  #on = false;

  /** The editor has closed by itself. */
  closed(now: number): void {
    this.#on = now - this.#last < PAUSE_MS;
  }

  /** Every key comes here. True: it belongs to the text whose editor has closed. */
  takes(key: Typed, now: number): boolean {
    this.#on &&= now - this.#last < PAUSE_MS && (key.text !== undefined || EDITS.has(key.name));
    this.#last = now;
    return this.#on;
  }
}
