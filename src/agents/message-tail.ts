/**
 * Bounds a message from its beginning.
 * Invariant: text that stood in a code fence still does after the cut, so that cutting never brings a signal to life.
 */
import { BlockState } from './markdown-lines.js';
import { TextTail } from './text-tail.js';

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

/** The end of a message: at most `limit` characters and the fence that the cut went through. */
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
