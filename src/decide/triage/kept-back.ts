/**
 * What triage compares reports with, besides work of this project.
 * Invariant: `ralphctl triage` and the waves of a run compare with the same. Pure.
 */
import type { BugReport, KnownWork } from '../../protocol/triage.js';

/**
 * Reports that a label keeps back are not worked on, and what repeats them is not, either.
 * `taken`: whether a run may take the report with this id.
 */
export const keptBack = (
  reports: readonly BugReport[],
  held: ReadonlySet<string>,
  taken: (id: string) => boolean,
): KnownWork[] =>
  reports
    .filter(({ id, state }) => state === 'open' && held.has(id) && !taken(id))
    .map(({ id, title, body }) => ({ id, title, text: body, state: 'held' }));
