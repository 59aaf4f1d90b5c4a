/**
 * Issues of beads: `.beads/issues.jsonl`, one issue per line. With `bd` on PATH, its database is the store and this
 * file an export, so `jobs/beads.ts` closes the issue through `bd`. Without `bd`, ralphctl edits the line in place.
 */
import type { Idea } from '../../protocol/idea.js';
import { endEdits, ideaOf, inNumbers, labelled, leftOut, others, type State, stateOf } from './common.js';
import { type Entry, formatOf, type LeftOut, type Read } from './format.js';
import type { JsonObject } from './json-object.js';
import { objectsOf } from './rows.js';
import { isMap, type Source } from './source.js';

const STATES: Readonly<Record<string, State>> = {
  open: 'open',
  in_progress: 'open',
  closed: 'done',
  blocked: { out: 'its status is blocked; to run it: bd update ID --status open' },
  deferred: { out: 'its status is deferred; to run it: bd update ID --status open' },
  pinned: { out: 'its status is pinned; to run it: bd update ID --status open' },
  hooked: { out: 'its status is hooked: another agent has it' },
  tombstone: { out: 'it is deleted', over: true },
};
/** Dependency types that block an issue. */
const BLOCKING = ['blocks', 'waits-for'];
const NOISE = [
  ...['created_at', 'updated_at', 'closed_at', 'created_by', 'owner', 'close_reason', 'assignee', 'started_at'],
  ...['content_hash', 'source_repo', 'compaction_level', 'compacted_at', 'original_size', 'dependency_count'],
  ...['dependent_count', 'comment_count', 'ephemeral', '_type'],
];

export const beads = formatOf({
  name: 'beads',
  about: 'issues of beads (.beads/issues.jsonl)',
  place: ({ path }) => /(?:^|\/)\.beads\/[^/]+\.jsonl$/.test(path),
  shape: (source) =>
    source.ending === 'jsonl' && source.rows().some(({ value }) => value !== undefined && 'issue_type' in value),
  read,
});

const WORDS = { closed: 'closed', open: 'open', ended: 'closed_at' };

function read(source: Source): Read {
  const { objects, problems } = objectsOf(source);
  const entries: Entry[] = [];
  const out: LeftOut[] = [];
  // Newer exports also contain lines of other kinds, such as memories.
  for (const object of objects.filter(({ value }) => value._type === undefined || value._type === 'issue')) {
    const state = stateOf(object, STATES);
    const idea = issueOf(object, source.file, state === 'done');
    if (idea && state !== undefined) {
      const held = state === 'open' ? heldBack(object) : state;
      if (typeof held === 'object') out.push(leftOut(idea, { ...held, out: held.out.replace('ID', idea.id) }));
      else entries.push({ idea, edits: (done, now) => endEdits(object, { done, now }, WORDS) });
    }
    problems.push(...object.problems);
  }
  return { entries, leftOut: out, problems };
}

function issueOf(object: JsonObject, file: string, done: boolean): Idea | undefined {
  const [id, title] = [object.text('id'), object.text('title')];
  if (id === undefined) object.complain(undefined, 'this issue has no "id"');
  if (title === undefined) object.complain(undefined, 'this issue has no "title"');
  if (id === undefined || title === undefined) return undefined;
  const links = object.objects('dependencies').map(({ value }) => value);
  const to = (kinds: readonly string[]): string[] =>
    links
      .filter(({ type, depends_on_id }) => kinds.includes(String(type)) && typeof depends_on_id === 'string')
      .map(({ depends_on_id }) => String(depends_on_id));
  const related = links.filter(({ type }) => !BLOCKING.includes(String(type)) && type !== 'parent-child');
  const kind = object.text('issue_type');
  const criteria = object.text('acceptance_criteria');
  const [parent] = to(['parent-child']);
  return ideaOf({
    ...{ file, id, title, line: object.line(), done, priority: inNumbers(object, 2), blue: kind === 'epic' },
    ...(parent === undefined ? {} : { parent }),
    dependsOn: to(BLOCKING),
    tags: [...object.texts('labels'), ...(kind === undefined || kind === 'task' ? [] : [kind])],
    success: criteria === undefined ? [] : criteriaOf(criteria),
    body: [
      object.text('description'),
      labelled('Design', object.text('design')),
      labelled('Notes', object.text('notes')),
      related.length === 0
        ? undefined
        : `Related: ${related.map(({ type, depends_on_id }) => `${String(type)} ${String(depends_on_id)}`).join(', ')}`,
      others(object.rest(...NOISE)),
    ],
  });
}

/** Splits the criteria into bullets or lines. */
const criteriaOf = (text: string): string[] =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim())
    .filter((line) => line !== '');

function heldBack({ value }: JsonObject): State {
  const { status, assignee } = value;
  if (status === 'in_progress' && typeof assignee === 'string' && assignee !== '')
    return { out: `${assignee} works on it; to run it: bd update ID --status open` };
  if (value.ephemeral === true) return { out: 'it is ephemeral' };
  if (typeof value.await_type === 'string' && value.await_type !== '')
    return { out: `it waits for ${value.await_type}` };
  const links = Array.isArray(value.dependencies) ? value.dependencies.filter(isMap) : [];
  const only = links.find(({ type }) => type === 'conditional-blocks');
  if (only) return { out: `it runs only if ${String(only.depends_on_id)} fails` };
  const outside = links.find(
    ({ type, depends_on_id }) => BLOCKING.includes(String(type)) && /^external:/.test(String(depends_on_id)),
  );
  return outside ? { out: `it waits for ${String(outside.depends_on_id)}` } : 'open';
}
