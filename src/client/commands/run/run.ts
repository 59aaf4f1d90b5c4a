/**
 * `ralphctl run`: a run with waves (E1). It is a start: the same checks, the same flags, the same exit codes.
 */
import { MOST_BATCH, MOST_WAVES } from '../../../config/schema/waves.js';
import { UserError } from '../../../protocol/user-error.js';
import type { Context } from '../../context.js';
import { sourceFlags } from '../../plan/waves.js';
import { type StartOptions, start } from './start.js';

export interface WaveOptions extends Omit<StartOptions, 'waves' | 'again' | 'mode'> {
  maxWaves?: number;
  batchSize?: number;
  confirm?: boolean;
}

export async function runWaves(context: Context, source: string | undefined, options: WaveOptions): Promise<number> {
  const { maxWaves, batchSize, confirm, ...rest } = options;
  refuseBeyond('--max-waves', maxWaves, MOST_WAVES);
  refuseBeyond('--batch-size', batchSize, MOST_BATCH);
  const waves = {
    ...(maxWaves === undefined ? {} : { maxWaves }),
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(confirm === undefined ? {} : { confirm }),
  };
  return start(context, { ...rest, ...(await sourceFlags(context, source)), waves });
}

function refuseBeyond(flag: string, given: number | undefined, most: number): void {
  if (given === undefined || (given >= 1 && given <= most)) return;
  throw new UserError(`${flag} must be a whole number from 1 to ${most}`);
}
