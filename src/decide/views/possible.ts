/** The commands that a run accepts for the ideas that wait for a person. Pure. */
import type { AutopilotState } from '../../protocol/run.js';
import type { IdeaLine, RunStatus } from '../../protocol/views.js';
import { legalInterventions, refusedFor, situationOf } from '../idea/table.js';
import type { Graph } from '../scheduler/graph.js';

/** `status`, where each idea that waits for a person or rests has its commands. The summary of an ended run has none. */
export function withPossible(status: RunStatus, state: AutopilotState, graph: Graph): RunStatus {
  const lines = (given: readonly IdeaLine[]): IdeaLine[] =>
    given.map((line) => {
      const entry = graph.entry(line.id);
      if (!entry) return line;
      return { ...line, possible: legalInterventions(situationOf(entry, state.landing), refusedFor(entry, state)) };
    });
  const { attention, held } = status;
  return { ...status, attention: lines(attention), ...(held ? { held: lines(held) } : {}) };
}
