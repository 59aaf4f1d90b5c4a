/**
 * Removes secrets from job output, because errors and landing texts go into workflow history, events and the terminal.
 * `agent-run/result.ts` cleans the texts of an agent run with that agent's secrets.
 * Invariant: only texts change; an error keeps its type.
 */
import { type Redact, redactor, secretValues } from '../process/redact.js';
import type { LandResult, UndoResult } from '../protocol/git-work.js';
import type { WorkDeps } from './job.js';

export const redactorOf = ({ env }: WorkDeps): Redact => redactor(secretValues(env));

/** Cleans the error in place: its messages, stacks and causes. */
export function cleanFault(error: unknown, redact: Redact): unknown {
  if (typeof error === 'string') return redact(error);
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    for (const name of ['message', 'stack'] as const) {
      const text = at[name];
      const clean = typeof text === 'string' ? redact(text) : text;
      // Some error classes define these as getters.
      if (clean !== text) Object.defineProperty(at, name, { value: clean, configurable: true, writable: true });
    }
  }
  return error;
}

/** Cleans git's texts in a landing or undo. The gate's texts are already clean. */
export function cleanLanding<Result extends LandResult | UndoResult>(result: Result, redact: Redact): Result {
  if ('detail' in result) return { ...result, detail: redact(result.detail) };
  return {
    ...result,
    ...('note' in result && result.note !== undefined ? { note: redact(result.note) } : {}),
    ...('reverted' in result && result.reverted
      ? { reverted: result.reverted.map((one) => ({ ...one, subject: redact(one.subject) })) }
      : {}),
  };
}
