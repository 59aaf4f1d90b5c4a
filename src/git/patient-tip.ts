/** The tip of a target that a person may be renaming. */
import { setTimeout as delay } from 'node:timers/promises';
import { RepositoryError } from './errors.js';
import { missingTarget } from './landing/missing-target.js';
import { targetTip } from './repository.js';

/** A person may rename the target back within seconds. */
const TARGET_COMES_BACK_MS = 10_000;
const LOOK_AGAIN_MS = 500;

/** As {@link targetTip}; waits a moment for a target that is missing. Rejects when the signal aborts. */
export async function patientTip(repo: string, target: string, signal: AbortSignal): Promise<string> {
  for (const until = Date.now() + TARGET_COMES_BACK_MS; ; ) {
    try {
      return await targetTip(repo, target);
    } catch (error) {
      if (!(error instanceof RepositoryError)) throw error;
      if (Date.now() > until) throw await missingTarget(repo, target, error);
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}
