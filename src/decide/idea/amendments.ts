/**
 * Hints and answers that wait for an idea's next prompt: how many fit.
 * Invariant: an answer to an open question always fits; what does not fit is refused with the reason, never dropped
 * without a word. May import protocol only.
 */

import type { IdeaLimits } from '../../protocol/activities.js';
import { type LimitPatch, MOST_ITERATIONS, MOST_MINUTES, MOST_NOTES } from '../../protocol/command.js';

export interface Notes {
  count: number;
  /** Characters together. */
  size: number;
}

/** Why no more can be said to the idea now; undefined when there is room. */
export function notesProblem(id: string, waiting: Notes, text: string, most: Notes = MOST_NOTES): string | undefined {
  const then = 'say more once its next prompt has them, or put it into a file of the repository and name that';
  if (waiting.count >= most.count) return `${waiting.count} hints wait for ${id} already: ${then}`;
  if (waiting.size + text.length <= most.size) return undefined;
  return `the hints that wait for ${id} would be longer than ${most.size} characters together: ${then}`;
}

export const sizeOf = (notes: readonly string[] = []): Notes => ({
  count: notes.length,
  size: notes.reduce((sum, note) => sum + note.length, 0),
});

/* Edited limits of an idea (C3). May import protocol only. */

const MOST: Readonly<Record<keyof LimitPatch, number>> = {
  ...{ maxIterations: MOST_ITERATIONS, extra: MOST_ITERATIONS },
  ...{ timeoutMs: MOST_MINUTES * 60_000, iterationTimeoutMs: MOST_MINUTES * 60_000 },
};

/** Why these limits cannot be set; they come from outside, so nothing about them is taken for granted. */
export function patchProblem(patch: unknown): string | undefined {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return 'the new limits are an object';
  for (const [name, value] of Object.entries(patch)) {
    if (!Object.hasOwn(MOST, name)) return `there is no limit ${name}`;
    const most = MOST[name as keyof LimitPatch];
    if (!(Number.isInteger(value) && value >= 1 && value <= most)) return `${name} is a whole number from 1 to ${most}`;
  }
  return undefined;
}

/** A later edit wins; extra iterations add up, unless the limit itself is set anew. */
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
