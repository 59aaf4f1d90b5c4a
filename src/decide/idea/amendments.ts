/**
 * Limits for hints and answers that wait for an idea's next prompt.
 * Invariant: an answer to an open question always fits. Anything that does not fit is refused with the reason, never
 * dropped silently. May import protocol and checks of messages only.
 */

import type { IdeaLimits } from '../../protocol/activities.js';
import { type HintedAt, type LimitPatch, MOST_ITERATIONS, MOST_MINUTES, MOST_NOTES } from '../../protocol/command.js';
import type { IdeaView } from '../../protocol/views.js';
import { type Check, isCount, isName, isTrue, maybe, shaped } from '../messages/shape.js';

export interface Notes {
  count: number;
  /** Characters together. */
  size: number;
}

/** Why the idea accepts no more hints now; undefined when it does. */
export function notesProblem(id: string, waiting: Notes, text: string, most: Notes = MOST_NOTES): string | undefined {
  const then = 'send more after its next prompt, or put the text into a file of the repository and name the file';
  if (waiting.count >= most.count) return `${waiting.count} hints already wait for ${id}: ${then}`;
  if (waiting.size + text.length <= most.size) return undefined;
  return `the waiting hints for ${id} would exceed ${most.size} characters together: ${then}`;
}

/** Why no prompt follows by itself that would have a hint, and what makes one; undefined: the next prompt has it. */
export function hintWaits({
  idea,
  phase,
  iteration,
  maxIterations: most,
  single,
  step,
}: HintedIdea): string | undefined {
  if (phase === 'closed' || phase === 'needs-human') return undefined;
  const kept = `${idea} has your text, but no prompt follows by itself that would have it`;
  if (phase === 'landing')
    return `${kept}: its work is done and waits to land. It is read only if that landing gives the idea back to its agent`;
  if (most === undefined || iteration < most) return undefined;
  // Each step of a plan has an attempt.
  if (most === 1 && step && step.number < step.of) return undefined;
  const retry = `ralphctl retry ${idea}, once it has ended without landing`;
  // An idea with a single attempt gets no other one from `limit`.
  if (most === 1 || single) return `${kept}: this is its only iteration. To have it read: ${retry}`;
  return `${kept}: this is its last iteration, ${iteration} of ${most}. To have it read: ralphctl limit ${idea} 1 now, or ${retry}`;
}

type HintedIdea = HintedAt & { idea: string };

/** The reply to a hint that an open idea takes. Only its sender may know where it is: a Temporal signal does not say. */
export function hintTaken(idea: string, seen: unknown): string {
  if (!isHintedAt(seen)) return `${idea} has your text for its next prompt, if one follows`;
  return hintWaits({ idea, ...seen }) ?? `${idea} gets your text with its next prompt`;
}

/** What the sender of a hint passes on. */
export const seenOf = ({ phase, iteration, maxIterations, single, step }: IdeaView): HintedAt => ({
  ...{ phase, iteration },
  ...(maxIterations === undefined ? {} : { maxIterations }),
  ...(single ? { single } : {}),
  ...(step ? { step: { number: step.number, of: step.of } } : {}),
});

const isHintedAt = shaped<HintedAt>({
  phase: isName as Check<HintedAt['phase']>,
  iteration: isCount,
  maxIterations: maybe(isCount),
  single: maybe(isTrue),
  step: maybe(shaped<NonNullable<HintedAt['step']>>({ number: isCount, of: isCount })),
});

export const sizeOf = (notes: readonly string[] = []): Notes => ({
  count: notes.length,
  size: notes.reduce((sum, note) => sum + note.length, 0),
});

/** Why more iterations do not help an idea with a single attempt, and what does. @param again whether it takes a retry now */
export const singleAttempt = (id: string, again: boolean): string =>
  `${id} has a single attempt (ralph: false), so more iterations do not help it. ${again ? `To try it again: ralphctl retry ${id}. ` : ''}For a longer agent run: ralphctl edit ${id} --iteration-timeout MINUTES`;

/* Edited limits of an idea (C3). May import protocol only. */

const MOST: Readonly<Record<keyof LimitPatch, number>> = {
  ...{ maxIterations: MOST_ITERATIONS, extra: MOST_ITERATIONS },
  ...{ timeoutMs: MOST_MINUTES * 60_000, iterationTimeoutMs: MOST_MINUTES * 60_000 },
};

/** Why these limits are invalid. They come from outside, so every field is checked. */
export function patchProblem(patch: unknown): string | undefined {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return 'the new limits must be an object';
  for (const [name, value] of Object.entries(patch)) {
    if (!Object.hasOwn(MOST, name)) return `there is no limit ${name}`;
    const most = MOST[name as keyof LimitPatch];
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      return `${name} must be a whole number from 1 to ${most}`;
  }
  return undefined;
}

/** A later edit wins. Extra iterations add up, unless the edit sets the limit itself. */
export function addPatch(before: LimitPatch | undefined, patch: LimitPatch): LimitPatch {
  const extra = (patch.maxIterations === undefined ? (before?.extra ?? 0) : 0) + (patch.extra ?? 0);
  const { extra: _, ...set } = patch;
  return { ...before, ...set, ...(extra === 0 ? { extra: undefined } : { extra }) };
}

export function patchedLimits(limits: IdeaLimits, patch: LimitPatch | undefined): IdeaLimits {
  if (!patch) return limits;
  return {
    ...limits,
    maxIterations: (patch.maxIterations ?? limits.maxIterations) + (patch.extra ?? 0),
    timeoutMs: patch.timeoutMs ?? limits.timeoutMs,
    iterationTimeoutMs: patch.iterationTimeoutMs ?? limits.iterationTimeoutMs,
  };
}
