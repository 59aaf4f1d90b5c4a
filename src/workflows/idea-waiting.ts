/**
 * Waiting with a slot in hand: at the boundary between iterations, and before a run is tried again.
 * Invariant: the boundary is the one place where a pause or a missing approval takes hold.
 */
import { condition } from '@temporalio/workflow';
import { limitReached } from '../decide/completion.js';
import { emit } from './events.js';
import type { IdeaSession } from './idea-session.js';

export async function boundary(session: IdeaSession): Promise<void> {
  const { state } = session;
  while (!state.stopping) {
    if (state.paused) await pause(session);
    else if (needsApproval(session)) await approval(session);
    else return;
  }
}

async function pause({ state, screen, reporter }: IdeaSession): Promise<void> {
  screen.show('paused', 'paused');
  await reporter.report('paused');
  await condition(() => !state.paused || state.stopping);
  screen.show('preparing', 'running');
  if (!state.stopping) await reporter.report('resumed');
}

/** Step mode (A6): an agent run needs an approval; one that was not charged needs no second one. */
function needsApproval({ state, limits }: IdeaSession): boolean {
  if (!state.step || state.mayRun || state.ungated) return false;
  return !limits || limitReached(state, limits) === undefined;
}

async function approval(session: IdeaSession): Promise<void> {
  const { state, screen, reporter } = session;
  screen.show('approval', 'paused');
  await reporter.report('approval');
  await condition(() => state.mayRun === true || !state.step || state.stopping || state.paused);
  screen.show('preparing', 'running');
  if (!state.stopping && !state.paused) await reporter.report('resumed');
}

export async function backOff({ input, state, screen }: IdeaSession, waitMs: number, why: string): Promise<void> {
  if (waitMs <= 0) return;
  screen.show('backing-off');
  emit(input, { kind: 'waiting', idea: input.idea, why, ms: waitMs });
  await condition(() => state.stopping || state.paused, waitMs, { summary: `waits: ${why}`.slice(0, 180) });
}
