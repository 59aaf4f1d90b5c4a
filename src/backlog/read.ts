/**
 * Reads a backlog file of any format. Invariant: the result is sound (unique ids, known references, no cycles), or a
 * BacklogError has every problem.
 */
import { createHash } from 'node:crypto';
import { byLine, type Problem } from '../config/problems.js';
import { InputError, MIB, readInput } from '../config/read-input.js';
import type { Idea } from '../protocol/idea.js';
import { BacklogError, detect } from './detect.js';
import { parseIdeas } from './ideas.js';
import { TooComplexError } from './roadmap/chunks.js';
import { parseRoadmap } from './roadmap/roadmap.js';
import { validateIdeas } from './validate.js';

export interface Backlog {
  format: 'roadmap' | 'ideas';
  /** As it was given. */
  file: string;
  /** Of the file's bytes, hexadecimal. */
  sha256: string;
  ideas: Idea[];
}

const MAX_BYTES = 32 * MIB;

function refuse(file: string, message: string, fix?: string, line = 0): never {
  throw new BacklogError([{ file, line, message, ...(fix === undefined ? {} : { fix }) }]);
}

async function load(file: string): Promise<Uint8Array> {
  try {
    return await readInput(file, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.fault === 'missing') return refuse(file, error.message, 'name the backlog: ralphctl start <file>');
    if (error.fault === 'too-large') return refuse(file, error.message, 'split it into several files');
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

/** An idea that others name as their parent is a group, whatever its own fields say. */
function markBlues(ideas: readonly Idea[]): void {
  const parents = new Set(ideas.map((idea) => idea.parent));
  for (const idea of ideas) if (parents.has(idea.id)) idea.blue = true;
}

/**
 * @param opts.text what to read instead of the file's content; `path` then only names it
 * @throws BacklogError, and nothing else, whatever the content
 */
export async function readBacklog(path: string, opts: { text?: string } = {}): Promise<Backlog> {
  const bytes = opts.text === undefined ? await load(path) : Buffer.from(opts.text);
  const text = opts.text ?? decode(path, bytes);
  const found = detect(path, text);
  if ('problem' in found) throw new BacklogError([found.problem]);
  const parsed = await parse(path, text, found);
  markBlues(parsed.ideas);
  const problems: Problem[] = [...parsed.problems, ...validateIdeas(parsed.ideas)];
  if (problems.length > 0) throw new BacklogError(byLine(problems));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { format: found.format, file: path, sha256, ideas: parsed.ideas };
}

async function parse(path: string, text: string, found: Exclude<ReturnType<typeof detect>, { problem: Problem }>) {
  try {
    return found.format === 'roadmap' ? await parseRoadmap(text, path) : parseIdeas(text, path, found.syntax);
  } catch (error) {
    if (error instanceof RangeError) return refuse(path, 'nested too deeply');
    if (error instanceof TooComplexError) {
      const fix = 'shorten it, or put text that is not Markdown into a code block';
      return refuse(path, error.message, fix, error.line);
    }
    throw error;
  }
}
