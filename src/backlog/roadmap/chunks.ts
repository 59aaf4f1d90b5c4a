/**
 * A Markdown file in pieces that can be parsed one by one: the parser takes quadratic time on one long document.
 * Invariant: a piece starts where CommonMark starts a new block at the root whatever stands before it, so the pieces
 * together mean what the whole means. If a fence or an HTML block may still be open, the parser decides.
 */
import { createContext, Script } from 'node:vm';
import type { Root } from 'mdast';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

const parser = unified().use(remarkParse).freeze();

/** Characters after which the next possible cut is taken. */
const PIECE = 4096;
/** A heading or a checkbox item in the first column. (`m` flag would also match after U+2028, which ends no line.) */
const CUT = /(?<![^\r\n])(?:#{1,6}[ \t]|[-*+][ \t]+\[|(\d{1,9})[.)][ \t]+\[)/g;
const MAY_STAY_OPEN = /(?<![^\r\n]) {0,3}(?:`{3}|~{3}|<)/;

/** Most time for one piece, ms. A piece has about four thousand characters, which take some ten. */
const MOST_MS = 2000;
/** Most CPU time for all pieces of a file: this much, ms, and some for each piece. Load does not count. */
const FILE_MS = 2000;
const PIECE_MS = 40;
/** A list item behind so many blanks that the parser's time explodes; people stop at twenty. */
const TOO_DEEP = /^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Markdown whose parsing time grows at least with the square of its length. */
export class TooComplexError extends Error {
  override readonly name = 'TooComplexError';
  /** In the whole text, from 1. */
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const guarded = new Script('parse()');

/**
 * Parses, and gives up after a time: only a script that runs in a context of its own can be stopped from outside.
 * @throws TooComplexError
 */
function parseInTime(text: string, line: number): Root {
  const deep = text.split(/\r\n?|\n/).findIndex((one) => TOO_DEEP.test(one));
  if (deep >= 0) throw new TooComplexError('this list is nested too deeply', line + deep + 1);
  try {
    return guarded.runInContext(createContext({ parse: () => parser.parse(text) }), { timeout: MOST_MS }) as Root;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TooComplexError('the Markdown from this line on takes too long to read', line + 1);
  }
}

/** CPU time that the pieces of one file have used. */
class Meter {
  #spent = 0;
  #allowed = FILE_MS;

  /** @throws TooComplexError when many pieces that are slow each would add up. */
  parse(text: string, line: number): Root {
    this.#allowed += Math.max(1, text.length / PIECE) * PIECE_MS;
    const before = process.cpuUsage();
    const root = parseInTime(text, line);
    const { user, system } = process.cpuUsage(before);
    this.#spent += (user + system) / 1000;
    if (this.#spent > this.#allowed)
      throw new TooComplexError('the Markdown up to this line takes too long to read', line + 1);
    return root;
  }
}

export interface Chunk {
  text: string;
  /** Offset of the piece in the whole text. */
  offset: number;
  /** Lines before the piece. */
  line: number;
  /** Parsed on first use. Positions are relative to the piece. */
  root(): Root;
}

function chunk(text: string, offset: number, line: number, meter: Meter): Chunk {
  let root: Root | undefined;
  return {
    text,
    offset,
    line,
    root: () => {
      root ??= meter.parse(text, line);
      return root;
    },
  };
}

/** Nothing of the piece reaches over its end. `number` is that of an ordered item that comes next. */
function closed(piece: Chunk, number: string | undefined): boolean {
  const ordered = number !== undefined && Number(number) !== 1;
  if (!ordered && !MAY_STAY_OPEN.test(piece.text)) return true;
  const last = piece.root().children.at(-1)?.type;
  // Only an item numbered 1 interrupts a paragraph; in a list any number starts the next item.
  if (ordered && last !== 'list' && last !== 'heading') return false;
  return last !== 'code' && last !== 'html';
}

/** The pieces of `text`, in order and without gaps, of at least `size` characters where a cut is possible. */
export function* chunks(text: string, size = PIECE): Generator<Chunk> {
  const meter = new Meter();
  let start = 0;
  let line = 0;
  let wanted = size;
  for (const cut of text.matchAll(CUT)) {
    if (cut.index - start < wanted) continue;
    const piece = chunk(text.slice(start, cut.index), start, line, meter);
    if (!closed(piece, cut[1])) {
      // Doubling keeps the repeated parsing of a block that never ends linear.
      wanted = 2 * Math.max(wanted, cut.index - start);
      continue;
    }
    yield piece;
    line += countLines(piece.text);
    start = cut.index;
    wanted = size;
  }
  if (start < text.length) yield chunk(text.slice(start), start, line, meter);
}

/** Line ends in the text. */
const countLines = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0;
