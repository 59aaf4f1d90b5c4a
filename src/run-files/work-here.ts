/**
 * Reads ideas of earlier runs for triage: running ones, landed ones, and their durations.
 * Invariant: reads only; needs neither server nor worker. A run with very many events is read as a stream, of which only
 * those events are parsed that say how its ideas stand. A run that cannot be read is told.
 */
import { stat } from 'node:fs/promises';
import { landedIdeas } from '../git/landing/landed.js';
import { fold } from '../model/fold.js';
import type { RunModel } from '../model/model.js';
import type { RunRef } from '../protocol/run-ref.js';
import { type KnownWork, type PastWork, RECENT_DAYS } from '../protocol/triage.js';
import { eventsPath, parseEvent } from './events.js';
import { emptyModel, readModel, takeAdded } from './read-model.js';
import { listRuns } from './run.js';
import { LineTail } from './tail.js';

export interface WorkHere {
  known: KnownWork[];
  /** Newest first. */
  past: PastWork[];
  /** A sentence for each run that cannot be read. */
  problems: string[];
}

/** Runs that are read in any case; older ones only while their work counts as done lately. */
const MOST_RUNS = 20;
const MOST_RECENT = 500;
const RECENT_MS = RECENT_DAYS * 24 * 3_600_000;
/** Events of a longer file are filtered. */
const MOST_BYTES = 8_000_000;
const OVER = new Set<string>(['completed', 'stopped', 'aborted']);
const LEFT = new Set<string>(['abandoned', 'skipped']);

export async function workHere(root: string, project: string): Promise<WorkHere> {
  const here: WorkHere = { known: [], past: [], problems: [] };
  const seen = new Set<string>();
  const landed = readOnce();
  for (const [place, runId] of (await listRuns(root, project).catch(() => [])).slice(0, MOST_RECENT).entries()) {
    const ref = { project, runId };
    const { size, mtimeMs } = await stat(eventsPath(root, ref)).catch(() => ({ size: 0, mtimeMs: 0 }));
    if (place >= MOST_RUNS && mtimeMs < Date.now() - RECENT_MS) continue;
    const found = await (size > MOST_BYTES ? streamed : whole)(root, ref, landed).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      here.problems.push(`triage does not know the work of run ${runId}: ${why}`);
      return undefined;
    });
    here.problems.push(...(found?.problems ?? []));
    if (found) take(found.model, { here, seen, newest: place === 0 });
  }
  return here;
}

function take(
  { ideas, state }: RunModel,
  { here, seen, newest }: { here: WorkHere; seen: Set<string>; newest: boolean },
): void {
  const open = newest && !OVER.has(state);
  for (const { id, title, text = '', group, status, landedBefore, since, spent } of ideas.values()) {
    const landed = status === 'landed' && !landedBefore;
    const underWay = open && status !== 'landed' && !LEFT.has(status);
    if (group || seen.has(id) || !(landed || underWay)) continue;
    seen.add(id);
    const closed = landed && since !== undefined ? { closed: new Date(since).toISOString() } : {};
    here.known.push({ id, title, text, state: landed ? 'closed' : 'open', ...closed });
    if (landed && spent.ms > 0) here.past.push({ title, text, ms: spent.ms });
  }
}

type Landed = typeof landedIdeas;

/** One look at a target serves all runs that had it. */
function readOnce(): Landed {
  const read = new Map<string, Promise<string[]>>();
  return (...of) => {
    const key = JSON.stringify(of);
    const found = read.get(key) ?? landedIdeas(...of);
    read.set(key, found);
    return found;
  };
}

interface Read {
  model: RunModel;
  problems: string[];
}

const whole = (root: string, ref: RunRef, landed: Landed): Promise<Read | undefined> =>
  readModel(root, ref, undefined, landed);

/** Events that say how ideas stand and what their agents took. Text in an event has its quotes escaped. */
const SAYS = /"kind":"(?:run|idea|iteration|iteration-end|command|gone)"/;

async function streamed(root: string, ref: RunRef, landed: Landed): Promise<Read | undefined> {
  const found = await emptyModel(root, ref, landed);
  if (!found) return undefined;
  const { model } = found;
  for await (const line of new LineTail(eventsPath(root, ref)).take()) {
    const event = SAYS.test(line) ? parseEvent(line) : undefined;
    if (event) fold(model, event);
  }
  return { model, problems: await takeAdded(root, ref, model) };
}
