/**
 * Helpers that the Markdown formats share: headings as phases, the lines below a checkbox, and the edit of its mark.
 */
import type { Problem } from '../../config/problems.js';
import type { Idea } from '../../protocol/idea.js';
import type { Edit, Entry, LeftOut, Read } from './format.js';
import { type Checkbox, type MdLine, nearly, textBelow } from './md-lines.js';
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

/** Reports lines that would be tasks if their box were one: a run must not go without them. */
function nearBoxes(source: Source, isTask: IsTask): Problem[] {
  return source.lines().flatMap((line) => {
    const meant = nearly(line);
    if (!meant || !isTask(meant)) return [];
    const message = `this is not a checkbox: ${line.text.trim()}`;
    return [{ file: source.file, line: line.line, message, fix: `write: ${meant.text.trim()}` }];
  });
}

type IsTask = (line: MdLine) => boolean;

interface ListRules {
  /** Whether a line with a checkbox is a task, or counts for one. */
  isTask: IsTask;
  twice: string;
  none: string;
  example: string;
}

/** Reports an empty list, and boxes that are none. */
export function taskList(entries: readonly Entry[], source: Source, { isTask, twice, none, example }: ListRules): Read {
  const near = nearBoxes(source, isTask);
  if (entries.length > 0 || near.length > 0) return { entries, problems: near, twice };
  return { entries, problems: [{ file: source.file, line: 1, message: none, fix: `write one: ${example}` }] };
}

/** Open boxes beside the tasks of a tool that counts them: no run takes one without a number. */
export function unnumbered(lines: readonly MdLine[], numberOf: (line: MdLine) => string | undefined): LeftOut[] {
  const last = lines.reduce<string | undefined>((before, line) => numberOf(line) ?? before, undefined);
  const next = last?.replace(/\d+(?=\D*$)/, (count) => String(Number(count) + 1).padStart(count.length, '0'));
  if (next === undefined) return [];
  return lines.flatMap((line): LeftOut[] => {
    const { checkbox, indent } = line;
    if (checkbox?.mark !== ' ' || indent >= 2 || numberOf(line) !== undefined) return [];
    const why = `it has no number; to run it, write one, such as ${next}`;
    return [{ id: `line-${line.line}`, title: checkbox.text, line: line.line, why }];
  });
}
