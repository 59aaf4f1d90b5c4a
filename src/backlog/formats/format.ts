/**
 * The interface of a backlog format: which files it reads, how it reads them, and which edit marks an idea as done.
 * Invariant: reading never throws. Marking changes one idea's `done` and nothing else, or it changes nothing: ralphctl
 * parses the new text and compares it before returning it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../config/problems.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import { Source } from './source.js';

/** Replaces `length` characters at `offset`. */
export interface Edit {
  offset: number;
  length: number;
  text: string;
}

/** An idea, and the edits of its text that mark it as done or as open again. */
export interface Entry {
  idea: Idea;
  /** @param now ISO time, for formats that store one */
  edits(done: boolean, now: string): readonly Edit[];
}

/** An entry of the file that no run takes. */
export interface LeftOut {
  id: string;
  title: string;
  line: number;
  why: string;
  /** Cancelled: nothing waits for it. */
  over?: true;
}

export interface Read {
  entries: readonly Entry[];
  leftOut?: readonly LeftOut[];
  problems?: readonly Problem[];
  /** The fix where two tasks share an id, for a tool that writes no ids. */
  twice?: string;
}

export interface Parsed {
  ideas: Idea[];
  problems: Problem[];
  leftOut?: LeftOut[];
  twice?: string | undefined;
}

export interface Format {
  name: FormatName;
  /** Names the file and its tool in messages. */
  about: string;
  /** Whether the tool keeps its file at this path. */
  place(source: Source): boolean;
  /** Whether the content has the shape of this format, valid or not. */
  shape(source: Source): boolean;
  parse(source: Source): Parsed | Promise<Parsed>;
  /** The new text; undefined when no such idea exists, it already has that mark, or no safe edit exists. */
  mark(source: Source, id: string, done: boolean, now: string): string | undefined;
  /** Files to read together with this one, relative to its folder. */
  beside?: readonly string[];
}

type Definition = Pick<Format, 'name' | 'about' | 'place' | 'shape' | 'beside'> & { read(source: Source): Read };

/** Builds a format from a function that returns entries. */
export function formatOf({ read, ...definition }: Definition): Format {
  return {
    ...definition,
    parse: (source) => {
      const { entries, problems = [], leftOut = [], twice } = read(source);
      const { kept, out } = settle(entries, leftOut);
      return { ideas: kept.map(({ idea }) => idea), problems: [...problems], leftOut: out, twice };
    },
    mark: (source, id, done, now) => mark(read, source, id, done, now),
  };
}

function mark(read: Definition['read'], source: Source, id: string, done: boolean, now: string): string | undefined {
  try {
    const { entries } = read(source);
    const found = entries.filter(({ idea }) => idea.id === id);
    const [entry] = found;
    if (!entry || found.length > 1 || entry.idea.done === done) return undefined;
    const text = applied(source.text, entry.edits(done, now));
    const after = read(new Source(source.file, text, source.beside)).entries;
    return isDeepStrictEqual(
      after.map(({ idea }) => without(idea)),
      entries.map(({ idea }) => without(idea.id === id ? { ...idea, done } : idea)),
    )
      ? text
      : undefined;
  } catch {
    return undefined;
  }
}

/** Where the text has no dependencies, they follow from the order and from what is done: a mark changes them. */
const without = (idea: Idea): Omit<Idea, 'source' | 'dependsOn'> => {
  const { source: _, dependsOn: __, ...rest } = idea;
  return rest;
};

function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.offset - a.offset)
    .reduce(
      (before, { offset, length, text: put }) => before.slice(0, offset) + put + before.slice(offset + length),
      text,
    );
}

/**
 * Removes dependencies on cancelled entries. Leaves out entries that wait for, or belong to, an entry that is left out.
 */
function settle(entries: readonly Entry[], leftOut: readonly LeftOut[]): { kept: Entry[]; out: LeftOut[] } {
  const out = [...leftOut];
  const over = new Set(leftOut.filter((one) => one.over).map(({ id }) => id));
  const held = new Set(leftOut.filter((one) => !one.over).map(({ id }) => id));
  for (const { idea } of entries) {
    if (idea.dependsOn.some((id) => over.has(id))) idea.dependsOn = idea.dependsOn.filter((id) => !over.has(id));
  }
  const gone = (id: string): boolean => held.has(id) || over.has(id);
  let kept = [...entries];
  for (let before = -1; before !== kept.length; ) {
    before = kept.length;
    kept = kept.filter(({ idea }) => {
      if (idea.done) {
        idea.dependsOn = idea.dependsOn.filter((id) => !held.has(id));
        if (idea.parent !== undefined && gone(idea.parent)) delete idea.parent;
        return true;
      }
      const waits = idea.dependsOn.find((id) => held.has(id));
      const above = idea.parent !== undefined && gone(idea.parent) ? idea.parent : undefined;
      if (waits === undefined && above === undefined) return true;
      held.add(idea.id);
      const why =
        waits === undefined ? `it is part of ${above}, which is left out` : `it waits for ${waits}, which is left out`;
      out.push({ id: idea.id, title: idea.title, line: idea.source.line, why });
      return false;
    });
  }
  return { kept, out };
}
