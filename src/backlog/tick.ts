/** Marks a landed idea as done in the text of ideas.yaml, ideas.json or roadmap.md, or reverses that. */

import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { tooDeepAt } from '../config/depth.js';
import type { Syntax } from '../config/located.js';
import { type Chunk, chunks } from './roadmap/chunks.js';
import { readProperties } from './roadmap/properties.js';
import { type RawTask, Walk } from './roadmap/walk.js';
import { plainWords, slug } from './slug.js';
import { pairOf, setIn } from './yaml-edit.js';

/*
 * Marks an idea as done in ideas.yaml or ideas.json. Invariant: only `done` of that idea changes; every other byte
 * stays, comments and layout included. ralphctl parses the result before returning it.
 */

/** The maps of all ideas, children included, with their paths. */
function* ideaMaps(node: unknown): Generator<YAMLMap> {
  if (isSeq(node)) {
    for (const item of node.items) {
      if (!isMap(item)) continue;
      yield item;
      yield* ideaMaps(pairOf(item, 'children')?.value);
    }
  } else if (isMap(node)) yield* ideaMaps(pairOf(node, 'ideas')?.value);
}

const markDone = (value: unknown, id: string, to: boolean): void => {
  const items = Array.isArray(value) ? value : ((value as { ideas?: unknown } | null)?.ideas ?? []);
  if (!Array.isArray(items)) return;
  for (const item of items as ({ id?: unknown; done?: unknown; children?: unknown } | null)[]) {
    if (item === null || typeof item !== 'object') continue;
    if (item.id === id) item.done = to;
    if (Array.isArray(item.children)) markDone(item.children, id, to);
  }
};

/** Changes an existing `done` in place, or inserts one after the id in the style of the existing fields. */
function splice(text: string, map: YAMLMap, to: boolean): string | undefined {
  const edit = setIn(text, map, 'done', to, 'id');
  return edit && text.slice(0, edit.offset) + edit.text + text.slice(edit.offset + edit.length);
}

const readBack = (text: string, syntax: Syntax): unknown => {
  if (syntax === 'json') return JSON.parse(text);
  const doc = parseDocument(text, { logLevel: 'silent' });
  if (doc.errors.length > 0) throw doc.errors[0];
  return doc.toJS();
};

/** Edits through the document model, for YAML that `splice` cannot edit. Keeps comments; the layout may change. */
function rewrite(doc: Document, map: YAMLMap, text: string, to: boolean): string {
  map.set('done', to);
  const result = doc.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? result.replace(/\r?\n/g, '\r\n') : result;
}

/** The new text; undefined when no such idea exists, it already has that mark, or the file does not parse. */
export function tickIdeas(raw: string, id: string, syntax: Syntax, to = true): string | undefined {
  const bom = raw.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = raw.slice(bom.length);
  if (tooDeepAt(text) !== undefined) return undefined;
  try {
    const doc = parseDocument(text, { logLevel: 'silent' });
    if (syntax === 'yaml' && doc.errors.length > 0) return undefined;
    const wanted: unknown = syntax === 'json' ? JSON.parse(text) : doc.toJS();
    const matches = [...ideaMaps(doc.contents)].filter((map) => map.get('id') === id);
    const [map] = matches;
    if (!map || matches.length > 1 || (map.get('done') === true) === to) return undefined;
    markDone(wanted, id, to);
    const fits = (candidate: string | undefined): candidate is string => {
      try {
        return candidate !== undefined && isDeepStrictEqual(readBack(candidate, syntax), wanted);
      } catch {
        return false;
      }
    };
    const spliced = splice(text, map, to);
    if (fits(spliced)) return bom + spliced;
    const rewritten = syntax === 'yaml' ? rewrite(doc, map, text, to) : undefined;
    return fits(rewritten) ? bom + rewritten : undefined;
  } catch {
    return undefined;
  }
}

/*
 * Ticks a task in a roadmap. Invariant: exactly one character changes, and the syntax tree locates it.
 */

function ids(chunk: Chunk): { task: RawTask; id: string | undefined; derived: boolean }[] {
  const walk = new Walk('');
  walk.add(chunk);
  return walk.tasks.map((task) => {
    const id = readProperties(task.properties, '').said.id ?? task.id;
    return { task, id: id ?? slug(task.title), derived: id === undefined };
  });
}

function find(pieces: Iterable<Chunk>, id: string): RawTask | undefined {
  const found = { own: [] as RawTask[], derived: [] as RawTask[] };
  for (const chunk of pieces) {
    for (const one of ids(chunk)) if (one.id === id) found[one.derived ? 'derived' : 'own'].push(one.task);
  }
  const matches = found.own.length > 0 ? found.own : found.derived;
  return matches.length === 1 ? matches[0] : undefined;
}

/**
 * Parsing the whole file for each landing is slow, so this yields first the pieces that contain the words of the id in
 * order.
 */
function* likely(text: string, id: string): Generator<Chunk> {
  const words = ` ${plainWords(id).join(' ')} `;
  for (const chunk of chunks(text)) {
    if (` ${plainWords(chunk.text).join(' ')} `.includes(words)) yield chunk;
  }
}

/**
 * The text with this task's `[ ]` changed to `[x]`, or back where `done` is false; undefined when no such task exists
 * or it already has that mark.
 */
export function tickRoadmap(raw: string, id: string, done = true): string | undefined {
  const bom = raw.startsWith('\uFEFF') ? 1 : 0;
  const text = raw.slice(bom);
  const task = find(likely(text, id), id) ?? find(chunks(text), id);
  if (!task || task.done === done) return undefined;
  const at = bom + task.mark;
  if (raw.charAt(at - 1) !== '[' || raw.charAt(at + 1) !== ']') return undefined;
  return `${raw.slice(0, at)}${done ? 'x' : ' '}${raw.slice(at + 1)}`;
}
