/**
 * When a person has to check the work despite a green gate (tripwires), or because the gate was red before.
 * Invariant: an approved finding is not asked about again; a finding that nobody saw never counts as approved.
 * May import protocol only.
 */
import { approveOffer } from '../../protocol/approve-offer.js';
import { type GateFailure, type GateResult, isNoGate, type Tripwire } from '../../protocol/gate.js';

const LABEL: Record<Tripwire['kind'], string> = {
  'base-test': 'it breaks behaviour that was tested before',
  'deleted-test': 'tests are gone',
  'new-skip': 'a test is skipped or focused',
  'gate-file': 'a file that decides what the gate checks or how agents run is new or changed',
  outside: 'while the gate ran, somebody changed something that the code of an idea must not change',
};
const MOST_SHOWN = 5;

export const tripwireKey = ({ kind, subject }: Tripwire): string => `${kind} ${subject}`;

export const describeTripwire = ({ kind, subject, warn }: Tripwire): string =>
  `${kind === 'base-test' && warn ? 'whether it breaks behaviour that was tested before' : LABEL[kind]} (${subject})`;

/** Tripwires that stop a landing and that nobody has approved yet. */
export function openTripwires(gate: GateResult, approved: readonly string[]): Tripwire[] {
  return (gate.tripwires ?? []).filter((one) => !one.warn && !approved.includes(tripwireKey(one)));
}

export function tripwireQuestion(idea: string, open: readonly Tripwire[], gate: GateResult): string {
  const shown = open.slice(0, MOST_SHOWN).map(describeTripwire).join('; ');
  const more = open.length > MOST_SHOWN ? `; and ${open.length - MOST_SHOWN} more` : '';
  const judged = isNoGate(gate) ? 'No gate is configured, so check' : 'The gate is green, but check';
  return `${judged} this before it lands: ${shown}${more}. ${approveOffer(idea)}To change it: answer with the change you want.`;
}

/** Only the question about a gate that was red before contains this text. */
export const BASELINE_KEY = 'gate.baseline';

export function alreadyRedQuestion({ command, knownTests = [], cannotRun }: GateFailure): string {
  if (cannotRun)
    return `The gate cannot run (${command}). ${cannotRun} Setting gate.baseline to tolerate does not help, because nothing was checked. After the fix, answer with instructions for the agent.`;
  const tests = knownTests.length > 0 ? ` (${knownTests.slice(0, MOST_SHOWN).join(', ')})` : '';
  return `The gate was red before this idea began: ${command} fails on its base in the same way${tests}. Fix the target, or set ${BASELINE_KEY} to tolerate or strict in ralphctl.yaml. Then answer with instructions for the agent: ralphctl answer also loads the changed file into the run.`;
}

/** Whether an answer to {@link tripwireQuestion} approves the landing. Any other answer is for the agent. */
export const isApproval = (answer: string): boolean =>
  /^(?:ok|okay|yes|y|approve|approved|land|land it|lgtm)[.!]?$/i.test(answer.trim());
