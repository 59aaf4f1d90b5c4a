/** Keeps the last lines of a text. Invariant: memory is bounded by about twice the limit, whatever comes in. */
export class TextTail {
  #lines: string[] = [];
  #size = 0;

  /** `onDrop` gets each line that is let go, in order. */
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

/** Takes terminal colours and cursor movements out of a line. */
export function withoutEscapes(line: string): string {
  if (!line.includes('\x1b')) return line;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return line.replace(/\x1b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\x07\x1b]{0,1024}(?:\x07|\x1b\\)?|[@-Z\\-_])/g, '');
}
