/**
 * Helpers that the Markdown formats share: headings as phases, the lines below a checkbox, and the edit of its mark.
 */
import type { Problem } from '../../config/problems.js';
import type { Idea } from '../../protocol/idea.js';
import type { Edit, Entry, Read } from './format.js';
import { type Checkbox, type MdLine, textBelow } from './md-lines.js';
import type { Source } from './source.js';

export interface Box extends MdLine {
  checkbox: Checkbox;
  /** Texts of the enclosing headings, the outermost first. */
  headings: readonly string[];
  /** Index in the lines of the file. */
  at: number;
}

export function boxesOf(lines: readonly MdLine[]): Box[] {
  const boxes: Box[] = [];
  let headings: { depth: number; text: string }[] = [];
  for (const [at, line] of lines.entries()) {
    const { heading, checkbox } = line;
    if (heading) headings = [...headings.filter(({ depth }) => depth < heading.depth), heading];
    if (checkbox) boxes.push({ ...line, checkbox, at, headings: headings.map(({ text }) => text) });
  }
  return boxes;
}

/** The lines that belong to a checkbox: more deeply indented ones, up to the next task or heading. */
export function below(lines: readonly MdLine[], box: Box, isTask: (line: MdLine) => boolean): string[] {
  const taken = textBelow(
    lines,
    box.at + 1,
    (line) => line.heading !== undefined || isTask(line) || (line.text.trim() !== '' && line.indent <= box.indent),
  );
  const indent = Math.min(...taken.filter(({ text }) => text.trim() !== '').map((line) => line.indent), 1000);
  return taken.map(({ text }) => (text.trim() === '' ? '' : text.replaceAll('\t', '    ').slice(indent)));
}

export const markEdit = ({ at, mark }: Checkbox, done: boolean): Edit => ({
  ...{ offset: at, length: mark.length },
  text: done ? 'x' : ' ',
});

export const boxEntry = (idea: Idea, checkbox: Checkbox): Entry => ({
  idea,
  edits: (done) => [markEdit(checkbox, done)],
});

/** Reports ids that two lines would share. */
export function repeated(entries: readonly { idea: Idea }[], { file }: Source, fix: string): Problem[] {
  const first = new Map<string, number>();
  return entries.flatMap(({ idea: { id, source } }) => {
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, source.line);
      return [];
    }
    return [
      { file, line: source.line, message: `this task and the one on line ${earlier} have the same id, "${id}"`, fix },
    ];
  });
}

/** Reports an empty list, and ids that two tasks share. */
export function taskList(
  entries: readonly Entry[],
  source: Source,
  { twice, none, example }: { twice: string; none: string; example: string },
): Read {
  if (entries.length > 0) return { entries, problems: repeated(entries, source, twice) };
  return { entries, problems: [{ file: source.file, line: 1, message: none, fix: `write one: ${example}` }] };
}
