/** What people said to an idea before its workflow starts. May import protocol and decide only. */
import type { IdeaCarry } from '../protocol/idea-run.js';
import type { IdeaEntry } from '../protocol/run.js';
import type { Autopilot } from './autopilot.js';

/** Hands out what was kept for the start: hints and a step to leave out once, limits and texts each time. */
export function takeCarry(pilot: Autopilot, entry: IdeaEntry): IdeaCarry | undefined {
  const { notes, patch, revision, keepCount, skipStep } = entry;
  const carry: IdeaCarry = {
    ...(notes ? { notes } : {}),
    ...(patch ? { patch } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(keepCount ? { iteration: keepCount } : {}),
    ...(skipStep ? { skipStep } : {}),
    ...(pilot.state.mode === 'step' ? { step: true } : {}),
  };
  delete entry.notes;
  delete entry.skipStep;
  return Object.keys(carry).length > 0 ? carry : undefined;
}
