/**
 * Detects the format of a backlog file by its extension, or else by its shape.
 */

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Syntax } from '../config/located.js';
import { type Problem, ProblemsError } from '../config/problems.js';
import { foreignLines, notReadYet, WHAT_IS_READ } from './foreign.js';

export type Detected = { format: 'roadmap' } | { format: 'ideas'; syntax: Syntax };

/** The format of the text, or a problem that names the tool of a foreign file. */
export function detect(file: string, text: string): Detected | { problem: Problem } {
  const ending = /\.([A-Za-z0-9]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  if (/^(?:md|markdown|mdown|mkd)$/.test(ending)) return { format: 'roadmap' };
  if (/^ya?ml$/.test(ending)) return { format: 'ideas', syntax: 'yaml' };
  if (ending === 'json') return { format: 'ideas', syntax: 'json' };
  if (ending === 'jsonl' || ending === 'ndjson') return { problem: notReadYet(file, foreignLines(text)) };
  if (ending === 'jsonc')
    return { problem: notReadYet(file, 'JSON with comments (.ralph/queue.jsonc of fitchmultz/ralph)') };
  if (/^\s*[[{]/.test(text.replace(/^\uFEFF/, '')) && !/^\s*\[[ xX]\]/.test(text))
    return { format: 'ideas', syntax: 'json' };
  if (/(?:^|[\r\n])\s*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]\]\s/.test(text)) return { format: 'roadmap' };
  if (/(?:^|[\r\n]|\uFEFF)(?:ideas\s*:|-\s+id\s*:)/.test(text)) return { format: 'ideas', syntax: 'yaml' };
  return {
    problem: {
      file,
      line: 1,
      message: 'neither the name nor the content shows the format of this backlog',
      fix: WHAT_IS_READ,
    },
  };
}

/*
 * Finds the backlog of a repository when nobody names one.
 */

const PLACES = [
  ['.', ['roadmap.md', 'ROADMAP.md', 'ideas.yaml', 'ideas.yml', 'ideas.json']],
  ['specs', ['roadmap.md']],
] as const;

/** Names as the folder lists them: where case does not matter, a file must not be found twice. */
const names = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

/**
 * Path of the backlog below `dir`: the configured one, else the one file with a known name.
 * @throws BacklogError when there is none, or more than one
 */
export async function findBacklog(dir: string, configured?: string): Promise<string> {
  if (configured !== undefined) return resolve(dir, configured);
  const found: string[] = [];
  for (const [folder, known] of PLACES) {
    const here = new Set(await names(join(dir, folder)));
    found.push(...known.filter((name) => here.has(name)).map((name) => join(dir, folder, name)));
  }
  const [only, ...others] = found;
  if (only === undefined) {
    const fix = `write roadmap.md, or name the file: ralphctl start <file>. ${WHAT_IS_READ}`;
    throw new BacklogError([{ file: dir, line: 0, message: 'there is no backlog here', fix }]);
  }
  if (others.length === 0) return only;
  const fix = `name one: ralphctl start ${only}, or "backlog:" in ralphctl.yaml`;
  throw new BacklogError([
    { file: dir, line: 0, message: `more than one file could be the backlog: ${found.join(', ')}`, fix },
  ]);
}

/** What is wrong with a backlog. */
export class BacklogError extends ProblemsError {}
