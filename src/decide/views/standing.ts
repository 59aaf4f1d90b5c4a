/**
 * How the run stands, as people see it: a state of the run, or what it comes to for whoever looks.
 * May import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import { type StandingState, WAITS_FOR_YOU } from '../../protocol/states.js';
import { holdsWorkflow } from '../idea/table.js';
import type { Graph } from '../scheduler/graph.js';

export interface Standing {
  run: StandingState;
  why?: string;
  /** When it goes on by itself, epoch ms. */
  until?: number;
}

/** A run that waits for its agents' limits is paused, and goes on by itself; one in which only people are asked waits for them. */
export function runStanding(state: AutopilotState, graph: Graph): Standing {
  const { run, why: reason, limits, budget } = state;
  if ((run === 'running' || run === 'waiting_user') && limits?.still) return { run: 'paused', ...limits.still };
  if (run === 'running' && waitsForYou(state, graph)) return { run: WAITS_FOR_YOU };
  if (run === 'paused' && budget?.paused === 'day')
    return { run, ...(reason ? { why: reason } : {}), until: budget.dayEndsAt };
  return { run, ...(reason ? { why: reason } : {}) };
}

/** Every idea that has begun asks a person, and none begins before an answer. */
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
  // A slot that waits for an approval keeps others from starting.
  return asks && (holdsSlot || graph.readyCount === 0);
}

const isAsked = ({ approval, status }: IdeaEntry): boolean => approval === true || status === 'needs-human';
