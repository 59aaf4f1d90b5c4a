/** Edited limits of an idea (C3). May import protocol types only. */
import type { IdeaLimits } from '../protocol/activities.js';
import type { LimitPatch } from '../protocol/command.js';

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
