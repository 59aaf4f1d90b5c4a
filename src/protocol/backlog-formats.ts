/**
 * The names of all backlog formats, as `--format`, `backlogFormat` and the files of a run have them.
 * Invariant: a name stays, because open runs name their format. Imports nothing.
 */
export const FORMAT_NAMES = [
  'roadmap',
  'ideas',
  'prd',
  'beads',
  'fix-plan',
  'ralphy',
  'ralphex',
  'fitchmultz',
  'orchestrator',
  'taskmaster',
  'spec-kit',
  'kiro',
  'openspec',
  'backlog-md',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
