/**
 * Extracts a task's text from the source: joins ranges, removes cuts, dedents, and turns line ends into `
 * `.
 * Invariant: every other character stays unchanged, code fences included. Must not import anything.
 */
export type Range = readonly [from: number, to: number];

/** The whole lines of a range. Starts later when other text precedes the range on its line. */
export function wholeLines(source: string, [from, to]: Range): Range {
  let start = from;
  while (start > 0 && /[ \t]/.test(source.charAt(start - 1))) start--;
  if (start > 0 && !/[\r\n]/.test(source.charAt(start - 1))) start = from;
  const rest = /[ \t]*(?:\r\n?|\n)?/y;
  rest.lastIndex = to;
  return [start, to + (rest.exec(source)?.[0].length ?? 0)];
}

/** Sorts the cuts and joins adjacent ones. A cut after an empty line also takes the empty lines that follow it. */
function joined(source: string, cuts: readonly Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...cuts].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged.map(([from, to]) => {
    const before = source.slice(Math.max(0, from - 200), from);
    if (!/(?:\r\n|\r(?!\n)|\n)[ \t]*(?:\r\n?|\n)$/.test(before)) return [from, to];
    const blank = /(?:[ \t]*(?:\r\n?|\n))*/y;
    blank.lastIndex = to;
    return [from, to + (blank.exec(source)?.[0].length ?? 0)];
  });
}

const indentOf = (line: string): number => {
  let column = 0;
  for (const c of line) {
    if (c === ' ') column++;
    else if (c === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
};

function unindent(line: string, columns: number): string {
  const body = line.replace(/^[ \t]+/, '');
  return ' '.repeat(Math.max(0, indentOf(line) - columns)) + body;
}

function without(source: string, [from, to]: Range, cuts: readonly Range[]): string {
  let text = '';
  let at = from;
  for (const [start, end] of cuts) {
    if (end <= at || start >= to) continue;
    text += source.slice(at, Math.max(at, start));
    at = Math.min(end, to);
  }
  return text + source.slice(at, to);
}

/** The first range may begin in the middle of a line; the others hold whole lines. */
export function taskText(source: string, ranges: readonly Range[], cuts: readonly Range[]): string {
  const sorted = joined(source, cuts);
  const parts = ranges.map((range, i) => {
    const lines = without(source, range, sorted).split(/\r\n?|\n/);
    const head = i === 0 ? lines.splice(0, 1) : [];
    const indents = lines.filter((line) => line.trim() !== '').map(indentOf);
    const columns = indents.reduce((a, b) => Math.min(a, b), 1000);
    return [...head, ...lines.map((line) => unindent(line, columns))].join('\n').trimEnd();
  });
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .replace(/^\s*\n/, '')
    .trim();
}
