/** Prints lines of a report to a terminal, a pipe or a file: signs have colours, and without UTF-8 they are letters. */
import pc from 'picocolors';
import { asciiOf, LOOKS } from '../../screen/text/theme.js';
import { linked } from '../views/links.js';
import { onlyAscii, usesColour, wrapped } from '../views/terminal.js';

/** Columns of a terminal, at most 120. Undefined in a pipe, where lines do not wrap. */
export function textWidth(stream: { isTTY?: boolean; columns?: number } = process.stdout): number | undefined {
  if (!stream.isTTY) return undefined;
  return Math.min(120, stream.columns || 80);
}

const SIGN = new Map(Object.values(LOOKS).map(({ sign, colour }) => [sign, colour]));
const LEADING = /^(\s*)(\S)(?= )/u;
const HEAD = /^[A-Z][A-Z ]+(?: \(\d+\))?(?= {2}|$)/;

function painted(line: string, colour: boolean): string {
  if (!colour) return line;
  const paint = pc.createColors(true);
  return line
    .replace(HEAD, (head) => paint.bold(head))
    .replace(LEADING, (all, blank: string, sign: string) => {
      const hue = SIGN.get(sign);
      return hue ? `${blank}${paint[hue](sign)}` : all;
    });
}

/** The text that a command leaves open: a line may grow, and `~` would be a word of the command. */
const copied = (line: string): string => line.replaceAll('"…"', '"..."');

export function printLines(lines: readonly string[]): void {
  const colour = usesColour();
  const ascii = onlyAscii();
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  for (const line of lines) {
    const text = painted(ascii ? asciiOf(copied(line)) : line, colour && !ascii);
    // Most lines fit already; paths and texts of a gate may not.
    const fits = columns ? wrapped(text, columns) : text;
    process.stdout.write(`${linked(fits, process.stdout)}\n`);
  }
}
