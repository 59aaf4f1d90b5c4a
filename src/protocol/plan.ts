/** Plans (B9) as deciding sees them. Imports nothing. */

/** A plan as deciding needs it; the texts stay on disk. */
export interface PlanShape {
  /** Names, cut to a few words. */
  phases: string[];
  steps: { id: string /** 0-based. */; phase: number; maxIterations?: number; optional?: boolean }[];
}

/** Steps before `step` (0-based) are over; `skipped` lists those that were skipped. */
export interface PlanPosition {
  step: number;
  skipped: number[];
}
