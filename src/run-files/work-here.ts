/**
 * Reads ideas of earlier runs for triage: running ones, landed ones, and their durations.
 * Invariant: reads only; needs neither server nor worker, and skips runs with very large event files.
 */
import { stat } from 'node:fs/promises';
import type { KnownWork, PastWork } from '../protocol/triage.js';
import { eventsPath } from './events.js';
import { readModel } from './read-model.js';
import { listRuns } from './run.js';

export interface WorkHere {
  known: KnownWork[];
  /** Newest first. */
  past: PastWork[];
}

const MOST_RUNS = 20;
const MOST_BYTES = 8_000_000;
const OVER = new Set<string>(['completed', 'stopped', 'aborted']);
const LEFT = new Set<string>(['abandoned', 'skipped']);

export async function workHere(root: string, project: string): Promise<WorkHere> {
  const here: WorkHere = { known: [], past: [] };
  const seen = new Set<string>();
  for (const [place, runId] of (await listRuns(root, project).catch(() => [])).slice(0, MOST_RUNS).entries()) {
    const ref = { project, runId };
    const size = await stat(eventsPath(root, ref)).then(
      (about) => about.size,
      () => 0,
    );
    const read = size > MOST_BYTES ? undefined : await readModel(root, ref).catch(() => undefined);
    if (!read) continue;
    const open = place === 0 && !OVER.has(read.model.state);
    for (const { id, title, text = '', group, status, landedBefore, since, spent } of read.model.ideas.values()) {
      const landed = status === 'landed' && !landedBefore;
      const underWay = open && status !== 'landed' && !LEFT.has(status);
      if (group || seen.has(id) || !(landed || underWay)) continue;
      seen.add(id);
      const closed = landed && since !== undefined ? { closed: new Date(since).toISOString() } : {};
      here.known.push({ id, title, text, state: landed ? 'closed' : 'open', ...closed });
      if (landed && spent.ms > 0) here.past.push({ title, text, ms: spent.ms });
    }
  }
  return here;
}
