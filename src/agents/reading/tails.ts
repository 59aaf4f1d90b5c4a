/**
 * Shortens a message from its beginning.
 * Invariant: text inside a code fence stays inside one after the cut, so that cutting never creates a valid signal.
 */
import { BlockState } from './markdown-lines.js';

/** The last lines of a message that comes line by line. */
export class MessageTail {
  readonly #dropped = new BlockState();
  readonly #tail: TextTail;

  constructor(limit: number) {
    this.#tail = new TextTail(limit, (line) => this.#dropped.take(line, 0, line.length));
  }

  add(line: string): void {
    this.#tail.add(line);
  }

  toString(): string {
    const text = this.#tail.toString();
    const fence = this.#dropped.openFence;
    return fence === undefined ? text : `${fence}\n${text}`;
  }
}

/** The end of a message: at most `limit` characters, plus the fence that the cut opened. */
export function boundedMessage(message: string, limit: number): string {
  if (message.length <= limit) return message;
  const tail = new MessageTail(limit);
  for (let start = 0; start <= message.length; ) {
    const newline = message.indexOf('\n', start);
    const end = newline < 0 ? message.length : newline;
    tail.add(message.slice(start, end));
    start = end + 1;
  }
  return tail.toString();
}

/** Keeps the last lines of a text. Invariant: memory is bounded by about twice the limit, whatever comes in. */
export class TextTail {
  #lines: string[] = [];
  #size = 0;

  /** `onDrop` gets each dropped line, in order. */
  constructor(
    private readonly limit: number,
    private readonly onDrop: (line: string) => void = () => undefined,
  ) {}

  add(line: string): void {
    const kept = line.length > this.limit ? line.slice(-this.limit) : line;
    this.#lines.push(kept);
    this.#size += kept.length + 1;
    if (this.#size > this.limit * 2 || this.#lines.length > 20_000) this.#shrink();
  }

  #shrink(): void {
    let from = this.#lines.length;
    let size = 0;
    for (; from > 0 && this.#lines.length - from < 10_000; from--) {
      const next = (this.#lines[from - 1]?.length ?? 0) + 1;
      if (size + next > this.limit && size > 0) break;
      size += next;
    }
    for (let index = 0; index < from; index++) this.onDrop(this.#lines[index] ?? '');
    this.#lines = this.#lines.slice(from);
    this.#size = size;
  }

  toString(): string {
    if (this.#size > this.limit + 1) this.#shrink();
    return this.#lines.join('\n');
  }
}

/** The end of a text, not longer than `limit` characters, no character cut in two. */
export function endOf(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(-limit).replace(/^[\udc00-\udfff]/, '');
}
