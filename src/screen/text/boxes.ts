/** Framed parts of a screen. Invariant: a box has exactly the requested size, but for lines that may run over. */
import { coloured, dim, fill, type Line, line, lineWidth } from './line.js';
import { cut, width } from './text.js';

export interface Part {
  title: string;
  right?: string;
  /** `right` warns. */
  warns?: true;
  lines: readonly Line[];
  /** A longer line stays whole, without a right border: on a page that is printed, not on a screen. */
  over?: boolean;
  /** Takes the remaining lines; without such a part the last one does. */
  grows?: true;
  /** Minimum number of lines when space is short; the box cuts the rest from the end. */
  least?: number;
}

/** A border line: corner, title, right text, corner. */
function border(
  [start, end]: readonly [string, string],
  title: string,
  right: string,
  columns: number,
  warns = false,
): Line {
  const room = columns - 4;
  const left = title === '' ? '' : ` ${cut(title, room - 2)} `;
  const tail = right === '' || width(left) + width(right) + 4 > room ? '' : ` ${right} ─`;
  const rest = columns - width(start) - width(end) - width(left) - width(tail);
  if (warns && tail !== '')
    return line(
      ...[dim(start), { text: left, bold: true as const }, dim('─'.repeat(Math.max(0, rest)))],
      ...[coloured(` ${right}`, 'yellow'), dim(` ─${end}`)],
    );
  return line(dim(start), { text: left, bold: true }, dim(`${'─'.repeat(Math.max(0, rest))}${tail}${end}`));
}

/** Parts below each other in one frame. */
export function box(parts: readonly Part[], columns: number, height?: number): Line[] {
  const sizes = parts.map(({ lines }) => lines.length);
  if (height !== undefined) {
    let spare = height - 1 - parts.length - sizes.reduce((sum, one) => sum + one, 0);
    const grows = parts.findIndex((part) => part.grows);
    const at = grows >= 0 ? grows : parts.length - 1;
    if (spare > 0) sizes[at] = (sizes[at] ?? 0) + spare;
    for (let index = parts.length - 1; spare < 0 && index >= 0; index -= 1) {
      const have = sizes[index] ?? 0;
      const taken = Math.min(-spare, Math.max(0, have - (parts[index]?.least ?? 1)));
      sizes[index] = have - taken;
      spare += taken;
    }
  }
  const out: Line[] = [];
  for (const [index, { title, right = '', lines, warns, over }] of parts.entries()) {
    out.push(border(index === 0 ? ['┌', '┐'] : ['├─', '┤'], title, right, columns, warns));
    for (let row = 0; row < (sizes[index] ?? 0); row += 1) {
      const one = lines[row] ?? [];
      if (over && lineWidth(one) > columns - 2) out.push(line(dim('│'), ...one));
      else out.push(line(dim('│'), ...fill(one, columns - 2), dim('│')));
    }
  }
  out.push(line(dim(`└${'─'.repeat(Math.max(0, columns - 2))}┘`)));
  return height === undefined ? out : out.slice(0, height);
}

/** Two blocks side by side. */
export function beside(left: readonly Line[], right: readonly Line[], leftColumns: number): Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    line(...fill(left[row] ?? [], leftColumns), ...(right[row] ?? [])),
  );
}

/** Indents each line by one cell. */
export const indented = (lines: readonly string[]): Line[] => lines.map((one) => line(` ${one}`));
