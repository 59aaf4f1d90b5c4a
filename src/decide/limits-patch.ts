/** Edited limits of an idea (C3). May import protocol only. */
import type { IdeaLimits } from '../protocol/activities.js';
import { type LimitPatch, MOST_ITERATIONS, MOST_MINUTES } from '../protocol/command.js';

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
