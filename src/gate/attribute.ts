/**
 * Decides whose failure it is: compares a red command with the same command on the base.
 * Invariant: a failure that cannot be attributed counts as new. Pure; must import types only.
 */
import type { Tested } from './outcomes/outcomes.js';

/** The outcome of one command. `failing` is empty where the runner names no tests. */
export interface CommandOutcome {
  exitCode: number | null;
  failing: readonly string[];
  /** The missing program: nothing was checked. */
  missing?: string;
  /** The tested tests, where the output names them. */
  tested?: Tested;
}

export type Attribution =
  /** It passes on the base. */
  | { kind: 'new'; added: string[]; known: string[] }
  /** A program is missing here and on the base: neither outcome says anything about the work. */
  | { kind: 'cannot-run'; program: string }
  /** The base fails in the same way, or worse. */
  | { kind: 'already-red'; known: string[]; fixed: string[] };

/** `base`: undefined when it is unknown. */
export function attribute(now: CommandOutcome, base: CommandOutcome | undefined): Attribution {
  if (!base || base.exitCode === 0) return { kind: 'new', added: [...now.failing], known: [] };
  if (now.missing !== undefined && base.missing !== undefined) return { kind: 'cannot-run', program: now.missing };
  // A command that could not run is no failure to compare with.
  if (now.missing !== undefined || base.missing !== undefined)
    return { kind: 'new', added: [...now.failing], known: [] };
  const before = new Set(base.failing);
  const added = now.failing.filter((test) => !before.has(test));
  const known = now.failing.filter((test) => before.has(test));
  // Red with named tests on one side only: the cause has changed.
  const comparable = now.failing.length > 0 === base.failing.length > 0;
  if (!comparable || added.length > 0) return { kind: 'new', added, known };
  const still = new Set(now.failing);
  return { kind: 'already-red', known, fixed: base.failing.filter((test) => !still.has(test)) };
}
