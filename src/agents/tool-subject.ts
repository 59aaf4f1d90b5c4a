/** Says in a few words what a tool call works on, from its arguments: CLIs name them differently, people read them alike. */
import { listOf, objectOf, stringOf } from './json.js';

/** Argument names by how much they say; the first that is there wins. */
const TELLING = [
  ...['file_path', 'filePath', 'absolute_path', 'path', 'notebook_path', 'filename', 'file'],
  ...['command', 'cmd', 'script', 'pattern', 'query', 'url', 'description', 'prompt', 'dir_path', 'directory'],
];
const LONGEST = 300;

/** One line of at most 300 characters; undefined when no argument says anything. */
export function toolSubject(args: unknown): string | undefined {
  const text = stringOf(args);
  if (text !== undefined) return oneLine(text);
  const fields = objectOf(args);
  if (!fields) return undefined;
  for (const name of TELLING) {
    const value = fields[name];
    // A command may come as an argument list.
    const said = stringOf(value) ?? (Array.isArray(value) ? listOf(value).filter(isText).join(' ') : undefined);
    if (said) return oneLine(said);
  }
  return oneLine(Object.values(fields).find(isText) ?? '');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The text on one line, cut to `limit` characters; undefined when nothing is left. */
export function oneLine(text: string, limit = LONGEST): string | undefined {
  // Cut before the replacing: a subject may be a file of megabytes.
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length > limit ? `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
