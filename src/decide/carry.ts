/** What people said to an idea before its workflow starts. May import protocol and decide only. */
import type { IdeaCarry, IdeaEntry } from '../protocol/run.js';
import type { Autopilot } from './autopilot.js';

/** Hands out what was kept for the start: hints once, limits and texts each time. */
export function takeCarry(pilot: Autopilot, entry: IdeaEntry): IdeaCarry | undefined {
  const { notes, patch, revision, keepCount } = entry;
  const carry: IdeaCarry = {
    ...(notes ? { notes } : {}),
    ...(patch ? { patch } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(keepCount ? { iteration: keepCount } : {}),
    ...(pilot.state.mode === 'step' ? { step: true } : {}),
  };
  delete entry.notes;
  return Object.keys(carry).length > 0 ? carry : undefined;
}
