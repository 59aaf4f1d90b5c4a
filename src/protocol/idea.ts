/**
 * An idea as the backlog gives it, and the compact card that workflow state carries.
 * Invariant: a card stays small (ten thousand of them fit one payload); texts stay on disk.
 * Must import types only.
 */
import type { Origin } from './tracker.js';

/** The source position of an idea, for error messages. `line` is 1-based. */
export interface SourceRef {
  file: string;
  line: number;
}

export interface PlanStep {
  id: string;
  text: string;
  /** Iterations for this step; absent: as many as the idea has left. */
  maxIterations?: number;
  /** A step that does not finish is skipped, instead of ending the idea. */
  optional?: boolean;
}
export interface PlanPhase {
  name: string;
  steps: PlanStep[];
}

/** How important the backlog says an idea is. */
export interface Priority {
  /** Above (or, negative, below) what is normal there; each is worth `weights.priority`. */
  steps: number;
  /** The backlog's own word. */
  said: string;
}

export const MOST_STEPS = 100;
/** A priority that is written as its steps. */
export const stepsOf = (steps: number): Priority => ({ steps, said: steps > 0 ? `+${steps}` : String(steps) });

/** One unit of work. Every optional limit falls back to the run's configuration. */
export interface Idea {
  /** Unique in the backlog; matches {@link IDEA_ID}. */
  id: string;
  /** One line. */
  title: string;
  /** The whole task text, as the agent gets it. */
  text: string;
  /** The heading above the idea (roadmap phase). Informative. */
  phase?: string;
  /** Id of the Blue (parent) idea. */
  parent?: string;
  /** A Blue groups other ideas and is never executed itself. */
  blue: boolean;
  dependsOn: string[];
  tags: string[];
  priority?: Priority;
  /** The source already marks it as done (ticked). */
  done: boolean;
  /** true: iterate until complete; false: a single attempt (B10). */
  ralph: boolean;
  maxIterations?: number;
  /** Wall clock for the whole idea, minutes. */
  timeoutMinutes?: number;
  /** Wall clock for one agent run, minutes. */
  iterationTimeoutMinutes?: number;
  /** Custom completion promise text (B2). */
  promise?: string;
  requireXml?: boolean;
  /** Success criteria, one per entry. */
  success: string[];
  /** Agent name from the configuration. */
  agent?: string;
  /** COMPLETE with no change counts. */
  allowEmpty: boolean;
  plan?: PlanPhase[];
  source: SourceRef;
  /** What an agent found out while it triaged the report. */
  investigation?: { agent: string; notes: string; files: string[] };
  /** It comes from a tracker: its texts are data from outside. */
  origin?: Origin;
}

/** The part of an idea that deciding needs. Empty optional fields are omitted to keep the state small. */
export interface IdeaCard {
  id: string;
  title: string;
  dependsOn?: string[];
  parent?: string;
  tags?: string[];
  priority?: Priority;
  blue?: true;
  /** A single attempt: more iterations do not help it. Absent from older runs. */
  single?: true;
  /** It has a plan with steps. Absent from older runs. */
  plan?: true;
  /** Its own agent, if it names one. */
  agent?: string;
}

export const IDEA_ID = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|$|lock$)){0,63}$/;
export const MAX_CARD_TITLE = 80;

/* Plans (B9) as deciding sees them. Imports nothing. */

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
