/**
 * Whether an idea still holds its wave up, and the wave in a line for `status`.
 * Invariant: pure; a pass over the ideas of one wave, never over all ideas. May import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { WavesLine } from '../../protocol/waves.js';
import { asksToLand } from '../run/control.js';
import type { Graph } from '../scheduler/graph.js';
import { isInReview } from '../scheduler/stack.js';

/** Nothing happens to it without a person, or a wait of its own keeps it. `stopping`: the run starts nothing any more. */
export function rests(entry: IdeaEntry | undefined, graph: Graph, stopping: boolean): boolean {
  if (!entry) return true;
  if (entry.busy) return false;
  switch (entry.status) {
    case 'running':
    case 'wants-slot':
    case 'paused':
      return false;
    case 'landing':
      return isInReview(entry) || asksToLand(entry);
    case 'pending':
      return stopping || !graph.isReady(entry.card.id);
    default:
      return true;
  }
}

/** Waves that `status` names. */
const MOST_SHOWN = 20;

export function wavesLine(
  { waves, run }: AutopilotState,
  { waves: settings }: RunSettings,
  graph: Graph,
): WavesLine | undefined {
  if (!waves || !settings) return undefined;
  const { wave, phase, batch, done, end, held, waitsFor } = waves;
  const over = batch.filter((id) => rests(graph.entry(id), graph, run === 'stopping')).length;
  return {
    ...{ wave, of: settings.maxWaves, phase, batch: batch.length, over, done: done.slice(-MOST_SHOWN) },
    ...(end ? { end } : {}),
    ...(held ? { held: held.why } : {}),
    ...(waitsFor ? { waits: waitsFor.length } : {}),
  };
}
