/**
 * Sends `nothing-moves` from this process: without a worker, no workflow can send it.
 * Invariant: never throws. A row never gets the same alert twice, from this process or another. Quiet hours apply.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';

import type { NotifyRow } from '../config/schema/notify.js';
import { quietUntil } from '../decide/alerts/queue.js';
import type { Still } from '../decide/alerts/still.js';
import { isKept, keepDelivered, keptIn, messageFor, sendTo } from '../jobs/alerts/deliver.js';
import { WorkError } from '../jobs/job.js';
import { withLock } from '../process/lock.js';
import type { Alert } from '../protocol/alerts.js';
import type { RunEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import { EventWriter } from '../run-files/events.js';
import { loadNewest } from '../run-files/run.js';
import { settingsOf } from '../run-files/settings.js';
import { pagesOf } from '../server/files.js';

export interface Here {
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

export interface Told {
  row: string;
  /** Absent: delivered now or before, or delayed by quiet hours. */
  problem?: string;
  /** A retry may help, or quiet hours will end. */
  again?: true;
}

/** Maximum wait for another process that may send it meanwhile. */
const MOST_WAIT_MS = 3 * 60_000;

/** The same id in every process: `at` is the last movement before the standstill, epoch ms. */
export const standstillId = (runId: string, at: number): string => `${runId}.run.nothing-moves.${at}`;

/** Alerts each row that names `nothing-moves`. `id`: of the standstill. Resolves to the outcome of each row. */
export async function tellNothingMoves(
  here: Here,
  ref: Omit<RunRef, 'config'>,
  still: Still & { id: string },
): Promise<Told[]> {
  const { root } = here;
  try {
    const { file } = await loadNewest(root, ref);
    const { alerts } = settingsOf(file.config);
    const rows = (file.config.notify?.rows ?? []).filter(({ events }) => events.includes('nothing-moves'));
    if (!alerts || rows.length === 0) return [];
    const quiet = quietUntil(alerts.quiet, alerts.timeZone, Date.now()) !== undefined;
    if (quiet && !alerts.urgent.includes('nothing-moves')) return rows.map(({ name }) => ({ row: name, again: true }));
    const logs = join(runDir(root, ref.project, ref.runId), 'alerts');
    await mkdir(logs, { recursive: true, mode: 0o700 });
    const send = () => Promise.all(rows.map((row) => tellRow(here, { ref, row, logs, cwd: file.repo }, still)));
    return await withLock(join(logs, 'here.lock'), send, { waitMs: MOST_WAIT_MS });
  } catch {
    // A run with unreadable files has no known rows.
    return [];
  }
}

interface Way {
  ref: Omit<RunRef, 'config'>;
  row: NotifyRow;
  logs: string;
  /** Root of the user's checkout. */
  cwd: string;
}

async function tellRow(here: Here, { ref, row, logs, cwd }: Way, still: Still & { id: string }): Promise<Told> {
  const { root, env, signal } = here;
  const kept = keptIn(logs);
  const alert = alertOf(ref.runId, still);
  if (await isKept(kept, row.name, alert)) return { row: row.name };
  const message = messageFor({ root, env, host: '' }, ref.project, alert, await pagesOf(root));
  const record = (event: Pick<Extract<RunEvent, { kind: 'alert' }>, 'state' | 'why'>): Promise<void> =>
    noteEvent(root, ref, { kind: 'alert', row: row.name, events: 1, ...event });
  try {
    await sendTo(row, message, { env, cwd, logs, ...ref, signal });
    await keepDelivered(kept, row.name, alert);
    await record({ state: row.to === 'bell' ? 'bell' : 'delivered' });
    return { row: row.name };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const again = error instanceof WorkError ? error.retryable : true;
    if (!again) await record({ state: 'failed', why: problem });
    return { row: row.name, problem, ...(again ? { again } : {}) };
  }
}

/** Records the event, so that attached commands ring and the log shows it. */
async function noteEvent(root: string, ref: Omit<RunRef, 'config'>, event: RunEvent): Promise<void> {
  const events = new EventWriter(root, () => {});
  events.write(ref, event, Date.now());
  await events.flush();
}

function alertOf(run: string, { id, text, command }: Still & { id: string }): Alert {
  return {
    id,
    counts: { 'nothing-moves': 1 },
    items: [{ id, kind: 'nothing-moves', run, text, command, at: Date.now() }],
  };
}
