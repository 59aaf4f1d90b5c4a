/**
 * Which format a backlog file has, by its ending and, where that says nothing, by its shape.
 */
import type { Syntax } from '../config/located.js';
import type { Problem } from '../config/problems.js';
import { foreignLines, notReadYet, WHAT_IS_READ } from './foreign.js';

export type Detected = { format: 'roadmap' } | { format: 'ideas'; syntax: Syntax };

/** The format of ours that the text is to be read as, or the problem that names another tool's. */
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
      message: 'neither name nor content tell what kind of backlog this is',
      fix: WHAT_IS_READ,
    },
  };
}
