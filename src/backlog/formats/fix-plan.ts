/**
 * fix_plan.md of frankbria/ralph-claude-code. Its headings set the priority. A task has no id, so ralphctl derives one
 * from its text. A box that holds neither a blank nor an x, such as a date, is not a task.
 */
import type { Priority } from '../../protocol/idea.js';
import { type Box, below, boxEntry, boxesOf, taskList } from './boxes.js';
import { ideaOf, idOfText } from './common.js';
import { formatOf, type Read } from './format.js';
import type { MdLine } from './md-lines.js';
import { isTicked } from './md-lines.js';
import type { Source } from './source.js';

const BUCKETS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:critical|urgent)\b/i, 2],
  [/\bhigh\b/i, 1],
  [/\bmedium\b/i, 0],
  [/\blow\b/i, -1],
  // That tool's loop ends without finishing these, so they come last.
  [/^(?:optional|future(?: enhancements)?|nice to have)\b/i, -2],
];

export const fixPlan = formatOf({
  name: 'fix-plan',
  about: 'a fix_plan.md (frankbria/ralph-claude-code)',
  place: ({ name }) => /^@?fix_plan\.md$/i.test(name),
  shape: (source) =>
    source.markdown &&
    source.lines().some(({ heading }) => heading !== undefined && /\bfix plan\b/i.test(heading.text)),
  read,
});

export const isBox = ({ checkbox }: MdLine): boolean => checkbox !== undefined && /[ xX]/.test(checkbox.mark);
export const isTopBox = (line: MdLine): boolean => isBox(line) && line.indent < 2;

function read(source: Source): Read {
  const lines = source.lines();
  const entries = boxesOf(lines)
    .filter(isTopBox)
    .flatMap((box) => entryOf(box, lines, source));
  return taskList(entries, source, {
    isTask: isTopBox,
    twice: 'word one of them in another way, or remove it',
    none: 'this fix plan contains no task',
    example: '- [ ] what to do',
  });
}

export function entryOf(box: Box, lines: readonly MdLine[], { file }: Source) {
  const { checkbox, line } = box;
  const title = checkbox.text.replace(/\*\*/g, '');
  const id = idOfText(title);
  if (id === undefined) return [];
  const more = below(lines, box, isTopBox);
  const [phase] = box.headings.slice(-1);
  const idea = ideaOf({
    ...{ file, id, title, line, done: isTicked(checkbox), body: [more.join('\n')] },
    ...(phase === undefined ? {} : { phase, priority: bucketOf(phase) }),
  });
  return [boxEntry(idea, checkbox)];
}

function bucketOf(heading: string): Priority | undefined {
  const steps = BUCKETS.find(([pattern]) => pattern.test(heading))?.[1];
  return steps === undefined ? undefined : { steps, said: heading };
}
