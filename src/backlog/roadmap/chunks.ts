/**
 * Splits a Markdown file into pieces, because the parser takes quadratic time on one long document.
 * Invariant: a piece starts where CommonMark starts a new root block in any context, so the pieces mean the same as the
 * whole. Where a fence or an HTML block may still be open, the parser decides.
 */
import { createContext, Script } from 'node:vm';
import type { Root } from 'mdast';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

const parser = unified().use(remarkParse).freeze();

/** Minimum length of a piece; the next possible cut ends it. */
const PIECE = 4096;
/** A heading or a checkbox item in the first column. The `m` flag would also match after U+2028, which ends no line. */
const CUT = /(?<![^\r\n])(?:#{1,6}[ \t]|[-*+][ \t]+\[|(\d{1,9})[.)][ \t]+\[)/g;
const MAY_STAY_OPEN = /(?<![^\r\n]) {0,3}(?:`{3}|~{3}|<)/;

/** CPU time limit for one piece, ms. A piece of four thousand characters normally takes about ten. */
const MOST_MS = 2000;
/** Only the clock can interrupt a script. On a busy machine it runs faster than the parser, which then begins again. */
const TRIES = 3;
const LONGEST_MS = 16 * MOST_MS;
/** The machine may get busier from one try to the next. */
const MARGIN = 1.5;
/** CPU time limit for all pieces of a file, ms; each piece adds some. CPU time ignores load. */
const FILE_MS = 2000;
const PIECE_MS = 40;
/** However many pieces a file has. Three megabytes of tasks normally take as long. */
const LONGEST_FILE_MS = 8000;
/** A list item behind so much indentation that the parser's time explodes. People indent by twenty at most. */
const TOO_DEEP = /^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Markdown whose parsing time grows at least with the square of its length. */
export class TooComplexError extends Error {
  override readonly name = 'TooComplexError';
  /** 1-based, in the whole text. */
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** The clock ends a parser that had a core to itself a little before it has used all its time. */
const ENOUGH = 0.8;

const guarded = new Script('parse()');

/**
 * Parses with a time limit. Runs in its own context, because only such a script can be interrupted from outside.
 * @throws TooComplexError
 */
function parseInTime(text: string, line: number): Root {
  const deep = text.split(/\r\n?|\n/).findIndex((one) => TOO_DEEP.test(one));
  if (deep >= 0) throw new TooComplexError('this list is nested too deeply', line + deep + 1);
  let timeout = MOST_MS;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.cpuUsage();
    try {
      const context = createContext({ parse: () => parser.parse(text) });
      return guarded.runInContext(context, { timeout }) as Root;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const used = cpuMs(before);
      if (used >= MOST_MS * ENOUGH) break;
      // As much clock time as the CPU time needs at the speed of this try.
      timeout = Math.min(LONGEST_MS, Math.ceil((MARGIN * MOST_MS * timeout) / Math.max(used, 1)));
    }
  }
  throw new TooComplexError('the Markdown from this line on takes too long to read', line + 1);
}

function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Counts the CPU time for the pieces of one file. */
class Meter {
  #spent = 0;
  #allowed = FILE_MS;

  /** @throws TooComplexError when the pieces together exceed the file's limit */
  parse(text: string, line: number): Root {
    this.#allowed = Math.min(LONGEST_FILE_MS, this.#allowed + Math.max(1, text.length / PIECE) * PIECE_MS);
    const before = process.cpuUsage();
    const root = parseInTime(text, line);
    this.#spent += cpuMs(before);
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

/** Whether no block of the piece continues past its end. `number`: of an ordered item that follows. */
function closed(piece: Chunk, number: string | undefined): boolean {
  const ordered = number !== undefined && Number(number) !== 1;
  if (!ordered && !MAY_STAY_OPEN.test(piece.text)) return true;
  const last = piece.root().children.at(-1)?.type;
  // Only an item numbered 1 interrupts a paragraph; in a list any number starts the next item.
  if (ordered && last !== 'list' && last !== 'heading') return false;
  return last !== 'code' && last !== 'html';
}

/** The pieces of `text`, in order and without gaps, each at least `size` characters long where a cut is possible. */
export function* chunks(text: string, size = PIECE): Generator<Chunk> {
  const meter = new Meter();
  let start = 0;
  let line = 0;
  let wanted = size;
  for (const cut of text.matchAll(CUT)) {
    if (cut.index - start < wanted) continue;
    const piece = chunk(text.slice(start, cut.index), start, line, meter);
    if (!closed(piece, cut[1])) {
      // Doubling the size bounds the repeated parsing of a block that never ends.
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

/** Counts line ends. */
const countLines = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0;
