/** Which run a log is of, and what it lacks. Invariant: reads only. */
import { stat } from 'node:fs/promises';
import type { RunRef } from '../../protocol/run-ref.js';
import { UserError } from '../../protocol/user-error.js';
import { eventsPath } from '../../run-files/events.js';
import { lostEvents } from '../../run-files/read-model.js';
import { noneReadable, readable } from '../../run-files/readable.js';
import { readSummary } from '../../run-files/summary.js';
import { warnOnce } from '../report/summaries.js';

/** The last event of a run may reach its file after its summary. */
const LAST_EVENT_MS = 5000;

/** The newest run with events, or with other files that can be read. A start that was cut off left one with neither. */
export async function newestTold(root: string, project: string, runs: readonly string[]): Promise<string | undefined> {
  for (const runId of runs) {
    const ref = { project, runId };
    const events = await stat(eventsPath(root, ref)).catch(() => undefined);
    if (events || (await readable(root, ref, warnOnce))) return runId;
  }
  if (runs.length > 0) throw noneReadable();
  return undefined;
}

/** After the events of a run that did not tell its end. */
export async function warnOfLost(root: string, ref: RunRef): Promise<void> {
  if (await readSummary(root, ref, warnOnce)) warnOnce(await lostEvents(root, ref));
}

/** Nothing more comes in a run that is over, also where the event that says so is lost. */
export async function endFollowing(root: string, ref: RunRef, stop: AbortController): Promise<void> {
  if (await readSummary(root, ref, () => {})) setTimeout(() => stop.abort(), LAST_EVENT_MS).unref();
}

/** For a part of a view that can be without. */
export function withWarning(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
  warnOnce(error.message);
  return undefined;
}
