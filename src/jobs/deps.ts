import type { AgentProgress } from '../protocol/activities.js';

/** What the work of activities is given: no globals, so tests pass their own. */
export interface WorkDeps {
  /** State root; everything that may be touched outside a worktree lies below it. */
  root: string;
  /** Part of the host queue names. */
  host: string;
  env: NodeJS.ProcessEnv;
}

export interface WorkContext {
  /** Aborts when the server, a person or a shutdown ends this attempt. */
  signal: AbortSignal;
  /** base64; lets the next worker hand an interrupted attempt back to the server. */
  taskToken: string;
  /** Tells whoever watches how far an agent is; the last word counts. Absent: nobody watches. */
  say?: (progress: AgentProgress) => void;
  /** True once nobody waits for the result any more: write nothing, leave the mark to the next worker. */
  abandoned: () => boolean;
}
