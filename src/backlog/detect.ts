/**
 * Detects the format of a backlog by its content and its path.
 * Invariant: a roadmap with ids stays a roadmap. Where content and path leave two formats, a person chooses.
 */
import { type Problem, ProblemsError } from '../config/problems.js';
import type { FormatName } from '../protocol/backlog-formats.js';
import { foreignLines, notReadYet, WHAT_IS_READ } from './foreign.js';
import type { Format } from './formats/format.js';
import { FORMATS } from './formats/registry.js';
import type { Source } from './formats/source.js';

const ALL: readonly Format[] = Object.values(FORMATS);
const FOREIGN = ALL.filter(({ name }) => name !== 'roadmap' && name !== 'ideas');

/** The format of the text, or a problem that names the fix. */
export function detect(source: Source, named?: FormatName): { format: Format } | { problem: Problem } {
  if (named !== undefined) return { format: FORMATS[named] };
  const { roadmap, ideas } = FORMATS;
  if (roadmap.place(source)) return { format: roadmap };
  const shaped = FOREIGN.filter((format) => format.shape(source));
  const placed = shaped.filter((format) => format.place(source));
  const [here] = placed;
  if (here && placed.length === 1) return { format: here };
  const own = [roadmap, ideas].find((format) => format.shape(source));
  if (own) return { format: own };
  const [only, ...others] = shaped;
  if (only && others.length > 0) return { problem: ambiguous(source, shaped) };
  if (only) return { format: only };
  // The path belongs to a tool but the content does not fit: that tool's format names the errors.
  const meant = FOREIGN.find((format) => format.place(source));
  if (meant) return { format: meant };
  return byEnding(source);
}

function ambiguous({ file }: Source, formats: readonly Format[]): Problem {
  const fix = formats.map(({ name }) => `--format ${name}`).join(' or ');
  return {
    file,
    line: 1,
    message: `this could be ${formats.map(({ about }) => about).join(' or ')}`,
    fix: `say which: ${fix}; or write backlogFormat: in ralphctl.yaml`,
  };
}

function byEnding(source: Source): { format: Format } | { problem: Problem } {
  const { file, text, ending } = source;
  const { roadmap, ideas } = FORMATS;
  if (source.markdown) return { format: roadmap };
  if (/^ya?ml$/.test(ending) || ending === 'json') return { format: ideas };
  if (ending === 'jsonl' || ending === 'ndjson') return { problem: notReadYet(file, foreignLines(text)) };
  if (ending === 'jsonc') return { problem: notReadYet(file, 'JSON with comments') };
  if (/^\s*[[{]/.test(text) && !/^\s*\[[ xX]\]/.test(text)) return { format: ideas };
  if (/(?:^|[\r\n])\s*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]\]\s/.test(text)) return { format: roadmap };
  return {
    problem: {
      file,
      line: 1,
      message: 'neither the name nor the content shows the format of this backlog',
      fix: WHAT_IS_READ,
    },
  };
}

/** The problems of a backlog. */
export class BacklogError extends ProblemsError {}
