/**
 * Helpers that several formats share: an idea from its parts, priorities in words, ids below a feature, an order as
 * dependencies.
 */
import { createHash } from 'node:crypto';
import { suggest } from '../../config/problems.js';
import type { Idea, Priority } from '../../protocol/idea.js';
import { slug } from '../slug.js';
import type { Edit, LeftOut } from './format.js';
import type { JsonObject } from './json-object.js';

type Parts = Pick<Idea, 'id' | 'title' | 'done'> &
  Partial<Pick<Idea, 'parent' | 'dependsOn' | 'tags' | 'success' | 'phase' | 'blue' | 'agent'>> & {
    priority?: Priority | undefined;
    /** Paragraphs below the title. */
    body?: readonly (string | undefined)[];
    file: string;
    line: number;
  };

/** Builds an idea that iterates until it is complete. */
export function ideaOf({ file, line, body = [], priority, ...parts }: Parts): Idea {
  const title = oneLine(parts.title);
  const rest = body.map((one) => one?.trim()).filter((one) => one !== undefined && one !== '');
  const whole = oneLine(parts.title) === parts.title.trim() ? [title] : [parts.title.trim()];
  const { parent, phase, agent } = parts;
  return {
    id: parts.id,
    title,
    text: [...whole, ...rest].join('\n\n'),
    ...(phase === undefined || phase === '' ? {} : { phase }),
    ...(parent === undefined ? {} : { parent }),
    blue: parts.blue ?? false,
    dependsOn: [...new Set(parts.dependsOn)],
    tags: [...new Set(parts.tags)],
    ...(priority === undefined ? {} : { priority }),
    done: parts.done,
    ralph: true,
    success: parts.success ?? [],
    ...(agent === undefined ? {} : { agent }),
    allowEmpty: false,
    source: { file, line },
  };
}

export const oneLine = (text: string): string =>
  text
    .trim()
    .split(/\r\n?|\n/)[0]
    ?.trim() ?? '';

/** `Label:` and a list; undefined for an empty list. */
export const listed = (label: string, entries: readonly string[]): string | undefined =>
  entries.length === 0 ? undefined : `${label}:\n\n${entries.map((one) => `- ${one}`).join('\n')}`;

export const labelled = (label: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${label}: ${text}`;

/** Lists fields that no format knows, so that the agent sees them and a conversion keeps them. */
export function others(rest: Record<string, unknown>): string | undefined {
  if (Object.keys(rest).length === 0) return undefined;
  return `Other fields in the backlog:\n\n\`\`\`json\n${JSON.stringify(rest, null, 2)}\n\`\`\``;
}

const WORDS: Record<string, number> = {
  critical: 2,
  urgent: 2,
  highest: 2,
  high: 1,
  medium: 0,
  normal: 0,
  low: -1,
  lowest: -2,
};

/** Reads a priority given as a word. */
export function inWords(object: JsonObject, key = 'priority'): Priority | undefined {
  const said = object.text(key);
  if (said === undefined) return undefined;
  const steps = WORDS[said.toLowerCase()];
  if (steps !== undefined) return { steps, said };
  object.complain(key, `the priority "${said}" is unknown`, suggest(said, Object.keys(WORDS)));
  return undefined;
}

/** Reads a priority given as a number: lower means more important, and `normal` means no priority. */
export function inNumbers(object: JsonObject, normal: number): Priority | undefined {
  const value = object.number('priority');
  return value === undefined ? undefined : { steps: normal - value, said: String(value) };
}

export type State = 'open' | 'done' | { out: string; over?: true };

/** Translates a tool's status word into a state. The problem for an unknown word names the known words. */
export function stateOf(object: JsonObject, known: Readonly<Record<string, State>>, key = 'status'): State | undefined {
  const said = object.text(key);
  const state = said === undefined ? undefined : known[said];
  if (state !== undefined) return state;
  const words = Object.keys(known);
  const fix = said === undefined ? undefined : suggest(said, words);
  const what = said === undefined ? `"${key}" is missing` : `the ${key} "${said}" is unknown`;
  object.complain(said === undefined ? undefined : key, what, fix ?? `use one of ${words.join(', ')}`);
  return undefined;
}

/**
 * The edits that end a task or open it again: its status, the field `ended` with the time, and the time of the last
 * change where the object has one.
 */
export function endEdits(
  object: JsonObject,
  { done, now }: { done: boolean; now: string },
  words: { closed: string; open: string; ended: string },
): Edit[] {
  const timed = object.has('updated_at');
  return [
    ...object.set('status', done ? words.closed : words.open, 'title'),
    ...(timed ? object.set('updated_at', now, 'status') : []),
    ...(done ? object.set(words.ended, now, timed ? 'updated_at' : 'status') : object.remove(words.ended)),
  ];
}

export const leftOut = (idea: Idea, { out, over }: Exclude<State, string>): LeftOut => ({
  ...{ id: idea.id, title: idea.title, line: idea.source.line, why: out },
  ...(over ? { over } : {}),
});

/**
 * Derives an id for a text without one. A text that is too long for an id gets a fingerprint, so that two long texts
 * with the same beginning differ. The id depends on the text alone.
 */
export function idOfText(text: string): string | undefined {
  const words = slug(text);
  const longer = text.replace(/[^\p{L}\p{N}]+/gu, '').length > (words ?? '').replaceAll('-', '').length;
  const mark = createHash('sha256').update(text.trim().replace(/\s+/g, ' ')).digest('hex').slice(0, 6);
  if (words === undefined) return text.trim() === '' ? undefined : `task-${mark}`;
  return longer ? `${words}-${mark}` : words;
}

/** Prefixes ids that a tool restarts in each feature, because one repository's history holds them all. */
export const scoped = (scope: string | undefined, id: string): string => {
  const name = scope === undefined ? undefined : slug(scope);
  return name === undefined ? id : `${name.slice(0, 40)}.${id}`;
};

/** The name of the folder that contains the file. */
export const folderOf = (path: string): string | undefined => path.split('/').at(-2);

/**
 * The path from a known folder on, such as `specs/001-albums`, for prompts; undefined when the path lacks that folder.
 */
export function from(path: string, folder: string): string | undefined {
  const at = `/${path}`.lastIndexOf(`/${folder}/`);
  const below = at < 0 ? undefined : path.slice(at, path.lastIndexOf('/'));
  return below === '' ? undefined : below;
}

/**
 * Adds dependencies so that stages run one after another. The ideas of one stage do not wait for each other. A task that
 * somebody ticked before its turn does not break the order: after a stage that is done, ideas also wait for the last
 * open ones.
 */
export function inStages(stages: readonly (readonly Idea[])[]): void {
  let before: readonly Idea[] = [];
  let open: readonly Idea[] = [];
  for (const stage of stages.filter(({ length }) => length > 0)) {
    for (const idea of stage) {
      const earlier = idea.done ? before : [...before, ...open];
      const waits = earlier.map(({ id }) => id).filter((id) => id !== idea.id);
      idea.dependsOn = [...new Set([...idea.dependsOn, ...waits])];
    }
    before = stage;
    const left = stage.filter(({ done }) => !done);
    if (left.length > 0) open = left;
  }
}
