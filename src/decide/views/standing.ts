/**
 * The displayed state of a run: its own state, or the effective state for a viewer.
 * May import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import { type StandingState, WAITS_FOR_YOU } from '../../protocol/states.js';
import { holdsWorkflow } from '../idea/table.js';
import type { Graph } from '../scheduler/graph.js';

export interface Standing {
  run: StandingState;
  why?: string;
  /** When it resumes by itself, epoch ms. */
  until?: number;
}

/**
 * A run that waits for its agents' limits shows as paused and resumes by itself. A run in which only people are asked
 * shows as waiting for them.
 */
export function runStanding(state: AutopilotState, graph: Graph): Standing {
  const { run, why: reason, limits, budget } = state;
  if ((run === 'running' || run === 'waiting_user') && limits?.still) return { run: 'paused', ...limits.still };
  if (run === 'running' && waitsForYou(state, graph)) return { run: WAITS_FOR_YOU };
  if (run === 'paused' && budget?.paused === 'day') return { run, why: reason || undefined, until: budget.dayEndsAt };
  return { run, why: reason || undefined };
}

/** Every started idea asks a person, and none can start before an answer. */
function waitsForYou({ entries }: AutopilotState, graph: Graph): boolean {
  let asks = false;
  let holdsSlot = false;
  for (const entry of entries) {
    if (entry.busy) return false;
    if (!holdsWorkflow(entry.status)) continue;
    if (!isAsked(entry)) return false;
    asks = true;
    if (entry.approval) holdsSlot = true;
  }
  // A slot that waits for an approval blocks other starts.
  return asks && (holdsSlot || graph.readyCount === 0);
}

const isAsked = ({ approval, status }: IdeaEntry): boolean => approval === true || status === 'needs-human';
