/**
 * Carries long work out in slices. Between two of them the process answers its worker: one that is silent for 20 seconds
 * counts as stuck.
 */
import { setImmediate } from 'node:timers/promises';
import type { Slices } from '../../decide/triage/slices.js';

export async function inTurns<T>(slices: Slices<T>): Promise<T> {
  for (;;) {
    const next = slices.next();
    if (next.done) return next.value;
    await setImmediate();
  }
}
