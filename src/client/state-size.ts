/** A state folder that is larger than the configuration says, as the last cleaning measured it. Reads a note only. */
import { retentionOf } from '../config/schema/retention.js';
import { bytesText } from '../decide/retention/words.js';
import { lastSizes } from '../jobs/clean/measure.js';
import { newestRun } from '../run-files/readable.js';
import type { Context } from './context.js';

/** A sentence, or none. Never rejects. */
export async function largeState({ root }: Pick<Context, 'root'>, project: string): Promise<string[]> {
  const sizes = await lastSizes(root);
  if (!sizes) return [];
  const run = await newestRun(root, project).catch(() => undefined);
  const most = retentionOf(run?.file.config ?? {}).warnMegabytes;
  if (most === 'never' || sizes.bytes <= most * 1e6) return [];
  return [
    `the state folder ${root} has ${sizes.partial ? 'more than ' : ''}${bytesText(sizes.bytes)} (${sizes.at.slice(0, 10)}). What is large: ralphctl doctor --quick; what can go: ralphctl clean --dry-run`,
  ];
}
