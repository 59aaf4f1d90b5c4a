/**
 * Which runs of a project have begun, and whether one is over: the one answer for all commands and views that read it from
 * the files.
 * Invariant: reads only. A start that failed leaves the folder of a run that never tells a state: it is no run.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import { StoredFileError } from '../config/stored-error.js';
import type { StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import { eventsPath, followEvents } from './events.js';
import { tellLeftOut, type Unreadable } from './readable.js';
import { listRuns } from './run.js';

type Told = Extract<StampedEvent, { kind: 'run' }>;

async function* toldStates(root: string, ref: RunRef): AsyncGenerator<Told> {
  for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort()))
    if (event.kind === 'run') yield event;
}

/** Whether the run has told a state. */
export async function hasBegun(root: string, ref: RunRef): Promise<boolean> {
  for await (const _ of toldStates(root, ref)) return true;
  return false;
}

/** Ids of the runs that have begun, newest first. `unreadable` gets a sentence for each of which nobody can tell. */
export async function* begunRuns(root: string, project: string, unreadable?: Unreadable): AsyncGenerator<string> {
  for (const runId of await listRuns(root, project)) {
    const ref = { project, runId };
    if ((await hasSummary(root, ref)) || (await hasToldState(root, ref, unreadable))) yield runId;
  }
}

/** Something in the place of the events is there because the run has begun. */
async function hasToldState(root: string, ref: RunRef, unreadable: Unreadable = () => {}): Promise<boolean> {
  try {
    return await hasBegun(root, ref);
  } catch (error) {
    if (error instanceof StoredFileError) return true;
    await tellLeftOut(root, ref, error, unreadable);
    return false;
  }
}

/** The newest run that has begun. `over`: its end is recorded. */
export async function lastBegun(
  root: string,
  project: string,
  unreadable?: Unreadable,
): Promise<{ runId: string; over: boolean } | undefined> {
  for await (const runId of begunRuns(root, project, unreadable))
    return { runId, over: await hasRecordedEnd(root, { project, runId }) };
  return undefined;
}

const hasSummary = (root: string, { project, runId }: RunRef): Promise<boolean> =>
  stat(join(runDir(root, project, runId), 'summary.json')).then(
    () => true,
    () => false,
  );

/** The last states of a run. */
export const ENDED: ReadonlySet<string> = new Set<Told['state']>(['completed', 'stopped', 'aborted']);

/** Its last words count where the summary could not be written. */
async function hasRecordedEnd(root: string, ref: RunRef): Promise<boolean> {
  if (await hasSummary(root, ref)) return true;
  let last: Told | undefined;
  try {
    for await (const event of toldStates(root, ref)) last = event;
  } catch (error) {
    if (!(error instanceof StoredFileError)) throw error;
  }
  return last !== undefined && ENDED.has(last.state);
}

/**
 * The runs of a project, newest first, and whether each is over: its end is recorded, or a newer one has begun. A
 * project has one open run at most. `over: false` for a start that failed, too.
 */
export async function runsOver(root: string, project: string): Promise<{ runId: string; over: boolean }[]> {
  const runs: { runId: string; over: boolean }[] = [];
  let newer = false;
  for (const runId of await listRuns(root, project)) {
    const ref = { project, runId };
    // What cannot be read may be open.
    const over: boolean = newer || (await hasRecordedEnd(root, ref).catch(() => false));
    runs.push({ runId, over });
    newer = over || (await hasBegun(root, ref).catch(() => false));
  }
  return runs;
}
