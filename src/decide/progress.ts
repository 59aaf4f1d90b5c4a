/**
 * Whether an iteration got anywhere: the one measure for warnings and for the ladder.
 * Invariant: judged on content (the tree and the gate), never on the agent's words or the number of its commits.
 * May import protocol only.
 */

import type { RunAgentResult } from '../protocol/activities.js';
import type { GateResult } from '../protocol/gate.js';
import type { Watch } from '../protocol/warnings.js';

/** States that are remembered: one that was left before is no progress, so that going back and forth is none either. */
const REMEMBERED = 6;

/** What an iteration left. */
export interface Left {
  /** The tree and what the gate said of it, in one short text. */
  fingerprint: string;
  /** Of a gate that ran: what it said if it was red, '' if it was green. */
  red?: string;
  /** The branch differs from its base. */
  changed: boolean;
}

/** `step`: of a plan. */
export function leftBy(
  run: Pick<RunAgentResult, 'changed'> & { tree: string },
  gate: GateResult | undefined,
  step?: number,
): Left {
  const { tree, changed } = run;
  const at = step === undefined ? tree : `${tree} step ${step}`;
  if (!gate) return { fingerprint: at, changed };
  const said = verdictOf(gate);
  const where = step === undefined ? '' : `step ${step} `;
  return { fingerprint: `${at} ${said}`, red: gate.pass ? '' : where + said, changed };
}

/** What a gate says, without times and paths: the command, how it ended and its tests. */
function verdictOf({ pass, failure, tests }: GateResult): string {
  const counts = tests ? `${tests.passed}/${tests.failed}/${tests.skipped}` : '';
  return `${pass ? 'green' : 'red'} ${failure?.command ?? ''} ${failure?.exitCode ?? ''} ${counts}`.trimEnd();
}

/** Counts an iteration. It got nowhere when it left what was there lately, or its gate is red exactly as the last one. */
export function count(watch: Watch, left: Left): Watch {
  const { fingerprint, red } = left;
  const seen = watch.seen ?? (watch.fingerprint === undefined ? [] : [watch.fingerprint]);
  const again = seen.length > 0 ? seen.includes(fingerprint) : !left.changed;
  const redAgain = red !== undefined && red !== '' && red === watch.red;
  return {
    ...watch,
    fingerprint,
    same: again || redAgain ? watch.same + 1 : 0,
    seen: [fingerprint, ...seen.filter((one) => one !== fingerprint)].slice(0, REMEMBERED),
    ...(red === undefined ? {} : { red }),
  };
}

/** As runs that began without a ladder count: what is left for the first time is the first of a row. */
export function countAsBefore(watch: Watch, { fingerprint }: Left): Watch {
  return { ...watch, fingerprint, same: watch.fingerprint === fingerprint ? watch.same + 1 : 1 };
}
