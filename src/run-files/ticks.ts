/**
 * Finds a backlog's path in the repository and its files with an idea, and the text of a file with ticks. Writes nothing.
 */
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { readBeside } from '../backlog/beside.js';
import { taskFolder } from '../backlog/folder.js';
import { FORMATS } from '../backlog/formats/registry.js';
import type { Beside } from '../backlog/formats/source.js';
import { tickAll } from '../backlog/mark.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { loadIdea } from './run.js';
import type { RunFile } from './shapes.js';

/** Path inside the repository, with forward slashes; undefined when the file lies outside. */
export function repositoryPath(repo: string, file: string): string | undefined {
  const path = relative(repo, file);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return path.split(sep).join('/');
}

/** The same of the file itself, where `file` is a link to it: a landing ticks that one. */
export const placeInRepository = async (repo: string, file: string): Promise<string | undefined> =>
  repositoryPath(repo, await realpath(file).catch(() => file));

/** A file of the backlog, with the ideas of a landing that it contains. */
export interface TickFile {
  file: string;
  /** Path in the repository of the file itself, where `file` is a link to it; undefined outside. */
  place: string | undefined;
  ids: readonly string[];
  beside: Beside;
}

/** The files that contain these ideas: the backlog itself or, for a folder, one file per idea. */
export async function tickFiles(root: string, ref: RunRef, run: RunFile, ids: readonly string[]): Promise<TickFile[]> {
  const { repo, backlog } = run;
  const format = FORMATS[backlog.format];
  const folder =
    /\.md$/i.test(backlog.file) || backlog.format !== 'backlog-md' ? undefined : await taskFolder(backlog.file);
  const byFile = new Map<string, string[]>();
  for (const id of ids) {
    const idea = folder && (await loadIdea(root, ref, id).catch(() => undefined));
    // The repository may have moved since the start.
    const file = folder ? idea && join(folder.dir, basename(idea.source.file)) : backlog.file;
    if (file !== undefined) byFile.set(file, [...(byFile.get(file) ?? []), id]);
  }
  return Promise.all(
    [...byFile].map(async ([file, own]) => ({
      ...{ file, ids: own, place: await placeInRepository(repo, file) },
      beside: await readBeside(format, file),
    })),
  );
}

/** The new text of one of these files; undefined without a change. */
export const tickedText = (
  run: RunFile,
  { file, ids, beside }: TickFile,
  text: string,
  done = true,
): string | undefined => tickAll(file, text, ids, { done, beside, format: run.backlog.format });

/** The changed texts of the files in the repository, for a commit with these ticks. `read` gives a path's text in its tree. */
export const ticksIn =
  (run: RunFile, files: readonly TickFile[]) =>
  async (read: (path: string) => Promise<string | undefined>): Promise<{ path: string; text: string }[]> => {
    const changed: { path: string; text: string }[] = [];
    for (const one of files) {
      const before = one.place === undefined ? undefined : await read(one.place);
      const text = before === undefined ? undefined : tickedText(run, one, before);
      if (one.place !== undefined && text !== undefined) changed.push({ path: one.place, text });
    }
    return changed;
  };

/*
 * Decides which ideas of a run need no work: ticked ones and landed ones, unless a person wants them again. Finds ticks
 * that contradict the target. Pure.
 */

export function needNoWork(
  ideas: Iterable<Idea>,
  onTarget: ReadonlySet<string>,
  again: readonly string[] = [],
): string[] {
  return [...ideas].filter(({ id, done }) => !again.includes(id) && (done || onTarget.has(id))).map(({ id }) => id);
}

/** Of these, the ones that are only ticked: their target does not have them, so no view counts them as landed there. */
export const onlyTicked = (needNone: readonly string[], onTarget: ReadonlySet<string>): string[] =>
  needNone.filter((id) => !onTarget.has(id));

/**
 * Epics that are ticked although they contain open ideas, with those ideas: such an epic does not count as landed (A4).
 */
export function tickedTooEarly(
  ideas: Iterable<Idea>,
  needNone: ReadonlySet<string>,
): { blue: string; open: string[] }[] {
  const all = new Map([...ideas].map((idea) => [idea.id, idea]));
  const early = new Map<string, string[]>();
  for (const { id, parent, blue } of all.values()) {
    if (blue || needNone.has(id)) continue;
    const seen = new Set<string>();
    for (let up = parent; up !== undefined && !seen.has(up); up = all.get(up)?.parent) {
      seen.add(up);
      const above = all.get(up);
      if (above?.blue && above.done) early.set(up, [...(early.get(up) ?? []), id]);
    }
  }
  return [...early].map(([blue, open]) => ({ blue, open }));
}
