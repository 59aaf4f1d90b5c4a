/**
 * Warnings of one idea (B6). Stuck is what `progress.ts` counts.
 * Invariant: a warning stops nothing; each is given once for its cause, and answered once.
 * May import protocol and decide only.
 */
import type { Warning, WarningAnswer, WarningSettings, Watch } from '../protocol/warnings.js';
import { count, countAsBefore, type Left } from './progress.js';

/** For runs of a version that had no such settings. */
export const DEFAULT_WARNINGS: WarningSettings = { stuckAfter: 5, iterationsAt: 0.8 };
/** Below so many iterations a part of them says nothing. */
const FEWEST_ITERATIONS = 5;
/** Iterations that got nowhere after which the agent is told to try another way. */
export const NUDGE_AFTER = 2;

export const nothingWatched = (): Watch => ({ same: 0, told: [], open: [] });

/** Takes note of what an iteration left. `old`: in a run that began without a ladder, whose history says otherwise. */
export function observe(watch: Watch, left: Left, old = false): Watch {
  const counted = old ? countAsBefore(watch, left) : count(watch, left);
  const moved = counted.same === (old ? 1 : 0);
  if (!moved) return counted;
  // Work goes on: the warning has answered itself.
  return {
    ...counted,
    open: watch.open.filter(({ kind }) => kind !== 'stuck'),
    told: watch.told.filter((cause) => cause !== 'stuck'),
  };
}

/** Gives the warnings that are due. `budget`: texts of budgets that are nearly used, by their dimension. */
export function warn(
  watch: Watch,
  at: { iteration: number; most: number; now: number; settings: WarningSettings; budget?: Record<string, string> },
): { watch: Watch; given: Warning[] } {
  const { iteration, most, now, settings, budget = {} } = at;
  const due: [cause: string, Omit<Warning, 'since'>][] = Object.entries(budget).map(([dimension, text]) => [
    `budget ${dimension}`,
    { kind: 'budget', text },
  ]);
  if (watch.same >= settings.stuckAfter) {
    due.push(['stuck', { kind: 'stuck', text: `the last ${watch.same} iterations got it no further` }]);
  }
  if (most >= FEWEST_ITERATIONS && iteration < most && iteration >= most * settings.iterationsAt) {
    due.push([`iterations of ${most}`, { kind: 'iterations', text: `${iteration} of ${most} iterations used` }]);
  }
  const fresh = due.filter(([cause]) => !watch.told.includes(cause));
  const given = fresh.map(([, warning]) => ({ ...warning, since: now }));
  const kinds = new Set(given.map(({ kind }) => kind));
  const open = [...watch.open.filter(({ kind }) => !kinds.has(kind)), ...given];
  return { watch: { ...watch, open, told: [...watch.told, ...fresh.map(([cause]) => cause)] }, given };
}

/** A person has answered: the warnings are closed. What is stuck may be warned of again after as long a time. */
export function answered(watch: Watch): Watch {
  return { ...watch, same: 0, open: [], told: watch.told.filter((cause) => cause !== 'stuck') };
}

/** `continue`, `stop`, `+5`; undefined for anything else. */
export function readWarningAnswer(said: unknown): WarningAnswer | undefined {
  const text = typeof said === 'string' ? said.trim().toLowerCase() : undefined;
  if (text === 'continue' || text === 'stop') return { do: text };
  const by = text === undefined ? undefined : /^\+(\d{1,4})$/.exec(text)?.[1];
  return by !== undefined && Number(by) > 0 ? { do: 'more', by: Number(by) } : undefined;
}
