/**
 * prd.json of snarktank/ralph and of ralph-tui. Like ralph-tui, ralphctl rejects shapes that models invent for it, and
 * the error names the fix. Without `dependsOn` the stories run one after another by priority, as in those tools.
 */
import type { Idea, Priority } from '../../protocol/idea.js';
import { ideaOf, inStages, labelled, others, scoped } from './common.js';
import { type Entry, formatOf, type Read } from './format.js';
import { JsonObject } from './json-object.js';
import { notJson } from './not-json.js';
import { isMap, type Source } from './source.js';

const STATES = ['status', 'state', 'completed', 'complete', 'done', 'passed'];

export const prd = formatOf({
  name: 'prd',
  about: 'a prd.json with user stories (snarktank/ralph, ralph-tui)',
  place: ({ name }) => /(?:^|[-_.])prd\.json$/i.test(name),
  shape: (source) => {
    const value = source.json();
    if (!isMap(value)) return false;
    return 'userStories' in value || isMap(value.prd) || (prd.place(source) && 'tasks' in value);
  },
  read,
});

function read(source: Source): Read {
  const fault = notJson(source);
  if (fault) return { entries: [], problems: [fault] };
  const root = new JsonObject(source, source.tree().node as NonNullable<ReturnType<Source['tree']>['node']>);
  if (!Array.isArray(root.value.userStories)) return { entries: [], problems: [wrong(root, source)] };
  const scope = root.text('branchName')?.split('/').at(-1);
  const stories = root.objects('userStories');
  const entries = stories.flatMap((story) => storyOf(story, scope, source));
  const problems = [...root.problems, ...stories.flatMap((story) => story.problems)];
  if (!stories.some((story) => story.value.dependsOn !== undefined)) inOrder(entries.map(({ idea }) => idea));
  return { entries, problems };
}

function wrong(root: JsonObject, { file }: Source) {
  const at = (key: string, message: string, fix: string) => ({ file, line: root.line(key), message, fix });
  if (isMap(root.value.prd)) {
    return at('prd', 'the stories are inside a "prd" wrapper', 'move its fields to the top of the file');
  }
  if ('tasks' in root.value) {
    const other = 'for the list of another tool, name its format: --format ralphy, taskmaster or fitchmultz';
    return at('tasks', 'a prd.json has "userStories", not "tasks"', `rename "tasks" to "userStories"; ${other}`);
  }
  return at('userStories', '"userStories" must be a list of stories', 'write "userStories": [ … ]');
}

function storyOf(story: JsonObject, scope: string | undefined, { file }: Source): Entry[] {
  const [id, title] = [story.text('id'), story.text('title')];
  const passes = story.flag('passes');
  for (const key of STATES.filter((one) => one in story.value && !('passes' in story.value))) {
    story.complain(key, `a story has "passes", not "${key}"`, 'write "passes": true or "passes": false');
  }
  if (id === undefined) story.complain(undefined, 'this story has no "id"', 'give it one: "id": "US-001"');
  if (title === undefined) story.complain(undefined, 'this story has no "title"', 'describe it: "title": "…"');
  if (id === undefined || title === undefined) return [];
  const number = story.number('priority');
  const priority = number === undefined ? undefined : { steps: -number, said: String(number) };
  const idea = ideaOf({
    ...{ file, id: scoped(scope, id), title, line: story.line('id'), done: passes ?? false },
    ...{ success: story.texts('acceptanceCriteria'), tags: story.texts('labels'), priority },
    dependsOn: story.texts('dependsOn').map((one) => scoped(scope, one)),
    body: [
      story.text('description'),
      labelled('Notes', story.text('notes')),
      labelled('Completion notes', story.text('completionNotes')),
      others(story.rest()),
    ],
  });
  return [{ idea, edits: (done) => story.set('passes', done, story.has('priority') ? 'priority' : 'title') }];
}

/** Stories of equal priority may run in parallel. Stories without a priority run last. */
function inOrder(ideas: readonly Idea[]): void {
  const last = Number.NEGATIVE_INFINITY;
  const stepsOf = ({ priority }: { priority?: Priority }): number => priority?.steps ?? last;
  const levels = [...new Set(ideas.map(stepsOf))].sort((a, b) => b - a);
  inStages(
    levels.flatMap((level) => {
      const stage = ideas.filter((idea) => stepsOf(idea) === level);
      return level === last ? stage.map((idea) => [idea]) : [stage];
    }),
  );
}
