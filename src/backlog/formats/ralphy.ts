/**
 * Task lists of michaelshimeles/ralphy: `tasks:` as YAML or JSON with unique titles, or plain checkboxes in PRD.md.
 * Groups of `parallel_group` run in order. Tasks of group 0, or without a group, run one after another.
 */
import { type Document, isScalar, isSeq, isMap as isYamlMap, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { tooDeepAt } from '../../config/depth.js';
import type { Idea } from '../../protocol/idea.js';
import { setIn } from '../yaml-edit.js';
import { boxesOf, taskList } from './boxes.js';
import { ideaOf, idOfText, inStages, others } from './common.js';
import { entryOf, isBox, isTopBox } from './fix-plan.js';
import { type Entry, formatOf, type Read } from './format.js';
import { isMap, quietly, type Source } from './source.js';

const KNOWN = ['title', 'completed', 'parallel_group', 'description'];

export const ralphy = formatOf({
  name: 'ralphy',
  about: 'a task list of ralphy ("tasks" with "title" and "completed", or PRD.md)',
  place: ({ path, name }) => name === 'PRD.md' || /(?:^|\/)\.ralphy\//.test(path),
  shape: (source) => {
    if (source.markdown) return source.name === 'PRD.md' && source.lines().some(isBox);
    const value = source.value();
    const tasks: unknown = isMap(value) ? value.tasks : undefined;
    return (
      Array.isArray(tasks) && tasks.some((one) => isMap(one) && 'title' in one && !('id' in one) && !('status' in one))
    );
  },
  read: (source) => (source.markdown ? readBoxes(source) : readTasks(source)),
});

const TWICE = 'give one of them another title';

function readBoxes(source: Source): Read {
  const lines = source.lines();
  const entries = boxesOf(lines)
    .filter(isTopBox)
    .flatMap((box) => entryOf(box, lines, source));
  // Headings of a PRD do not express priorities.
  for (const { idea } of entries) delete idea.priority;
  inStages(entries.map(({ idea }) => [idea]));
  return taskList(entries, source, {
    isTask: isTopBox,
    twice: TWICE,
    none: 'this file contains no task',
    example: '- [ ] what to do',
  });
}

function readTasks(source: Source): Read {
  const { file, text } = source;
  const counter = new LineCounter();
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  const deep = tooDeepAt(text);
  if (deep !== undefined)
    return { entries: [], problems: [{ file, line: deep, message: 'cannot be read: nested too deeply' }] };
  const doc = quietly(() => parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' }));
  const [error] = doc?.errors ?? [];
  if (!doc || error) {
    const message = `not valid YAML: ${error?.message.split('\n')[0] ?? 'nested too deeply'}`;
    return { entries: [], problems: [{ file, line: error ? lineAt(error.pos[0]) : 1, message }] };
  }
  const tasks: unknown = doc.get('tasks');
  if (!isSeq(tasks)) {
    return {
      entries: [],
      problems: [
        { file, line: 1, message: '"tasks" must be a list of tasks', fix: 'write tasks: and a list with title' },
      ],
    };
  }
  const problems: NonNullable<Read['problems']>[number][] = [];
  const found = tasks.items.flatMap((item) => {
    const line = lineAt((isYamlMap(item) || isScalar(item) ? item.range?.[0] : undefined) ?? 0);
    const task = isYamlMap(item) ? taskAt(doc, item, { file, line, text }) : undefined;
    if (task && 'entry' in task) return [task];
    problems.push({
      file,
      line,
      ...(task ?? { message: 'this task is not a map with a title', fix: 'write - title: what to do' }),
    });
    return [];
  });
  inStages(stagesOf(found.map(({ entry: { idea }, group }) => ({ idea, group }))));
  const entries = found.map(({ entry }) => entry);
  return { entries, problems, twice: TWICE };
}

type Taken = { entry: Entry; group: number } | { message: string; fix: string };

function taskAt(
  doc: Document,
  item: YAMLMap,
  { file, line, text }: { file: string; line: number; text: string },
): Taken {
  const task: unknown = item.toJS(doc);
  const { title, completed, parallel_group: group, description } = isMap(task) ? task : {};
  if (typeof title !== 'string' || title.trim() === '')
    return { message: 'this task has no "title"', fix: 'describe it: title: …' };
  if (completed !== undefined && completed !== null && typeof completed !== 'boolean')
    return {
      message: `"completed" must be true or false, not ${JSON.stringify(completed)}`,
      fix: 'write completed: false',
    };
  const id = idOfText(title);
  if (id === undefined) return { message: 'this task has no "title"', fix: 'describe it: title: …' };
  const rest = Object.fromEntries(Object.entries(isMap(task) ? task : {}).filter(([key]) => !KNOWN.includes(key)));
  const idea = ideaOf({
    ...{ file, line, id, title, done: completed === true },
    body: [typeof description === 'string' ? description : undefined, others(rest)],
  });
  const edits: Entry['edits'] = (done) => {
    const edit = setIn(text, item, 'completed', done, 'title');
    return edit ? [edit] : [];
  };
  return { entry: { idea, edits }, group: typeof group === 'number' ? group : 0 };
}

function stagesOf(tasks: readonly { idea: Idea; group: number }[]): Idea[][] {
  const groups = [...new Set(tasks.map(({ group }) => group))].sort((a, b) => a - b);
  return groups.flatMap((group) => {
    const ideas = tasks.filter((one) => one.group === group).map(({ idea }) => idea);
    return group === 0 ? ideas.map((idea) => [idea]) : [ideas];
  });
}
