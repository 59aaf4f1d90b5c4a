/**
 * Finds the time of the last activity in the newest run of a project, from its files.
 * Invariant: reads only, and reads a bounded part. Failed attempts to start and alerts do not count.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tailOfOwn } from '../config/own-files.js';
import { runDir } from '../config/paths.js';
import type { StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import type { ShownState } from '../protocol/states.js';
import { eventsPath } from './events.js';

export interface Movement {
  state?: ShownState;
  /** Time of the last event that counts, epoch ms; 0: no such event. */
  at: number;
}

/** Number of bytes to read from the end of the events. */
const TAIL_BYTES = 256_000;
const MOST_FILES = 50_000;

const STILL = new Set<string>([
  'alert',
  'warning',
  'warning-over',
  'waiting',
  'parked',
  'held',
  'iteration',
  'all-limited',
]);

const moves = (event: StampedEvent): boolean =>
  !STILL.has(event.kind) && !(event.kind === 'iteration-end' && event.outcome !== 'ok' && event.commits === 0);

export async function lastMovement(root: string, ref: RunRef): Promise<Movement> {
  const events = await lastEvents(eventsPath(root, ref));
  const state = events.findLast((event) => event.kind === 'run')?.state;
  const last = events.findLast(moves) ?? events.find(({ kind }) => kind !== 'alert');
  const at = last ? Date.parse(last.at) : 0;
  return { ...(state === undefined ? {} : { state }), at: Number.isFinite(at) ? at : 0 };
}

async function lastEvents(path: string): Promise<StampedEvent[]> {
  const tail = await tailOfOwn(path, TAIL_BYTES).catch(() => undefined);
  return (tail ?? '').split('\n').flatMap((line): StampedEvent[] => {
    try {
      const event = JSON.parse(line) as StampedEvent;
      return typeof event.at === 'string' ? [event] : [];
    } catch {
      // A torn line, or the incomplete first line of the part.
      return [];
    }
  });
}

/** Whether an agent or a gate has written output since then; `since` in epoch ms. */
export async function wroteSince(root: string, { project, runId }: RunRef, since: number): Promise<boolean> {
  const folders = [join(runDir(root, project, runId), 'ideas')];
  let seen = 0;
  for (let dir = folders.pop(); dir !== undefined && seen < MOST_FILES; dir = folders.pop()) {
    const here = dir;
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(here, name)));
    for (const { name } of entries.filter((entry) => entry.isFile() && entry.name.endsWith('.log'))) {
      const found = await stat(join(here, name)).catch(() => undefined);
      if (found && found.size > 0 && found.mtimeMs >= since) return true;
    }
  }
  return false;
}
