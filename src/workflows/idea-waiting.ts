/**
 * Waiting with a slot in hand: at the boundary between iterations, and before a run is tried again.
 * Invariant: the boundary is the one place where a pause takes hold.
 */
import { condition } from '@temporalio/workflow';
import { emit } from './events.js';
import type { IdeaSession } from './idea-session.js';

export async function boundary({ state, screen, reporter }: IdeaSession): Promise<void> {
  if (!state.paused || state.stopping) return;
  screen.show('paused', 'paused');
  await reporter.report('paused');
  await condition(() => !state.paused || state.stopping);
  screen.show('preparing', 'running');
  if (!state.stopping) await reporter.report('resumed');
}

export async function backOff({ input, state, screen }: IdeaSession, waitMs: number, why: string): Promise<void> {
  if (waitMs <= 0) return;
  screen.show('backing-off');
  emit(input, { kind: 'waiting', idea: input.idea, why, ms: waitMs });
  await condition(() => state.stopping || state.paused, waitMs, { summary: `waits: ${why}`.slice(0, 180) });
}
