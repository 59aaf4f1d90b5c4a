/**
 * Answers that reach an idea: the first one that fits its open question counts.
 * Invariant: every answer is taken or refused, and both are said: to the run where the run sent it, and in the events
 * where a person sent it here.
 */
import { condition, getExternalWorkflowHandle, isCancellation, log, patched } from '@temporalio/workflow';
import { readAnswer as readBudgetAnswer } from '../../decide/budget/amounts.js';
import { notesProblem, sizeOf } from '../../decide/idea/amendments.js';
import { answerRefusal } from '../../decide/idea/answers.js';
import { isApproval } from '../../decide/idea/tripwires.js';
import type { SaidAnswer } from '../../decide/messages/said.js';
import { clip } from '../../decide/text.js';
import { type AnswerTaken, MAX_TAKEN_TEXT, type TakenAnswer } from '../../protocol/answers.js';
import { answerNote } from '../../protocol/command.js';
import * as messages from '../messages.js';
import { emit } from '../publish.js';
import { refusesEmpty } from '../verb-signals.js';
import type { IdeaSession } from './session.js';
import { spentAll } from './warnings.js';

export function takeAnswer(session: IdeaSession, [said]: [SaidAnswer]): void | Promise<void> {
  if (!patched('first-answer-counts')) return takeAsOlder(session, said.text);
  // Both come in one task where no worker had this workflow in memory. The question opens after the signals are read.
  if (session.verdict?.kind === 'ask' && patched('answer-waits-for-ask')) return takeOnceAsked(session, said);
  return takeNow(session, said);
}

async function takeOnceAsked(session: IdeaSession, said: SaidAnswer): Promise<void> {
  await condition(() => session.verdict?.kind !== 'ask' || session.state.stopping);
  return takeNow(session, said);
}

function takeNow(session: IdeaSession, said: SaidAnswer): void | Promise<void> {
  const { input } = session;
  // The run repeats a message whose arrival it does not know.
  const repeated = said.id !== undefined && session.state.answer?.command === said.id;
  const empty = repeated ? undefined : refusesEmpty('answer', input.idea, said.text);
  const outcome = repeated ? { took: 'text' as const } : empty ? { refusal: empty } : take(session, said);
  const { refusal }: Pick<AnswerTaken, 'refusal'> = outcome;
  if (said.id !== undefined) return tellRun(session, { idea: input.idea, id: said.id, ...outcome });
  if (refusal === undefined) return;
  const { text, by } = said;
  emit(input, { kind: 'refused', verb: 'answer', idea: input.idea, text, by, why: refusal });
}

async function tellRun({ reporter }: IdeaSession, taken: AnswerTaken): Promise<void> {
  try {
    await getExternalWorkflowHandle(reporter.parent).signal(messages.answerTakenSignal, taken);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the run did not learn whether its answer was taken', { taken: taken.refusal === undefined });
  }
}

function take(session: IdeaSession, said: SaidAnswer): Pick<AnswerTaken, 'took' | 'refusal'> {
  const { input, state } = session;
  const open = session.answered || session.budgetAnswer !== undefined || state.stopping ? undefined : state.question;
  const { asked, answer } = state;
  const refusal = answerRefusal(input.idea, { question: open, asked, answer }, said);
  if (refusal !== undefined || open === undefined) return { refusal: refusal ?? '' };
  if (state.asking === 'budget') {
    const over = spentAll(session);
    // A changed configuration may have raised it meanwhile: every answer lets the idea continue.
    const about = over ? readBudgetAnswer(said.text, over) : { do: 'raise' as const, by: {} };
    if (!about) return { refusal: `${input.idea} asks about its budget. Answer with "raise", "+N" or "stop"` };
    session.budgetAnswer = about;
    noteAnswer(session, said);
    return { took: 'budget' };
  }
  noteAnswer(session, said);
  if (session.approvable && isApproval(said.text)) {
    approveQuestion(session);
    return { took: 'approval' };
  }
  state.notes.push(answerNote({ question: open, answer: said.text }));
  session.answerText = said.text;
  session.answered = true;
  return { took: 'text' };
}

/** Who answered the open question, when and how. */
export function noteAnswer({ state }: IdeaSession, { text, id, by, who }: Omit<SaidAnswer, 'question'>): void {
  const taken: TakenAnswer = { text: clip(text, MAX_TAKEN_TEXT), at: Date.now() };
  if (state.asked) taken.question = state.asked.id;
  if (id !== undefined) taken.command = id;
  if (by !== undefined) taken.by = by;
  if (who !== undefined) taken.who = who;
  state.answer = taken;
}

export function approveQuestion(session: IdeaSession): void {
  session.approved = true;
  session.answered = true;
}

/* Older versions took every answer; one without a question was a hint. Their histories replay with this. */

function takeAsOlder(session: IdeaSession, text: string): void {
  const { input, state } = session;
  const { question, notes, asking } = state;
  const over = asking === 'budget' ? spentAll(session) : undefined;
  if (over) {
    session.budgetAnswer = readBudgetAnswer(text, over) ?? session.budgetAnswer;
    return;
  }
  if (question && session.approvable && isApproval(text)) {
    approveQuestion(session);
    return;
  }
  if (!question) {
    const problem = notesProblem(input.idea, sizeOf(notes), text);
    if (problem === undefined) notes.push(text);
    else emit(input, { kind: 'refused', verb: 'answer', idea: input.idea, why: problem });
    return;
  }
  notes.push(answerNote({ question, answer: text }));
  session.answerText = text;
  session.answered = true;
}
