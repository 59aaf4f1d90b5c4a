/**
 * Task files of Backlog.md: `backlog/tasks/*.md`, one task per file with front matter. A folder of them is one backlog.
 * The last status means done: `Done`, unless `config.yml` says otherwise.
 */
import { isScalar, isMap as isYamlMap, parseDocument } from 'yaml';
import type { Problem } from '../../config/problems.js';
import type { Idea, Priority } from '../../protocol/idea.js';
import { pairOf } from '../yaml-edit.js';
import { ideaOf, labelled, others } from './common.js';
import { type Edit, formatOf, type Read } from './format.js';
import { isMap, quietly, type Source, yamlOf } from './source.js';

const FRONT = /^---[ \t]*(?:\r\n?|\n)([\s\S]*?)(?:\r\n?|\n)---[ \t]*(?:\r\n?|\n|$)/;
const KNOWN = [
  ...['id', 'title', 'status', 'labels', 'dependencies', 'parent_task_id', 'priority', 'ordinal', 'milestone'],
  ...['created_date', 'updated_date', 'assignee', 'reporter', 'type', 'parent'],
];
const STEPS: Record<string, number> = { critical: 2, high: 1, medium: 0, low: -1 };
/** Possible names of the settings file, relative to the tasks folder. */
const SETTINGS = ['../config.yml', '../config.yaml', 'config.yml'];

export const backlogMd = formatOf({
  name: 'backlog-md',
  about: 'task files of Backlog.md (backlog/tasks)',
  beside: SETTINGS,
  place: ({ path, markdown }) => markdown && /(?:^|\/)backlog\/tasks\/[^/]+$/.test(path),
  shape: (source) => {
    const fields = source.markdown ? frontOf(source)?.fields : undefined;
    return fields !== undefined && 'id' in fields && 'title' in fields && 'status' in fields;
  },
  read,
});

interface Front {
  fields: Record<string, unknown>;
  /** Offset of the YAML block. */
  start: number;
  yaml: string;
  body: string;
}

function frontOf({ text }: Source): Front | undefined {
  const match = FRONT.exec(text);
  const yaml = match?.[1];
  if (!match || yaml === undefined) return undefined;
  const fields: unknown = yamlOf(yaml);
  const start = match[0].indexOf(yaml, 3);
  return isMap(fields) ? { fields, start, yaml, body: text.slice(match[0].length) } : undefined;
}

/** The tool takes names such as `@zoe` without quotes. */
const PERSON = /^\s*(?:(?:assignee|reporter)\s*:|-\s*@)/;
const lineWith = (text: string, at: number): string =>
  text.slice(text.lastIndexOf('\n', at - 1) + 1).split(/[\r\n]/, 1)[0] ?? '';

/** What the parser skipped: a title that it takes for something else would pass for one that is missing. */
function faultOf(source: Source, { yaml, start }: Front): Problem | undefined {
  const errors = quietly(() => parseDocument(yaml, { prettyErrors: false, logLevel: 'silent' }).errors) ?? [];
  const error = errors.find(({ pos: [at] }) => !PERSON.test(lineWith(yaml, at)));
  if (!error) return undefined;
  const line = source.lineAt(start + error.pos[0]);
  const fix = 'put a text that has ": ", "#" or quotes into quotes';
  return { file: source.file, line, message: `not valid YAML: ${error.message.split('\n')[0]}`, fix };
}

/** The first and the last status of the project: the first means open, the last means done. */
function statusesOf({ beside }: Source): { first: string; last: string } {
  for (const name of SETTINGS) {
    const settings: unknown = yamlOf(beside.get(name) ?? '');
    const statuses: unknown = isMap(settings) ? settings.statuses : undefined;
    const names = Array.isArray(statuses) ? statuses.filter((one) => typeof one === 'string') : [];
    const [first] = names;
    const last = names.at(-1);
    if (first !== undefined && last !== undefined && names.length > 1) return { first, last };
  }
  return { first: 'To Do', last: 'Done' };
}

function read(source: Source): Read {
  const { file } = source;
  const at = (message: string, fix: string): Read => ({ entries: [], problems: [{ file, line: 1, message, fix }] });
  const front = frontOf(source);
  if (!front) return at('this task file has no front matter', 'write ---, id:, title:, status: and --- at its top');
  const { fields, start, yaml, body } = front;
  const fault = faultOf(source, front);
  if (fault) return { entries: [], problems: [fault] };
  const problems: Problem[] = [];
  const text = (key: string): string | undefined => {
    const value = fields[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value).trim() || undefined;
    problems.push({ file, line: 1, message: `"${key}" must be text` });
    return undefined;
  };
  const [id, title, status] = [text('id'), text('title'), text('status')];
  if (id === undefined || title === undefined || status === undefined) {
    const gone = id === undefined ? 'id' : title === undefined ? 'title' : 'status';
    return at(`this task file has no "${gone}"`, `write ${gone}: in its front matter`);
  }
  const { first, last } = statusesOf(source);
  const same = (word: string): boolean => status.toLowerCase() === word.toLowerCase();
  const done = same(last);
  const idea = ideaAt({ file, id, title, done, fields, body, parent: text('parent_task_id') ?? text('parent') });
  const edits = (to: boolean): Edit[] => statusEdit(yaml, start, to ? last : first);
  if (same('draft')) return { entries: [], leftOut: [{ id: idea.id, title, line: 1, why: 'it is a draft' }], problems };
  return { entries: [{ idea, edits }], problems };
}

interface Task {
  file: string;
  id: string;
  title: string;
  done: boolean;
  fields: Record<string, unknown>;
  body: string;
  parent: string | undefined;
}

function ideaAt({ file, id, title, done, fields, body, parent }: Task): Idea {
  const list = (key: string): string[] => {
    const value = fields[key];
    return (Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value]).map(
      String,
    );
  };
  const sections = sectionsOf(body);
  const criteria = sections.find(({ name }) => /^acceptance criteria/i.test(name))?.text ?? '';
  const finished = sections.find(({ name }) => /^definition of done/i.test(name))?.text ?? '';
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !KNOWN.includes(key)));
  const milestone = typeof fields.milestone === 'string' ? fields.milestone : undefined;
  return ideaOf({
    ...{ file, line: 1, id, title, done, priority: priorityOf(fields) },
    ...(parent === undefined ? {} : { parent }),
    ...(milestone === undefined ? {} : { phase: milestone }),
    dependsOn: list('dependencies'),
    tags: [...list('labels'), ...list('type')],
    success: [...boxes(criteria), ...boxes(finished)],
    body: [
      ...sections
        .filter(({ name }) => !/^(?:acceptance criteria|definition of done)/i.test(name))
        .map(({ name, text }) =>
          name === '' || /^description$/i.test(name) ? text : labelled(name, text && `\n\n${text}`),
        ),
      others(Object.keys(rest).length > 0 ? rest : {}),
    ],
  });
}

function priorityOf(fields: Record<string, unknown>): Priority | undefined {
  const said = typeof fields.priority === 'string' ? fields.priority : undefined;
  const steps = said === undefined ? undefined : STEPS[said.toLowerCase()];
  return said === undefined || steps === undefined ? undefined : { steps, said };
}

/** Splits the body into `## Name` sections, without the tool's markers. */
function sectionsOf(body: string): { name: string; text: string }[] {
  const plain = body.replace(/^[ \t]*<!-- [A-Z:_-]+ -->[ \t]*(?:\r\n?|\n|$)/gm, '').replace(/\r\n?/g, '\n');
  return plain.split(/^(?=##\s)/m).map((part) => {
    const name = /^##\s+(.*)$/m.exec(part)?.[1];
    return part.startsWith('##')
      ? { name: name?.trim() ?? '', text: part.slice(part.indexOf('\n') + 1 || part.length).trim() }
      : { name: '', text: part.trim() };
  });
}

const boxes = (text: string): string[] =>
  [...text.matchAll(/^\s*[-*+]\s+\[[ xX]\]\s+(?:#\d+\s+)?(.*)$/gm)].map((match) => (match[1] ?? '').trim());

function statusEdit(yaml: string, start: number, to: string): Edit[] {
  const { contents } = parseDocument(yaml, { logLevel: 'silent' });
  const value = isYamlMap(contents) ? pairOf(contents, 'status')?.value : undefined;
  if (!isScalar(value) || !value.range) return [];
  const [from, end] = value.range;
  const quote = /^["']/.exec(yaml.slice(from, end))?.[0] ?? '';
  return [{ offset: start + from, length: end - from, text: `${quote}${to}${quote}` }];
}
