/**
 * How the run takes an intervention of a person.
 * Invariant: an intervention with an id is applied once. A refused one changes nothing but what the run answers.
 * May import protocol and decide only.
 */
import type { Intervention } from '../../protocol/command.js';
import { budgetProblem } from '../budget/control.js';
import { goesOn } from '../idea/table.js';
import { isName } from '../messages/shape.js';
import { clip, MAX_REASON } from '../text.js';
import type { Board } from './board.js';
import { isActive } from './control.js';
import { planIntervention } from './interventions.js';

/** How many command ids are remembered. */
const SEEN_KEPT = 50;

/** Why the command is not legal now; undefined when it is. Changes nothing. */
export function refusalOf(board: Board, command: Intervention): string | undefined {
  const plan = planIntervention(board, command);
  return 'refusal' in plan ? plan.refusal : undefined;
}

/** Why a legal command would change nothing. */
export function idleProblem(board: Board, { verb, idea }: Intervention): string | undefined {
  if (verb !== 'resume') return undefined;
  const entry = idea === undefined ? undefined : board.graph.entry(idea);
  if (entry)
    return entry.approval && !goesOn(entry) ? `${idea} waits for an approval: ralphctl approve ${idea}` : undefined;
  if (isActive(board)) return undefined;
  const over = budgetProblem(board);
  return over && `the run stays ${board.state.run}: ${over}`;
}

export function takeCommand(board: Board, command: Intervention): { done: string } | { refusal: string } {
  const { state, told } = board;
  const { verb, idea, reason, id } = command;
  if (id !== undefined && state.seen?.includes(id)) return { done: 'already taken' };
  if (isName(id)) state.seen = [...(state.seen ?? []), id].slice(-SEEN_KEPT);
  const plan = planIntervention(board, command);
  if ('refusal' in plan) {
    // The value may be anything: only a known text is passed on.
    const said = typeof idea === 'string' ? { idea: clip(idea, MAX_REASON) } : {};
    told.push({ verb: clip(verb, MAX_REASON), ...said, refusal: plan.refusal });
    return plan;
  }
  const about = { verb, idea: idea || undefined, reason: reason || undefined };
  const done = plan.carryOut();
  told.push({ ...about, done });
  return { done };
}
