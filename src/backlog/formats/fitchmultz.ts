/**
 * The queue of fitchmultz/ralph: `.ralph/queue.jsonc`. The tool moves finished tasks to `done.jsonc`, so ralphctl
 * counts those as landed. Tasks of equal priority run in file order.
 */
import { parse } from 'jsonc-parser';
import type { Idea } from '../../protocol/idea.js';
import { endEdits, ideaOf, inWords, labelled, leftOut, listed, others, type State, stateOf } from './common.js';
import { type Entry, formatOf, type LeftOut, type Read } from './format.js';
import { JsonObject } from './json-object.js';
import { notJson } from './not-json.js';
import { isMap, quietly, type Source } from './source.js';

const STATES: Readonly<Record<string, State>> = {
  todo: 'open',
  doing: 'open',
  done: 'done',
  draft: { out: 'it is a draft; to run it, write "status": "todo"' },
  rejected: { out: 'it is rejected', over: true },
};
/** The tool rejects a finished task without the time. */
const WORDS = { closed: 'done', open: 'todo', ended: 'completed_at' };
const ENDED = ['done.jsonc', 'done.json'];

export const fitchmultz = formatOf({
  name: 'fitchmultz',
  about: 'a queue of fitchmultz/ralph (.ralph/queue.jsonc)',
  beside: ENDED,
  place: ({ path }) => /(?:^|\/)\.ralph\/queue\.jsonc?$/.test(path),
  shape: (source) => {
    const value = source.json();
    const tasks: unknown = isMap(value) ? value.tasks : undefined;
    return (
      Array.isArray(tasks) &&
      tasks.some((one) => isMap(one) && /^[A-Z][A-Z0-9]*-\d+$/.test(String(one.id)) && 'status' in one)
    );
  },
  read,
});

function read(source: Source): Read {
  const fault = notJson(source);
  if (fault) return { entries: [], problems: [fault] };
  const root = new JsonObject(source, source.tree().node as NonNullable<ReturnType<Source['tree']>['node']>);
  if (!Array.isArray(root.value.tasks))
    root.complain('tasks', '"tasks" must be a list of tasks', 'write "tasks": [ … ]');
  const tasks = root.objects('tasks');
  const entries: Entry[] = [];
  const out: LeftOut[] = endedBefore(source);
  for (const task of tasks) {
    const state = stateOf(task, STATES);
    const idea = taskOf(task, source.file, state === 'done');
    if (idea && typeof state === 'object') out.push(leftOut(idea, state));
    else if (idea && state !== undefined)
      entries.push({ idea, edits: (done, now) => endEdits(task, { done, now }, WORDS) });
  }
  blocks(tasks, entries);
  const known = new Set(entries.map(({ idea }) => idea.id));
  return {
    entries,
    leftOut: out.filter(({ id, title }) => title !== '' || !known.has(id)),
    problems: [...root.problems, ...tasks.flatMap((task) => task.problems)],
  };
}

/** Ids of finished tasks: no idea waits for them. Without a title, no listing shows them. */
function endedBefore({ beside }: Source): LeftOut[] {
  return ENDED.flatMap((name) => {
    const value: unknown = quietly(() => parse(beside.get(name) ?? '') as unknown);
    const tasks: unknown = isMap(value) ? value.tasks : undefined;
    const ids = Array.isArray(tasks)
      ? tasks.flatMap((one) => (isMap(one) && typeof one.id === 'string' ? [one.id] : []))
      : [];
    return ids.map((id): LeftOut => ({ id, title: '', line: 0, why: `it is in ${name}`, over: true }));
  });
}

function taskOf(task: JsonObject, file: string, done: boolean): Idea | undefined {
  const [id, title] = [task.text('id'), task.text('title')];
  if (id === undefined) task.complain(undefined, 'this task has no "id"', 'give it one: "id": "RQ-0001"');
  if (title === undefined) task.complain(undefined, 'this task has no "title"', 'describe it: "title": "…"');
  if (id === undefined || title === undefined) return undefined;
  const parent = task.text('parent_id');
  return ideaOf({
    ...{ file, id, title, line: task.line('id'), done, priority: inWords(task) },
    ...(parent === undefined ? {} : { parent }),
    ...{ dependsOn: task.texts('depends_on'), tags: task.texts('tags'), success: task.texts('evidence') },
    body: [
      task.text('description'),
      labelled('Request', task.text('request')),
      listed('Plan', task.texts('plan')),
      listed('Scope', task.texts('scope')),
      listed('Notes', task.texts('notes')),
      others(task.rest('blocks', 'created_at', 'updated_at', 'completed_at', 'started_at', 'agent')),
    ],
  });
}

/** `blocks` states a `depends_on` of the other task. */
function blocks(tasks: readonly JsonObject[], entries: readonly Entry[]): void {
  for (const task of tasks) {
    const id = task.text('id');
    for (const blocked of task.texts('blocks')) {
      const idea = entries.find((entry) => entry.idea.id === blocked)?.idea;
      if (idea && id !== undefined && !idea.dependsOn.includes(id)) idea.dependsOn = [...idea.dependsOn, id];
    }
  }
}
