/**
 * Problems in a file that a person wrote, with their lines. Readers collect all problems before they throw, so one call
 * shows everything to fix.
 * May import protocol only.
 */
import { upToMore } from '../protocol/up-to-more.js';
import { UserError } from '../protocol/user-error.js';

export interface Problem {
  file: string;
  /** 1-based; 0 for the file as a whole. */
  line: number;
  message: string;
  /** The edit or command that fixes it. */
  fix?: string;
}

const SHOWN = 50;

/** `file:line: message; fix`, one line per problem: fifty or so, then the count of the others, which are never one. */
export function renderProblems(problems: readonly Problem[]): string {
  const shown = upToMore(SHOWN, problems);
  const lines = shown.map(
    (p) => `${p.file}${p.line > 0 ? `:${p.line}` : ''}: ${p.message}${p.fix === undefined ? '' : `; ${p.fix}`}`,
  );
  if (problems.length > shown.length) lines.push(`… and ${problems.length - shown.length} more`);
  return lines.join('\n');
}

export const byLine = (problems: readonly Problem[]): Problem[] => [...problems].sort((a, b) => a.line - b.line);

/** Every problem, one line each. */
export class ProblemsError extends UserError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(renderProblems(problems), undefined, problems.find(({ fix }) => fix !== undefined)?.fix);
    this.problems = problems;
  }
  override get details(): Readonly<Record<string, unknown>> {
    return { problems: this.problems };
  }
}

export class ConfigError extends ProblemsError {}

/* Guesses the known name that a person meant, by an edit distance that ignores case, `-`, `_` and blanks. */

/** Lower case without separators: `max-iterations`, `Max Iterations` and `maxIterations` are the same name. */
export const looseName = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

/** Levenshtein distance; any result above `limit` only means "more than limit". */
export function levenshtein(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The nearest of `known`, or undefined when none is near (more than a third of the letters differ). */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const loose = looseName(word).slice(0, 200);
  let best: string | undefined;
  let bestCost = Math.min(loose.length, Math.max(1, Math.floor((loose.length + 1) / 3)) + 1);
  // Ids of trackers and of other tools get a word in front: `report-gh-1`, `shop.US-001`.
  const behind: string[] = [];
  const lower = word.toLowerCase();
  for (const candidate of known) {
    const front = candidate.slice(0, -word.length);
    if (word !== '' && /[-.]$/.test(front) && candidate.toLowerCase().endsWith(lower)) behind.push(candidate);
    const cost = levenshtein(loose, looseName(candidate).slice(0, 200), bestCost - 1);
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
      if (cost === 0) break;
    }
  }
  return best ?? (behind.length === 1 ? behind[0] : undefined);
}

/** `did you mean "x"?`; all known names when none is near and the list is short; otherwise undefined. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length > 0 && known.length <= 40 ? `known: ${known.join(', ')}` : undefined;
}
