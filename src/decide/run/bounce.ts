/**
 * What a landing that failed means: the agent's feedback, the question to a person, and why an idea stays landed.
 * May import protocol and decide only.
 */
import type { Bounced, UndoResult } from '../../protocol/git-work.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { gateFeedback } from '../idea/completion.js';
import { namedFirst } from '../idea/dependants.js';
import { alreadyRedQuestion } from '../idea/tripwires.js';
import { revertedText } from './reverted.js';

type NotUndone = Exclude<UndoResult, { kind: 'undone' }> | { kind: 'failed'; problem: string };

/** Why the idea stays landed, and what a person can do. */
export function undoProblem(result: NotUndone, idea: string, target: string, needs: readonly string[] = []): string {
  switch (result.kind) {
    case 'conflict': {
      const files = result.files.slice(0, 5).join(', ');
      return `later landings build on it in ${files}. Roll those back first, or take it off by hand: git log ${target} -- ${result.files[0] ?? '.'}`;
    }
    case 'red':
      return `without it the gate is red (${result.gate.failure?.command ?? 'no command'}). Roll back the ideas that need it first${namedFirst(needs)}; then: ralphctl rollback ${idea}`;
    case 'nothing':
      if (result.reverted?.[0]) return revertedText(result.reverted[0], target);
      return result.lost === undefined ? `${target} does not contain it` : lostText(idea, result.lost, target);
    case 'failed':
      return result.problem;
  }
}

const lostText = (idea: string, landed: string, target: string): string =>
  `${idea} landed as ${landed}, which ${target} does not contain any more: it was reset or rewritten; to run it again, once this run is over: ralphctl start`;

export function bounceOf(result: Bounced): NonNullable<IdeaEntry['bounce']> {
  if (result.kind === 'conflict') {
    const { onto, files, detail, after } = result;
    const reopen = { kind: 'conflict' as const, onto, files, ...(after === undefined ? {} : { after }) };
    return { reopen, feedback: { kind: 'landing-conflict', files, detail } };
  }
  const { onto, candidate, gate, others } = result;
  const failed = gateFeedback(gate);
  const evidence = failed?.kind === 'gate-failed' ? failed : { command: '', exitCode: null, tail: '', log: '' };
  const { command, exitCode, tail, log } = evidence;
  return {
    reopen: { kind: 'red', onto, candidate },
    feedback: { kind: 'landing-red', command, exitCode, tail, log, ...(others ? { others } : {}) },
  };
}

/** Why a landing failed, in a few words. */
export function bounceReason(result: Bounced): string {
  if (result.kind === 'conflict') return `it conflicts with the target in ${result.files.slice(0, 5).join(', ')}`;
  return `the gate is red on the merged tree (${result.gate.failure?.command ?? 'no command'})`;
}

export function landingQuestion(result: Bounced): string {
  if (result.kind === 'red' && result.gate.failure?.alreadyRed) return alreadyRedQuestion(result.gate.failure);
  return `The work is done but cannot land: ${bounceReason(result)}, and the agent could not fix it. Answer with advice for the next try.`;
}
