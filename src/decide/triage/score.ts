/** The score of a report: its importance and its amount of detail. Among duplicates the highest score stays. */
import type { BugReport, ScorePart } from '../../protocol/triage.js';
import type { Readable } from './readable.js';
import type { Shown } from './shown.js';

const LABELS: readonly (readonly [number, RegExp])[] = [
  [50, /critical|blocker|urgent|\bp0\b|security|data.?loss|sev(?:erity)?[-: ]*1\b/i],
  [20, /\bhigh\b|important|\bp1\b|regression|sev(?:erity)?[-: ]*2\b/i],
  [-10, /\blow\b|minor|trivial|\bp3\b|\bp4\b|nice.to.have/i],
];

const HARM =
  /\bdata loss\b|\b(?:lost|lose|loses|deletes?|deleted|overwrites?|overwritten)\b.{0,40}\b(?:work|data|text|file|files|page|paragraph|article|booking|order)\b|\bcrash(?:es|ed)?\b|\bsecurity\b|\bcharges?\b|\bcharged\b|\bleaks?\b/i;

export function scoreOf(report: BugReport, { said, title, picture }: Readable, shown: Shown): ScorePart[] {
  const parts: ScorePart[] = [];
  const add = (label: string, value: number, when: boolean): void => void (when && parts.push({ label, value }));
  const label = LABELS.find(([, pattern]) => report.labels.some((one) => pattern.test(one)));
  if (label) add('label', label[0], true);
  add('error message', 20, shown.error !== undefined);
  add('harm', 20, HARM.test(`${title}\n${said}`));
  add('steps', 15, shown.steps);
  add('expected and actual', 10, shown.contrast);
  add('picture', 5, picture);
  add('details', Math.min(10, shown.anchors * 2), shown.anchors > 0);
  return parts;
}

export const total = (parts: readonly ScorePart[]): number => parts.reduce((sum, { value }) => sum + value, 0);
