/**
 * Parses roadmap.md (F1): tasks as checkbox items. Invariant: never drops a possible task silently.
 *
 * A task without an id gets one from its text when the id is unambiguous: no other task gets the same id, and either no
 * task of the file has an explicit id or other tasks under the same heading have one. Editing that text creates another
 * task.
 */
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../../config/problems.js';
import type { Idea } from '../../protocol/idea.js';
import { foreignHeadings, notReadYet } from '../foreign.js';
import { markdownLines, nearly } from '../formats/md-lines.js';
import { slug } from '../slug.js';
import { chunks } from './chunks.js';
import { readProperties } from './properties.js';
import { type RawTask, Walk } from './walk.js';

/** Interval at which parsing yields to heartbeats, ms. */
const BREATH_MS = 25;

async function walk(text: string, file: string): Promise<Walk> {
  const found = new Walk(file);
  let since = performance.now();
  for (const chunk of chunks(text)) {
    found.add(chunk);
    if (performance.now() - since < BREATH_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return found;
}

/** Boxes that Markdown reads as text, often of the task above: `-[ ] **id**: title`. */
const GLUED = /^[ \t]*[-*+]\[(?:[ \t]*|[xX])\][ \t]+\S/m;

function gluedBoxes(text: string, file: string): Problem[] {
  if (!GLUED.test(text)) return [];
  return markdownLines(text).flatMap((line) => {
    const meant = GLUED.test(line.text) ? nearly(line) : undefined;
    const message = 'a checkbox needs a blank before its brackets';
    return meant ? [{ file, line: line.line, message, fix: `write: ${meant.text.trim()}` }] : [];
  });
}

/** Returns the ideas of a roadmap and its problems. `validate.ts` checks relations between ideas. */
export async function parseRoadmap(raw: string, file: string): Promise<{ ideas: Idea[]; problems: Problem[] }> {
  const text = raw.replace(/^\uFEFF/, '');
  const { tasks, headings, problems } = await walk(text, file);
  problems.push(...gluedBoxes(text, file));
  const at = (line: number, message: string, fix: string): void => {
    problems.push({ file, line, message, fix });
  };
  const read = tasks.map((task) => {
    const { said, problems: wrong } = readProperties(task.properties, file);
    problems.push(...wrong);
    if (task.id !== undefined && said.id !== undefined && said.id !== task.id) {
      at(task.line, `this task has two ids: "${task.id}" and "${said.id}"`, 'keep one');
    }
    return { task, said, id: said.id ?? task.id };
  });
  const foreign = read.some((one) => one.id !== undefined) ? undefined : foreignHeadings(headings);
  if (foreign) return { ideas: [], problems: [notReadYet(file, foreign)] };
  if (tasks.length === 0 && problems.length === 0) {
    at(1, 'this file contains no task', 'a task looks like this: - [ ] **task-001**: what to do');
  }

  const withIds = new Set(read.flatMap((one) => (one.id === undefined ? [] : [one.task.section])));
  const ids = new Map<RawTask, string>();
  const derived = new Map<string, number>();
  for (const { task, id } of read) {
    const fix = `give it one: - [ ] **${slug(task.title) ?? 'task-001'}**: …`;
    if (task.title === '') at(task.line, 'this task has no text', 'describe the task after the checkbox');
    else if (id !== undefined) ids.set(task, id);
    else if (withIds.size > 0 && !withIds.has(task.section)) {
      at(task.line, 'this task has no id', `${fix}, or remove the checkbox if it is not a task`);
    } else {
      const made = slug(task.title);
      const first = made === undefined ? undefined : derived.get(made);
      if (made === undefined) at(task.line, 'the text of this task gives no usable id', fix);
      else if (first !== undefined) at(task.line, `this task and the one on line ${first} would get the same id`, fix);
      else {
        derived.set(made, task.line);
        ids.set(task, made);
      }
    }
  }

  const ideas = read.flatMap(({ task, said }): Idea[] => {
    const id = ids.get(task);
    if (id === undefined) return [];
    const { id: _, parent: named, ...rest } = said;
    const nested = task.parent && ids.get(task.parent);
    if (named !== undefined && nested !== undefined && named !== nested) {
      at(task.line, `"${id}" is indented below "${nested}" and names the parent "${named}"`, 'keep one of them');
    }
    const parent = nested ?? named;
    return [
      {
        id,
        title: task.title,
        text: task.text || task.title,
        ...(task.phase === undefined ? {} : { phase: task.phase }),
        ...(parent === undefined ? {} : { parent }),
        blue: false,
        done: task.done,
        ralph: false,
        allowEmpty: false,
        ...rest,
        source: { file, line: task.line },
      },
    ];
  });
  return { ideas, problems };
}
