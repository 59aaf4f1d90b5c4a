/**
 * When a person has to look although (or because) of what the gate said: tripwires, and a gate that was red before.
 * Invariant: what a person has approved is not asked again; what was not seen is never taken as approved.
 * May import protocol only.
 */
import type { GateFailure, GateResult, Tripwire } from '../../protocol/gate.js';

const LABEL: Record<Tripwire['kind'], string> = {
  'base-test': 'it breaks what was tested before',
  'deleted-test': 'tests are gone',
  'new-skip': 'a test is skipped or focused',
  'gate-file': 'a file that decides what the gate checks is new or changed',
  outside: 'while the gate ran, somebody changed what no code of an idea has to change',
};
const MOST_SHOWN = 5;

export const tripwireKey = ({ kind, subject }: Tripwire): string => `${kind} ${subject}`;

export const describeTripwire = ({ kind, subject, warn }: Tripwire): string =>
  `${kind === 'base-test' && warn ? 'whether it breaks what was tested before' : LABEL[kind]} (${subject})`;

/** Those that stop a landing and that nobody has approved yet. */
export function openTripwires(gate: GateResult, approved: readonly string[]): Tripwire[] {
  return (gate.tripwires ?? []).filter((one) => !one.warn && !approved.includes(tripwireKey(one)));
}

export function tripwireQuestion(open: readonly Tripwire[]): string {
  const shown = open.slice(0, MOST_SHOWN).map(describeTripwire).join('; ');
  const more = open.length > MOST_SHOWN ? `; and ${open.length - MOST_SHOWN} more` : '';
  return `The gate is green, but look before it lands: ${shown}${more}. Land it as it is: ralphctl approve IDEA, or answer with what to change.`;
}

/** In the question about a gate that was red before, and in no other. */
export const BASELINE_KEY = 'gate.baseline';

export function alreadyRedQuestion({ command, knownTests = [], cannotRun }: GateFailure): string {
  if (cannotRun)
    return `The gate cannot run (${command}). ${cannotRun} gate.baseline: tolerate does not let it pass, as nothing was checked. Then answer with what the agent should do.`;
  const tests = knownTests.length > 0 ? ` (${knownTests.slice(0, MOST_SHOWN).join(', ')})` : '';
  return `The gate was red before this idea began: ${command} fails on its base in the same way${tests}. Mend the target, or set ${BASELINE_KEY} to tolerate or strict in ralphctl.yaml; then answer with what the agent should do: ralphctl answer brings the changed file into the run.`;
}

/** Whether an answer to {@link tripwireQuestion} lets the work land as it is; anything else is for the agent. */
export const isApproval = (answer: string): boolean =>
  /^(?:ok|okay|yes|y|approve|approved|land|land it|lgtm)[.!]?$/i.test(answer.trim());
