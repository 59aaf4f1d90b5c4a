/** The runtime queue of ralph-orchestrator: `.ralph/agent/tasks.jsonl`, one task per line. */
import type { Idea } from '../../protocol/idea.js';
import { ideaOf, inNumbers, labelled, leftOut, others, type State, stateOf } from './common.js';
import { type Entry, formatOf, type LeftOut, type Read } from './format.js';
import type { JsonObject } from './json-object.js';
import { objectsOf } from './rows.js';
import type { Source } from './source.js';

const STATES: Readonly<Record<string, State>> = {
  open: 'open',
  in_progress: 'open',
  closed: 'done',
  failed: { out: 'its status is failed; to run it, write "status":"open"' },
};

export const orchestrator = formatOf({
  name: 'orchestrator',
  about: 'a task list of ralph-orchestrator (.ralph/agent/tasks.jsonl)',
  place: ({ path }) => /(?:^|\/)\.ralph\/agent\/tasks\.jsonl$/.test(path),
  shape: (source) =>
    source.ending === 'jsonl' &&
    source
      .rows()
      .some(
        ({ value }) =>
          value &&
          'title' in value &&
          'status' in value &&
          !('issue_type' in value) &&
          ('blocked_by' in value || 'created' in value),
      ),
  read,
});

function read(source: Source): Read {
  const { objects, problems } = objectsOf(source);
  const entries: Entry[] = [];
  const out: LeftOut[] = [];
  for (const object of objects) {
    const state = stateOf(object, STATES);
    const idea = taskOf(object, source.file, state === 'done');
    if (idea && typeof state === 'object') out.push(leftOut(idea, state));
    else if (idea && state !== undefined) entries.push({ idea, edits: (done, now) => editsOf(object, done, now) });
    problems.push(...object.problems);
  }
  return { entries, leftOut: out, problems };
}

function taskOf(object: JsonObject, file: string, done: boolean): Idea | undefined {
  const [id, title] = [object.text('id'), object.text('title')];
  if (id === undefined) object.complain(undefined, 'this task has no "id"');
  if (title === undefined) object.complain(undefined, 'this task has no "title"');
  if (id === undefined || title === undefined) return undefined;
  return ideaOf({
    ...{ file, id, title, line: object.line(), done, priority: inNumbers(object, 3) },
    dependsOn: object.texts('blocked_by'),
    body: [
      object.text('description'),
      labelled('Key', object.text('key')),
      others(object.rest('created', 'started', 'closed', 'loop_id', 'status', 'priority')),
    ],
  });
}

const editsOf = (object: JsonObject, done: boolean, now: string) => [
  ...object.set('status', done ? 'closed' : 'open', 'title'),
  ...(done ? object.set('closed', now, object.has('created') ? 'created' : 'status') : object.remove('closed')),
];
