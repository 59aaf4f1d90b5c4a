/** When a run was paused, and that it goes on. May import protocol and the files beside it only. */
import type { StampedEvent } from '../protocol/events.js';
import type { RunModel } from './model.js';

/** A pause begins with its command, while iterations still finish. One that was taken back before it held is none. */
export function foldPause(
  { pauses, state: before }: RunModel,
  { state, why }: Extract<StampedEvent, { kind: 'run' }>,
  at: number,
): void {
  const last = pauses.at(-1);
  const open = last?.to === undefined ? last : undefined;
  const rests = state === 'pausing' || state === 'paused';
  if (rests && !open) pauses.push({ from: at, ...(why ? { why } : {}) });
  if (!open) return;
  if (rests) {
    if (why) open.why ??= why;
  } else if (before === 'pausing') pauses.pop();
  else open.to = at;
}

/** The run resumes its ideas, too. A stop stays. */
export function resumed({ ideas }: RunModel): void {
  for (const idea of ideas.values()) if (idea.restAsked === 'pause') delete idea.restAsked;
}
