/**
 * A landing that did not go through: what the agent is told, and what a person is asked when the agent cannot mend it.
 * May import protocol and decide only.
 */
import type { LandResult } from '../protocol/git-work.js';
import type { IdeaEntry } from '../protocol/run.js';
import { gateFeedback } from './completion.js';
import { alreadyRedQuestion } from './tripwires.js';

export function bounceOf(result: Exclude<LandResult, { kind: 'landed' }>): NonNullable<IdeaEntry['bounce']> {
  if (result.kind === 'conflict') {
    const { onto, files, detail } = result;
    return { reopen: { kind: 'conflict', onto, files }, feedback: { kind: 'landing-conflict', files, detail } };
  }
  const { onto, candidate, gate } = result;
  const failed = gateFeedback(gate);
  const evidence = failed?.kind === 'gate-failed' ? failed : { command: '', exitCode: null, tail: '', log: '' };
  const { command, exitCode, tail, log } = evidence;
  return {
    reopen: { kind: 'red', onto, candidate },
    feedback: { kind: 'landing-red', command, exitCode, tail, log },
  };
}

/** Why a landing did not go through, in a few words. */
export function bounceReason(result: Exclude<LandResult, { kind: 'landed' }>): string {
  if (result.kind === 'conflict') return `it conflicts with the target in ${result.files.slice(0, 5).join(', ')}`;
  return `the gate is red on the merged tree (${result.gate.failure?.command ?? 'no command'})`;
}

export function landingQuestion(result: Exclude<LandResult, { kind: 'landed' }>): string {
  if (result.kind === 'red' && result.gate.failure?.alreadyRed) return alreadyRedQuestion(result.gate.failure);
  return `The work is done but does not land: ${bounceReason(result)}, and the agent could not mend it. Answer with advice to let it try again.`;
}
