/** What `status` says of ralphctl itself on this machine, beside the run. */

import { readMetricsRecord } from '../worker/metrics/record.js';
import { runningWorker } from '../worker/record.js';
import type { Context } from './context.js';
import { largeState } from './state-size.js';

/** Sentences, each with its fix. Never rejects. */
export async function ownNotes(context: Pick<Context, 'root'>, project: string): Promise<string[]> {
  return [...(await largeState(context, project)), ...(await noMetrics(context, project).catch(() => []))];
}

/** A note that a killed worker left says nothing. */
async function noMetrics({ root }: Pick<Context, 'root'>, project: string): Promise<string[]> {
  const { problem, fix } = (await readMetricsRecord(root, project)) ?? {};
  return problem !== undefined && (await runningWorker(root, project)) ? [`${problem}. ${fix}`] : [];
}
