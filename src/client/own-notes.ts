/** What `status` says of ralphctl itself on this machine, beside the run. */

import { runningWorker } from '../worker/record.js';
import { readServedRecord, type ServedName } from '../worker/served/record.js';
import type { Context } from './context.js';
import { largeState } from './state-size.js';

/** Sentences, each with its fix. Never rejects. */
export async function ownNotes(context: Pick<Context, 'root'>, project: string): Promise<string[]> {
  return [...(await largeState(context, project)), ...(await notServed(context, project).catch(() => []))];
}

const NAMES: readonly ServedName[] = ['keys', 'metrics', 'codec'];

/** A note that a killed worker left says nothing. */
async function notServed({ root }: Pick<Context, 'root'>, project: string): Promise<string[]> {
  const records = await Promise.all(NAMES.map((name) => readServedRecord(root, project, name)));
  const found = records.flatMap((record) =>
    record?.problem === undefined ? [] : [[record.problem, record.fix].filter(Boolean).join('. ')],
  );
  return found.length > 0 && (await runningWorker(root, project)) ? found : [];
}
