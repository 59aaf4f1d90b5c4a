/**
 * Delivers one alert to one row.
 * Invariant: never delivers an alert twice: a file beside the run lists delivered ids, and every delivery checks it
 * first. The one exception is a worker that dies between the receiver's reply and that entry; the receiver then gets
 * the same id twice.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { appendOwn, readOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import type { NotifyRow } from '../../config/schema/notify.js';
import type { Alert, DeliverInput, DeliverResult } from '../../protocol/alerts.js';
import { FAILURE } from '../../protocol/failures.js';
import { autopilotId, ideaWorkflowId } from '../../protocol/names.js';
import { loadRun } from '../../run-files/run.js';
import { type WorkContext, type WorkDeps, WorkError } from '../job.js';
import { elsewhere, isRunName } from '../load.js';
import { redactorOf } from '../secrets.js';
import { type Place, playSound, runCommand, showDesktop } from './local.js';
import { type Message, messageOf } from './message.js';
import { withQuestions } from './questions.js';
import { withoutOver } from './still-true.js';
import { sendWebhook } from './webhook.js';

export async function deliverAlert(
  deps: WorkDeps,
  { row: name, alert, pages, ...ref }: DeliverInput,
  { signal }: Pick<WorkContext, 'signal'>,
): Promise<DeliverResult> {
  if (!isRunName(ref)) throw new WorkError(`not a run: ${ref.project}/${ref.runId}`, FAILURE.badInput);
  const { file } = await loadRun(deps.root, ref).catch((error: Error) => {
    throw new WorkError(
      `the files of run ${ref.runId} are not on this host: ${error.message}. ${elsewhere(deps)}`,
      FAILURE.runFilesMissing,
    );
  });
  const row = file.config.notify?.rows.find((one) => one.name === name);
  if (!row) return { outcome: 'gone', to: name };
  const logs = join(runDir(deps.root, ref.project, ref.runId), 'alerts');
  const kept = keptIn(logs);
  if (await isKept(kept, name, alert)) return { outcome: 'before', to: row.to };
  const still = await withoutOver(deps.root, ref.project, alert);
  if (!still) return { outcome: 'gone', to: row.to };
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const message = messageFor(deps, ref.project, await withQuestions(deps.root, ref.project, still), pages);
  await sendTo(row, message, { env: deps.env, cwd: file.repo, logs, project: ref.project, runId: ref.runId, signal });
  await keepDelivered(kept, name, alert);
  return { outcome: 'delivered', to: row.to };
}

/** @throws WorkError when the delivery fails */
export async function sendTo(row: NotifyRow, message: Message, place: Place): Promise<void> {
  switch (row.to) {
    case 'bell':
      return;
    case 'desktop':
      return showDesktop(message, place);
    case 'sound':
      return playSound(row.file, place);
    case 'webhook':
      return sendWebhook(row, message, place.env, place.signal);
    case 'command':
      return runCommand(row, message, place);
  }
}

/** `pages`: address of the Web UI's pages, where known. */
export function messageFor(deps: WorkDeps, project: string, alert: Alert, pages?: string): Message {
  const idOf = (idea?: string): string => (idea === undefined ? autopilotId(project) : ideaWorkflowId(project, idea));
  const links = pages === undefined ? {} : { linkTo: (idea?: string) => `${pages}/${encodeURIComponent(idOf(idea))}` };
  return messageOf(alert, { project, redact: redactorOf(deps), ...links });
}

/** The file with delivered ids, in the run's folder of alerts. */
export const keptIn = (logs: string): string => join(logs, 'delivered.jsonl');

export const keepDelivered = (file: string, row: string, { id }: Alert): Promise<void> =>
  appendOwn(file, `${JSON.stringify({ row, id, at: new Date().toISOString() })}\n`, { flush: true });

export async function isKept(file: string, row: string, { id }: Alert): Promise<boolean> {
  const text = (await readOwn(file).catch(() => undefined)) ?? '';
  return text.split('\n').some((line) => line.includes(id) && isLine(line, row, id));
}

/** Tolerates a torn last line. */
function isLine(line: string, row: string, id: string): boolean {
  try {
    const kept = JSON.parse(line) as { row?: unknown; id?: unknown };
    return kept.row === row && kept.id === id;
  } catch {
    return false;
  }
}
