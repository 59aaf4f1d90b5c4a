/**
 * Walks a message line by line and marks lines that are code or quotation.
 * Invariant: one pass, linear in the text, no regular expression over unbounded input. When in doubt a line counts as
 * quoted: a missed signal costs an iteration, but a wrong one could land work.
 */
export interface LinePlace {
  start: number;
  /** Index after the last character, line ending excluded. */
  end: number;
  /** In a code fence (the fence lines included), indented as code, or part of a block quotation. */
  quoted: boolean;
}

const TAB = 9;
const SPACE = 32;

interface Fence {
  char: number;
  length: number;
  indent: number;
}

interface Opening {
  /** Columns of white space before the first other character. */
  indent: number;
  blank: boolean;
  /** The line begins with `>`, possibly behind a list marker. */
  quote: boolean;
  /** Run of three or more backticks or tildes that the line begins with, possibly behind markers. */
  fence?: { char: number; length: number; after: number };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isBlank = (code: number): boolean => code === SPACE || code === TAB || code === 13 || code === 11 || code === 12;

function readOpening(text: string, start: number, end: number): Opening {
  let at = start;
  let indent = 0;
  for (; at < end && isBlank(text.charCodeAt(at)); at++) indent += text.charCodeAt(at) === TAB ? 4 - (indent % 4) : 1;
  const opening: Opening = { indent, blank: at === end, quote: false };
  // Skip markers of quotations and lists, so that a fence behind them is seen.
  for (;;) {
    while (at < end && isBlank(text.charCodeAt(at))) at++;
    const char = text[at];
    if (at >= end) return opening;
    if (char === '>') {
      opening.quote = true;
      at++;
    } else if ((char === '-' || char === '*' || char === '+') && isBlank(text.charCodeAt(at + 1)) && at + 1 < end) {
      at++;
    } else if (isDigit(text.charCodeAt(at))) {
      let digit = at;
      while (digit < end && digit - at < 9 && isDigit(text.charCodeAt(digit))) digit++;
      if ((text[digit] !== '.' && text[digit] !== ')') || !isBlank(text.charCodeAt(digit + 1))) return opening;
      at = digit + 1;
    } else break;
  }
  const char = text.charCodeAt(at);
  if (char === 96 || char === 126) {
    let after = at;
    while (after < end && text.charCodeAt(after) === char) after++;
    if (after - at >= 3) opening.fence = { char, length: after - at, after };
  }
  return opening;
}

/** The state of a walk through the lines. Pass lines one at a time, in order. */
export class BlockState {
  #fence: Fence | undefined;
  #inQuotation = false;

  /** The fence that is open after the lines so far, as a line that reopens it; undefined outside a fence. */
  get openFence(): string | undefined {
    return this.#fence && String.fromCharCode(this.#fence.char).repeat(this.#fence.length);
  }

  take(text: string, start: number, end: number): { blank: boolean; quoted: boolean } {
    const opening = readOpening(text, start, end);
    const { blank, fence: run } = opening;
    if (this.#fence) {
      if (closes(this.#fence, opening, text, end)) this.#fence = undefined;
      return { blank, quoted: true };
    }
    if (blank) {
      this.#inQuotation = false;
      return { blank, quoted: false };
    }
    const opens = run !== undefined && (run.char === 126 || !text.slice(run.after, end).includes('`'));
    if (opens) this.#fence = { char: run.char, length: run.length, indent: opening.indent };
    // A paragraph directly after a quoted line still belongs to the quotation.
    this.#inQuotation ||= opening.quote;
    return { blank, quoted: opens || this.#inQuotation || opening.indent >= 4 };
  }
}

/** Calls back for each non-blank line, in order. */
export function eachLine(text: string, visit: (line: LinePlace) => void): void {
  const state = new BlockState();
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const { blank, quoted } = state.take(text, start, end);
    if (!blank) visit({ start, end, quoted });
    start = end + 1;
  }
}

function closes(fence: Fence, line: Opening, text: string, end: number): boolean {
  const run = line.fence;
  if (!run || run.char !== fence.char || run.length < fence.length) return false;
  if (line.indent > Math.max(3, fence.indent + 3)) return false;
  for (let at = run.after; at < end; at++) if (!isBlank(text.charCodeAt(at))) return false;
  return true;
}
