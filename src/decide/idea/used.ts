/** Which agent runs may have used tokens or money. May import protocol and decide only. */
import type { RunAgentResult } from '../../protocol/agent-run.js';
import { costsIteration } from './completion.js';

/**
 * Whether the run may have used something: it cost an iteration, or was ended while it ran. `killed`: false in runs of
 * older versions, which do not book those.
 */
export function mayHaveUsed(
  { outcome, durationMs }: Pick<RunAgentResult, 'outcome' | 'durationMs'>,
  killed = true,
): boolean {
  if (costsIteration(outcome)) return true;
  // A budget did not let it begin.
  if (outcome.kind === 'timeout') return durationMs > 0;
  return killed && outcome.kind === 'failed' && outcome.failure === 'killed';
}
