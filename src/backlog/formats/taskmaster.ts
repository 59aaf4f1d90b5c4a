/**
 * tasks.json of Taskmaster: a list of tasks, or one list per tag. Each subtask becomes an idea in its task's group. Ids
 * of tags other than `master` start with the tag's name.
 */
import type { Idea } from '../../protocol/idea.js';
import { ideaOf, inWords, labelled, leftOut, others, type State, scoped, stateOf } from './common.js';
import { type Entry, formatOf, type LeftOut, type Read } from './format.js';
import { JsonObject } from './json-object.js';
import { notJson } from './not-json.js';
import { isMap, type Source } from './source.js';

const STATES: Readonly<Record<string, State>> = {
  pending: 'open',
  'in-progress': 'open',
  done: 'done',
  completed: 'done',
  review: { out: 'its status is review' },
  blocked: { out: 'its status is blocked; to run it: task-master set-status --status=pending' },
  deferred: { out: 'its status is deferred; to run it: task-master set-status --status=pending' },
  cancelled: { out: 'it is cancelled', over: true },
};
const DEFAULT_TAG = 'master';
const NOISE = ['createdAt', 'updatedAt', 'subtasks', 'status', 'id', 'title', 'parentTaskId', 'parentId'];

const isTask = (one: unknown): boolean => isMap(one) && 'title' in one && /^\d+$/.test(String(one.id));
const isList = (value: unknown): boolean => isMap(value) && Array.isArray(value.tasks) && value.tasks.some(isTask);

export const taskmaster = formatOf({
  name: 'taskmaster',
  about: 'tasks.json of Taskmaster (.taskmaster/tasks/tasks.json)',
  place: ({ path }) => /(?:^|\/)\.taskmaster\/tasks\/tasks\.json$/.test(path),
  shape: (source) => {
    const value = source.json();
    return isMap(value) && (isList(value) || Object.values(value).some(isList));
  },
  read,
});

interface Place {
  file: string;
  tag: string | undefined;
  entries: Entry[];
  out: LeftOut[];
}

function read(source: Source): Read {
  const fault = notJson(source);
  if (fault) return { entries: [], problems: [fault] };
  const root = new JsonObject(source, source.tree().node as NonNullable<ReturnType<Source['tree']>['node']>);
  const lists = Array.isArray(root.value.tasks)
    ? [{ tag: undefined, list: root }]
    : Object.keys(root.value).flatMap((tag) => {
        const list = root.object(tag);
        return list && Array.isArray(list.value.tasks) ? [{ tag: tag === DEFAULT_TAG ? undefined : tag, list }] : [];
      });
  if (lists.length === 0)
    root.complain(undefined, 'this file has no list of tasks', 'write "master": { "tasks": [ … ] }');
  const entries: Entry[] = [];
  const out: LeftOut[] = [];
  const problems = [...root.problems];
  for (const { tag, list } of lists) {
    for (const task of list.objects('tasks')) problems.push(...take(task, { file: source.file, tag, entries, out }));
  }
  return { entries, leftOut: out, problems };
}

/** Adds a task and its subtasks. @returns its problems */
function take(task: JsonObject, place: Place): JsonObject['problems'] {
  const id = task.text('id');
  const subtasks = task.objects('subtasks');
  const idea = one(task, place, (said) => said, undefined, id);
  if (idea && subtasks.length > 0) idea.blue = true;
  const test = labelled('Test strategy', task.text('testStrategy'));
  const context = [task.text('description'), task.text('details'), test].filter((text) => text !== undefined);
  for (const subtask of subtasks) {
    // A bare number names a subtask of the same task; `2.1` names a subtask of another task.
    const beside = new Set(subtasks.map(({ value }) => String(value.id)));
    const number = subtask.text('id');
    const naming = (said: string): string => (beside.has(said) ? `${id}.${said}` : said);
    const child = one(subtask, place, naming, idea, number === undefined ? undefined : `${id}.${number}`);
    if (child && idea) {
      child.parent = idea.id;
      const part = `Part of task ${id}, ${idea.title}${context.length > 0 ? `:\n\n${context.join('\n\n')}` : '.'}`;
      child.text = `${child.text}\n\n${part}`;
    }
  }
  return [...task.problems, ...subtasks.flatMap(({ problems }) => problems)];
}

function one(
  task: JsonObject,
  { file, tag, entries, out }: Place,
  naming: (said: string) => string,
  above: Idea | undefined,
  id: string | undefined,
): Idea | undefined {
  const title = task.text('title');
  const state = stateOf(task, STATES);
  if (id === undefined) task.complain(undefined, 'this task has no "id"', 'give it one: "id": 1');
  if (title === undefined) task.complain(undefined, 'this task has no "title"', 'describe it: "title": "…"');
  if (id === undefined || title === undefined || state === undefined) return undefined;
  const test = task.text('testStrategy');
  const idea = ideaOf({
    ...{ file, id: scoped(tag, id), title, line: task.line('id'), done: state === 'done' },
    priority: task.has('priority') ? inWords(task) : above?.priority,
    dependsOn: task.texts('dependencies').map((said) => scoped(tag, naming(said))),
    success: task.texts('acceptanceCriteria'),
    ...(tag === undefined ? {} : { phase: tag }),
    body: [
      task.text('description'),
      task.text('details'),
      labelled('Test strategy', test),
      others(task.rest(...NOISE)),
    ],
  });
  if (typeof state === 'object') out.push(leftOut(idea, state));
  else entries.push({ idea, edits: (done) => task.set('status', done ? 'done' : 'pending', 'title') });
  return idea;
}
