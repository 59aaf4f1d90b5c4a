/**
 * Reads a backlog of any format: a file, or a folder of task files. Invariant: the result is valid (unique ids, known
 * references, no cycles), or a BacklogError has every problem.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { byLine, type Problem } from '../config/problems.js';
import { InputError, MAX_BACKLOG_BYTES, MIB, readInput } from '../config/read-input.js';
import type { FormatName } from '../protocol/backlog-formats.js';
import type { Idea } from '../protocol/idea.js';
import { readBeside } from './beside.js';
import { BacklogError, detect } from './detect.js';
import { namesIn, taskFolder } from './folder.js';
import type { Format, LeftOut, Parsed } from './formats/format.js';
import { FORMATS } from './formats/registry.js';
import type { Beside } from './formats/source.js';
import { Source } from './formats/source.js';
import { TooComplexError } from './roadmap/chunks.js';
import { validateIdeas } from './validate.js';

export interface Backlog {
  format: FormatName;
  /** The path as given. */
  file: string;
  /** Hash of the bytes, hexadecimal. */
  sha256: string;
  ideas: Idea[];
  /** Entries of the file that no run takes. */
  leftOut: LeftOut[];
}

export interface ReadOptions {
  /** Text to read instead of the file's content; the path then only names it. */
  text?: string;
  format?: FormatName | undefined;
  /** The command that reads a backlog, for who has to name another one. */
  command?: string;
}

const SPLIT = 'split it into several files';

function refuse(file: string, message: string, fix?: string, line = 0): never {
  throw new BacklogError([{ file, line, message, ...(fix === undefined ? {} : { fix }) }]);
}

async function load(file: string, command = 'ralphctl start <file>'): Promise<Uint8Array> {
  try {
    return await readInput(file, MAX_BACKLOG_BYTES);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.fault === 'missing') return refuse(file, error.message, `name the backlog: ${command}`);
    if (error.fault === 'too-large') return refuse(file, error.message, SPLIT);
    return refuse(file, error.message);
  }
}

function decode(file: string, bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(file, 'this is not UTF-8 text', 'save it as UTF-8');
  }
  const nul = text.indexOf('\0');
  if (nul === -1) return text;
  const line = text.slice(0, nul).split(/\r\n?|\n/).length;
  return refuse(file, 'this line contains a NUL character', 'remove it, or save the file as UTF-8 text', line);
}

/** An idea that other ideas name as their parent is an epic, whatever its other fields say. */
function markBlues(ideas: readonly Idea[]): void {
  const parents = new Set(ideas.map((idea) => idea.parent));
  for (const idea of ideas) if (parents.has(idea.id)) idea.blue = true;
}

/** @throws BacklogError, and no other error, for any content */
export async function readBacklog(path: string, opts: ReadOptions = {}): Promise<Backlog> {
  if (opts.text === undefined && (await isFolder(path))) return readFolder(path, opts.format);
  const bytes = opts.text === undefined ? await load(path, opts.command) : Buffer.from(opts.text);
  if (bytes.length > MAX_BACKLOG_BYTES) return refuse(path, `larger than ${MAX_BACKLOG_BYTES / MIB} MB`, SPLIT);
  const text = opts.text ?? decode(path, bytes);
  const { format, parsed } = await readText(path, text, opts.format);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { format: format.name, file: path, sha256, ...sound(parsed) };
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Reads a folder of task files, one task each. */
async function readFolder(path: string, named: FormatName | undefined): Promise<Backlog> {
  const { dir, names } = await taskFolder(path);
  const format = FORMATS['backlog-md'];
  if (names.length === 0 || (named !== undefined && named !== format.name))
    return refuse(path, 'this is a folder', 'name a file; a folder is read only where it has task files of Backlog.md');
  const beside = await readBeside(format, names[0] ?? '');
  const all: Parsed = { ideas: [], problems: [], leftOut: await ended(dir) };
  const hash = createHash('sha256');
  for (const file of names) {
    const bytes = await load(file);
    hash.update(bytes);
    const parsed = await parse(format, file, decode(file, bytes), beside);
    all.ideas.push(...parsed.ideas);
    all.problems.push(...parsed.problems);
    all.leftOut?.push(...(parsed.leftOut ?? []));
  }
  // The tool moves a completed task away, so no idea waits for it.
  const over = new Set(all.leftOut?.filter((one) => one.over).map(({ id }) => id));
  for (const idea of all.ideas) idea.dependsOn = idea.dependsOn.filter((id) => !over.has(id));
  return { format: format.name, file: path, sha256: hash.digest('hex'), ...sound(all) };
}

/** Ids of the tasks that Backlog.md moved to the neighbouring folder. */
async function ended(dir: string): Promise<LeftOut[]> {
  const names = await namesIn(`${dir}/../completed`);
  return names.flatMap((name): LeftOut[] => {
    const id = /^(\S+) - /.exec(name)?.[1];
    return [id, id?.toUpperCase(), id?.toLowerCase()].flatMap((one) =>
      one === undefined ? [] : [{ id: one, title: '', line: 0, why: 'it is completed', over: true as const }],
    );
  });
}

async function readText(path: string, text: string, named: FormatName | undefined) {
  const found = detect(new Source(path, bare(text)), named);
  if ('problem' in found) throw new BacklogError([found.problem]);
  const { format } = found;
  return { format, parsed: await parse(format, path, text, await readBeside(format, path)) };
}

const bare = (text: string): string => text.replace(/^\uFEFF/, '');

/** JSON and YAML have escapes for it. No path, argument or variable may contain one. */
const withNul = (ideas: readonly Idea[]): Problem[] =>
  ideas.flatMap(({ source, ...idea }): Problem[] => {
    const [key] = Object.entries(idea).find(([, value]) => hasNul(value)) ?? [];
    return key === undefined
      ? []
      : [{ ...source, message: `a NUL character is not allowed in its ${key}`, fix: 'remove it' }];
  });

const hasNul = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes('\0');
  return value !== null && typeof value === 'object' && Object.values(value).some(hasNul);
};

function sound({ ideas, problems: read, leftOut = [], twice }: Parsed): { ideas: Idea[]; leftOut: LeftOut[] } {
  markBlues(ideas);
  const problems: Problem[] = [...read, ...withNul(ideas), ...validateIdeas(ideas, twice)];
  if (problems.length > 0) throw new BacklogError(byLine(problems));
  // An entry that the tool moved away has an id but no title.
  return { ideas, leftOut: leftOut.filter(({ title }) => title !== '') };
}

async function parse(format: Format, path: string, text: string, beside: Beside): Promise<Parsed> {
  try {
    return await format.parse(new Source(path, bare(text), beside));
  } catch (error) {
    if (error instanceof RangeError) return refuse(path, 'nested too deeply');
    if (error instanceof TooComplexError) {
      const fix = 'shorten it, or put text that is not Markdown into a code block';
      return refuse(path, error.message, fix, error.line);
    }
    throw error;
  }
}
