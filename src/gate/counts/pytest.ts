/** pytest: `=== 1 failed, 2 passed, 1 xfailed, 1 error in 0.03s ===`, also without the frame (`-q`). Pure. */
import { counts, type LineParser, pieces, sum } from './tally.js';

const WORDS = new Set([
  'passed',
  'failed',
  'skipped',
  'xfailed',
  'xpassed',
  'error',
  'errors',
  'warning',
  'warnings',
  'deselected',
  'rerun',
  'subtests',
]);

export const pytest: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      const bare = unframed(line);
      const at = bare.lastIndexOf(' in ');
      if (at < 0 || !/^\d+(?:\.\d+)?s(?: \([0-9:]+\))?$/.test(bare.slice(at + 4))) return undefined;
      const parts = pieces(bare.slice(0, at).split(', '));
      if (!parts || parts.size === 0 || [...parts.keys()].some((word) => !WORDS.has(word))) return undefined;
      const n = (...keys: string[]): number => keys.reduce((total, key) => total + (parts.get(key) ?? 0), 0);
      return counts(n('passed', 'xpassed'), n('failed', 'error', 'errors'), n('skipped', 'xfailed'));
    }),
  );

function unframed(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && (line[start] === '=' || line[start] === ' ')) start++;
  while (end > start && (line[end - 1] === '=' || line[end - 1] === ' ')) end--;
  return line.slice(start, end);
}
