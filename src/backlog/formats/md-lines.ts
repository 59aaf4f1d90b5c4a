/**
 * The lines of a Markdown file that can be headings or checkboxes: lines outside fenced code, comments and front
 * matter.
 * Works by line, because the tools of foreign formats also read them by line. Must not import anything.
 */
export interface MdLine {
  /** 1-based. */
  line: number;
  /** Offset of the first character of the line. */
  offset: number;
  text: string;
  /** Columns of whitespace before the text. */
  indent: number;
  heading?: { depth: number; text: string };
  checkbox?: Checkbox;
}

export interface Checkbox {
  /** The character between the brackets. */
  mark: string;
  /** Offset of that character in the whole text. */
  at: number;
  /** Kiro writes `[ ]*` for optional tasks. */
  star: boolean;
  text: string;
}

const LINE = /([^\r\n]*)(\r\n?|\n|$)/g;
const CHECKBOX = /^(\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([^\]\r\n])\](\*?)[ \t]+(\S.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^\s*(`{3,}|~{3,})/;

export function markdownLines(text: string): MdLine[] {
  const lines: MdLine[] = [];
  let fence: string | undefined;
  let comment = false;
  let number = 0;
  for (const match of text.matchAll(LINE)) {
    number++;
    if (match[0] === '' && match.index === text.length) break;
    const content = match[1] ?? '';
    const marker = FENCE.exec(content)?.[1];
    if (fence !== undefined) {
      if (marker !== undefined && closes(marker, fence, content)) fence = undefined;
      continue;
    }
    if (comment) {
      comment = !content.includes('-->');
      continue;
    }
    if (marker !== undefined) {
      fence = marker;
      continue;
    }
    const opened = content.lastIndexOf('<!--');
    comment = opened >= 0 && !content.includes('-->', opened);
    lines.push(lineOf(content, match.index, number));
  }
  return lines;
}

const closes = (marker: string, fence: string, content: string): boolean =>
  marker[0] === fence[0] && marker.length >= fence.length && content.trim() === marker;

function lineOf(text: string, offset: number, line: number): MdLine {
  const blanks = /^[ \t]*/.exec(text)?.[0] ?? '';
  const indent = blanks.replaceAll('\t', '    ').length;
  const heading = HEADING.exec(text);
  const box = CHECKBOX.exec(text);
  return {
    ...{ line, offset, text, indent },
    ...(heading ? { heading: { depth: heading[1]?.length ?? 1, text: (heading[2] ?? '').trim() } } : {}),
    ...(box
      ? {
          checkbox: {
            mark: box[2] ?? ' ',
            at: offset + (box[1]?.length ?? 0),
            star: box[3] === '*',
            text: (box[4] ?? '').trim(),
          },
        }
      : {}),
  };
}

/** A box that lacks a blank before, in or after its brackets, or has too many in them. */
const NEARLY = /^(\s*(?:[-*+]|\d{1,9}[.)]))([ \t]*)\[([ \t]*|[xX])\]([ \t]*)(\S.*)$/;

/** The line as it was meant, where it is nearly a checkbox; its text is what should stand there. */
export function nearly({ text, offset, line, checkbox, heading }: MdLine): MdLine | undefined {
  const found = checkbox || heading ? null : NEARLY.exec(text);
  if (!found) return undefined;
  const [, bullet = '', before = '', inside = '', after = '', rest = ''] = found;
  const mark = inside.trim() === '' ? ' ' : inside;
  // `[]byte` and `[x](page.md)` are text.
  if (after === '' && (before === '' || inside !== mark || /^[([:]/.test(rest))) return undefined;
  return lineOf(`${bullet} [${mark}] ${rest}`, offset, line);
}

export const isTicked = ({ mark }: Checkbox): boolean => /[xX]/.test(mark);

/** The lines from `from` up to the first one that ends the block, without trailing blank lines. */
export function textBelow(lines: readonly MdLine[], from: number, ends: (line: MdLine) => boolean): MdLine[] {
  const below: MdLine[] = [];
  for (let at = from; at < lines.length; at++) {
    const line = lines[at];
    if (!line || ends(line)) break;
    below.push(line);
  }
  while (below.at(-1)?.text.trim() === '') below.pop();
  return below;
}
