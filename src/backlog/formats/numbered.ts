/**
 * tasks.md of Kiro and of OpenSpec: numbered checkboxes that run in order. Kiro nests `1.1` below `1.` and marks
 * optional tasks with a star. OpenSpec groups `1.1` below a heading `## 1.`.
 */
import type { Idea } from '../../protocol/idea.js';
import { type Box, below, boxEntry, boxesOf, taskList, unnumbered } from './boxes.js';
import { folderOf, from, ideaOf, inStages, scoped } from './common.js';
import { type Format, formatOf, type Read } from './format.js';
import { isTicked, type MdLine } from './md-lines.js';
import type { Source } from './source.js';

/** `-` marks a task that Kiro has started. */
const MARKS = /[ xX-]/;
const TASK = /^(\d+(?:\.\d+)*)\.?\s+(.*)$/;
const REFERENCE = /^_?(?:\*\*)?(?:requirements|validates)\s*:/i;
const DEPENDS = /_depends(?: on)?\s*:\s*([^_]*)_/i;

const taskOf = ({ checkbox }: MdLine): RegExpExecArray | null =>
  checkbox && MARKS.test(checkbox.mark) ? TASK.exec(checkbox.text) : null;
const some = (source: Source, test: (line: MdLine) => boolean): boolean => source.markdown && source.lines().some(test);
const bullet = (line: string): string => line.replace(/^\s*[-*+]\s+/, '');

export const kiro: Format = formatOf({
  name: 'kiro',
  about: 'tasks.md of Kiro (.kiro/specs/*/tasks.md)',
  place: ({ path }) => /(?:^|\/)\.kiro\/specs\/[^/]+\/tasks\.md$/i.test(path),
  shape: (source) =>
    some(source, (line) => taskOf(line) !== null) &&
    (some(source, ({ text }) => REFERENCE.test(bullet(text).replace(/^_/, '')) && /\d/.test(text)) ||
      some(source, (line) => line.indent < 2 && /^\d+\.\s/.test(line.checkbox?.text ?? ''))),
  read: (source) => read(source, kiro.place(source), '.kiro/specs', 'requirements.md and design.md'),
});

export const openspec: Format = formatOf({
  name: 'openspec',
  about: 'tasks.md of OpenSpec (openspec/changes/*/tasks.md)',
  place: ({ path }) => /(?:^|\/)openspec\/changes\/[^/]+\/tasks\.md$/i.test(path),
  shape: (source) =>
    some(source, (line) => line.indent < 2 && /^\d+\.\d/.test(taskOf(line)?.[1] ?? '')) &&
    some(source, ({ heading }) => heading?.depth === 2 && /^\d+\.\s/.test(heading.text)),
  read: (source) => read(source, openspec.place(source), 'openspec/changes', 'proposal.md, design.md and specs/'),
});

function read(source: Source, known: boolean, root: string, documents: string): Read {
  const { file, path } = source;
  const lines = source.lines();
  const feature = known ? folderOf(path) : undefined;
  const boxes = boxesOf(lines).filter((box) => taskOf(box) !== null);
  const numbers = new Set(boxes.map((box) => taskOf(box)?.[1]));
  const entries = boxes.map((box) => {
    const more = below(lines, box, (line) => taskOf(line) !== null);
    const folder = from(path, root);
    const spec = folder === undefined ? undefined : `The specification is in \`${folder}/\`: ${documents}.`;
    return boxEntry(ideaAt(box, { file, feature, more, spec, numbers }), box.checkbox);
  });
  const ideas = entries.map(({ idea }) => idea);
  const groups = new Set(ideas.map(({ parent }) => parent));
  const byId = new Map(ideas.map((idea) => [idea.id, idea]));
  for (const idea of ideas) {
    if (groups.has(idea.id)) idea.blue = true;
    const above = byId.get(idea.parent ?? '');
    if (above) idea.text = `${idea.text}\n\nIt is part of: ${above.text}`;
  }
  // No idea waits for an optional task, and a group ends with its tasks.
  const chain: Idea[][] = [];
  for (const idea of ideas.filter(({ blue }) => !blue)) {
    const before = chain.at(-1);
    const open = chain.findLast(([one]) => one?.done === false);
    if (idea.tags.includes('optional')) inStages([open ?? [], before ?? [], [idea]]);
    else chain.push([idea]);
  }
  inStages(chain);
  const list = taskList(entries, source, {
    isTask: (line) => taskOf(line) !== null,
    twice: 'give one of them another number',
    none: 'this file contains no numbered task',
    example: '- [ ] 1. what to do',
  });
  return { ...list, leftOut: unnumbered(lines, (line) => taskOf(line)?.[1]) };
}

interface Around {
  file: string;
  feature: string | undefined;
  more: readonly string[];
  spec: string | undefined;
  numbers: ReadonlySet<string | undefined>;
}

function ideaAt(box: Box, { file, feature, more, spec, numbers }: Around): Idea {
  const { checkbox, line } = box;
  const [, number = '', title = ''] = taskOf(box) ?? [];
  const above = number.split('.').slice(0, -1).join('.');
  const needs = more.flatMap(
    (text) =>
      DEPENDS.exec(text)?.[1]
        ?.split(',')
        .map((one) => one.trim()) ?? [],
  );
  const [phase] = box.headings.slice(-1);
  return ideaOf({
    ...{ file, line, id: scoped(feature, number), title: title.replace(/\s*\(P\)\s*$/, ''), done: isTicked(checkbox) },
    ...(numbers.has(above) ? { parent: scoped(feature, above) } : {}),
    ...(phase === undefined ? {} : { phase }),
    ...(checkbox.star ? { tags: ['optional'], priority: { steps: -2, said: 'optional' } } : {}),
    dependsOn: needs.filter((one) => numbers.has(one)).map((one) => scoped(feature, one)),
    body: [more.join('\n'), spec],
  });
}
