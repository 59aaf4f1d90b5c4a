/**
 * Ticks a task in a roadmap. Invariant: exactly one character changes, found by its place in the syntax tree.
 */
import { type Chunk, chunks } from './roadmap-chunks.js';
import { readProperties } from './roadmap-properties.js';
import { type RawTask, Walk } from './roadmap-walk.js';
import { plainWords, slug } from './slug.js';

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

/** Parsing the whole file for each landing would be slow: first only the pieces that hold the words of the id in a row. */
function* likely(text: string, id: string): Generator<Chunk> {
  const words = ` ${plainWords(id).join(' ')} `;
  for (const chunk of chunks(text)) {
    if (` ${plainWords(chunk.text).join(' ')} `.includes(words)) yield chunk;
  }
}

/**
 * The text with `[ ]` of this task turned into `[x]`, or back where `done` is false; undefined when there is no such task
 * or it says so already.
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
