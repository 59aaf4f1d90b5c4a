/**
 * Tells `nothing-moves` from this process: while no worker serves a run, no workflow can.
 * Invariant: never throws, and never delays its caller: who calls it does not wait for receivers. Quiet hours count.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import { quietUntil } from '../decide/alerts/queue.js';
import { messageFor, sendTo } from '../jobs/alerts/deliver.js';
import type { Alert } from '../protocol/alerts.js';
import type { RunRef } from '../protocol/run-ref.js';
import { lastRevision } from '../run-files/revisions.js';
import { loadRun } from '../run-files/run.js';
import { settingsOf } from '../run-files/settings.js';
import { pagesOf } from '../server/files.js';

export interface Here {
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

export interface Told {
  row: string;
  /** Absent: delivered. */
  problem?: string;
  /** An attached terminal rings. */
  bell?: true;
}

/** Alerts each row that names `nothing-moves`. Resolves to what came of it, row by row. */
export async function tellNothingMoves(here: Here, ref: Omit<RunRef, 'config'>, text: string): Promise<Told[]> {
  const { root, env, signal } = here;
  try {
    const config = await lastRevision(root, ref);
    const { file } = await loadRun(root, { ...ref, ...(config > 0 ? { config } : {}) });
    const { alerts } = settingsOf(file.config);
    const rows = (file.config.notify?.rows ?? []).filter(({ events }) => events.includes('nothing-moves'));
    if (!alerts || rows.length === 0) return [];
    const quiet = quietUntil(alerts.quiet, alerts.timeZone, Date.now()) !== undefined;
    if (quiet && !alerts.urgent.includes('nothing-moves')) return [];
    const logs = join(runDir(root, ref.project, ref.runId), 'alerts');
    await mkdir(logs, { recursive: true, mode: 0o700 });
    const message = messageFor({ root, env, host: '' }, ref.project, alertOf(ref.runId, text), await pagesOf(root));
    const place = { env, cwd: file.repo, logs, ...ref, signal };
    return await Promise.all(
      rows.map((row) =>
        sendTo(row, message, place).then(
          (): Told => ({ row: row.name, ...(row.to === 'bell' ? { bell: true } : {}) }),
          (error: Error): Told => ({ row: row.name, problem: error.message }),
        ),
      ),
    );
  } catch {
    // A run whose files cannot be read has no rows to tell.
    return [];
  }
}

function alertOf(run: string, text: string): Alert {
  const at = Date.now();
  const id = `${run}.run.nothing-moves.${at}`;
  return {
    id,
    counts: { 'nothing-moves': 1 },
    items: [{ id, kind: 'nothing-moves', run, text, command: 'ralphctl start', at }],
  };
}
