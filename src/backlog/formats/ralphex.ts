/**
 * Plans of ralphex: `docs/plans/*.md`. Each section `### Task N: title` is an idea, and its boxes are its success
 * criteria. The idea is done when every box is ticked. Tasks run in order. ralphctl does not move the plan to
 * `completed/`.
 */
import { boxesOf, markEdit, taskList } from './boxes.js';
import { ideaOf, inStages, listed, scoped } from './common.js';
import { type Entry, formatOf, type Read } from './format.js';
import { isTicked, type MdLine, textBelow } from './md-lines.js';
import type { Source } from './source.js';

const TASK = /^(?:task|iteration)\s+([^:]+?)\s*:\s*(.*)$/i;
const headerOf = ({ heading }: MdLine): RegExpExecArray | null =>
  heading?.depth === 3 ? TASK.exec(heading.text) : null;

export const ralphex = formatOf({
  name: 'ralphex',
  about: 'a plan of ralphex (docs/plans/*.md)',
  place: ({ path, markdown }) => markdown && /(?:^|\/)docs\/plans\/[^/]+$/.test(path),
  shape: (source) => source.markdown && source.lines().some((line) => headerOf(line) !== null),
  read,
});

function read(source: Source): Read {
  const lines = source.lines();
  const { file, name } = source;
  const plan = lines.find(({ heading }) => heading?.depth === 1)?.heading?.text.replace(/^plan:\s*/i, '');
  const context = [sectionOf(lines, /^overview$/i), sectionOf(lines, /^context\b/i)];
  const checks = sectionOf(lines, /^validation commands?$/i);
  const commands = (checks ?? '').split('\n').flatMap((line) => /^\s*[-*+]\s+(.*)$/.exec(line)?.[1] ?? []);
  const inTasks = new Set<number>();
  const entries = lines.flatMap((line, at): Entry[] => {
    const header = headerOf(line);
    const number = header?.[1];
    if (!header || number === undefined) return [];
    const section = textBelow(lines, at + 1, ({ heading }) => heading !== undefined && heading.depth <= 3);
    for (const one of section) inTasks.add(one.line);
    const boxes = boxesOf(section).filter(({ checkbox }) => /[ xX]/.test(checkbox.mark));
    const prose = section
      .filter(({ checkbox }) => !checkbox)
      .map(({ text }) => text)
      .join('\n')
      .trim();
    const idea = ideaOf({
      ...{ file, line: line.line, title: header[2]?.trim() || `Task ${number}` },
      id: scoped(name.replace(/\.[^.]+$/, ''), `task-${number.trim().replace(/\s+/g, '-')}`),
      done: boxes.length > 0 && boxes.every(({ checkbox }) => isTicked(checkbox)),
      ...(plan === undefined ? {} : { phase: plan }),
      success: boxes.map(({ checkbox }) => checkbox.text),
      body: [
        prose,
        ...context.map((text) => text && `About the plan:\n\n${text}`),
        listed('Validation commands', commands),
      ],
    });
    return [
      {
        idea,
        edits: (done) =>
          boxes.filter(({ checkbox }) => isTicked(checkbox) !== done).map(({ checkbox }) => markEdit(checkbox, done)),
      },
    ];
  });
  inStages(entries.map(({ idea }) => [idea]));
  return taskList(entries, source, {
    isTask: (one) => inTasks.has(one.line),
    twice: 'give one of them another number',
    none: 'this plan contains no task',
    example: '### Task 1: what to do',
  });
}

function sectionOf(lines: readonly MdLine[], title: RegExp): string | undefined {
  const at = lines.findIndex(({ heading }) => heading?.depth === 2 && title.test(heading.text));
  if (at < 0) return undefined;
  const text = textBelow(lines, at + 1, ({ heading }) => heading !== undefined && heading.depth <= 3);
  return (
    text
      .map((line) => line.text)
      .join('\n')
      .trim() || undefined
  );
}
