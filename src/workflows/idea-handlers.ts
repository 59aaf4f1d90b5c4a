/**
 * What an idea can be told and asked, as one table: a row is a Temporal signal and what it changes.
 * Invariant: handlers only note what they were told; the main loop acts.
 */
import { log, setHandler } from '@temporalio/workflow';
import { readAnswer } from '../decide/budget.js';
import { addPatch } from '../decide/limits-patch.js';
import { notesProblem, sizeOf } from '../decide/notes.js';
import { isApproval } from '../decide/tripwires.js';
import { readWarningAnswer } from '../decide/warnings.js';
import type { IdeaRunState } from '../protocol/idea-run.js';
import { emit } from './events.js';
import type { IdeaSession } from './idea-session.js';
import { ideaView } from './idea-view.js';
import { answerWarnings, spentAll } from './idea-warnings.js';
import * as messages from './messages.js';
import { registerSignals, row, type SignalRow } from './signal-table.js';

const SIGNALS: SignalRow<IdeaSession>[] = [
  row(messages.pauseSignal, ({ state }) => {
    state.paused = true;
  }),
  row(messages.resumeSignal, ({ state }) => {
    state.paused = false;
  }),
  row(messages.stopSignal, ({ state }, [said]) => stop(state, said)),
  row(messages.pauseNowSignal, (session) => {
    session.state.paused = true;
    session.interrupt();
  }),
  row(messages.abortSignal, (session, [said]) => {
    stop(session.state, said);
    session.interrupt();
  }),
  row(messages.approveSignal, (session) => {
    // A question that needs words is not answered by a yes to the next iteration.
    if (session.approvable) approveQuestion(session);
    else session.state.mayRun = true;
  }),
  row(messages.skipStepSignal, leaveStepOut),
  row(messages.answerSignal, takeAnswer),
  row(messages.hintSignal, (session, [hint]) => {
    const text = textOf(hint);
    if (text) takeNote(session, 'hint', text);
  }),
  row(messages.editedSignal, ({ state }, [{ patch, revision, ceilings }]) => {
    if (ceilings) state.ceilings = state.elsewhere ? { ...ceilings, run: undefined } : ceilings;
    if (patch) state.patch = addPatch(state.patch, patch);
    if (revision !== undefined) state.revision = Math.max(state.revision ?? 0, revision);
  }),
  row(messages.setStepSignal, ({ state }, [step]) => {
    state.step = step;
  }),
  row(messages.slotSignal, (session, [{ agentName, choice }]) => {
    session.granted = { agentName, ...(choice ? { choice } : {}) };
  }),
  row(messages.agentSignal, ({ state }, [{ choice }]) => {
    state.parked = choice === undefined;
    if (choice) state.choice = choice;
  }),
  row(messages.verdictSignal, (session, [verdict]) => {
    session.verdict = verdict;
  }),
  row(messages.warnSignal, async (session, [said]) => {
    const answer = readWarningAnswer(messages.saidText(said));
    if (answer) await answerWarnings(session, answer);
    else log.warn('an answer to warnings was ignored: it is "continue", "stop" or "+N"');
  }),
  row(messages.resyncSignal, async ({ input, state, reporter }, [{ parent, runId }]) => {
    reporter.parent = parent;
    // What the run has used is in the ledger under another name than this idea's runs.
    if (runId !== undefined && runId !== input.runId) state.elsewhere = true;
    await reporter.resync();
  }),
];

export function handleIdeaMessages(session: IdeaSession): void {
  registerSignals(session, SIGNALS);
  setHandler(messages.ideaQuery, () => ideaView(session.input, session.state));
}

function stop(state: IdeaRunState, said: messages.Said): void {
  state.stopping = true;
  const reason = messages.saidText(said);
  if (reason) state.stopReason = reason;
}

/** From a page anything may come; an error here would stop the workflow for good. */
function textOf(said: messages.Answer): string | undefined {
  const text: unknown = typeof said === 'string' ? said : said?.text;
  return typeof text === 'string' ? text.trim() || undefined : undefined;
}

/** The step it is at: by the time the main loop reads this, that one may be over. */
function leaveStepOut(session: IdeaSession, [said]: [messages.Said?]): void {
  const { state } = session;
  const { prepared, plan, phase, question, asking } = state;
  if ((prepared && !prepared.plan) || session.approvable || phase === 'landing') return;
  const step = plan?.step ?? (prepared ? 0 : undefined);
  const why = messages.saidText(said);
  state.skipStep = { ...(step === undefined ? {} : { step }), ...(why ? { why } : {}) };
  if (question && asking !== 'budget') session.answered = true;
  if (phase !== 'preparing') session.interrupt();
}

/** For the next prompt, while there is room. */
function takeNote({ input, state }: IdeaSession, verb: 'hint' | 'answer', text: string): void {
  const problem = notesProblem(input.idea, sizeOf(state.notes), text);
  if (problem === undefined) state.notes.push(text);
  else emit(input, { kind: 'refused', verb, idea: input.idea, why: problem });
}

function approveQuestion(session: IdeaSession): void {
  session.approved = true;
  session.answered = true;
}

/** An answer to an open question; at any other time, a hint for the next prompt. */
function takeAnswer(session: IdeaSession, [answer]: [messages.Answer?, string?]): void {
  const text = textOf(answer);
  if (!text) return;
  const { question, notes, asking } = session.state;
  const over = asking === 'budget' ? spentAll(session) : undefined;
  if (over) {
    // Not for the agent; what says neither "raise" nor "stop" leaves the question open.
    session.budgetAnswer = readAnswer(text, over) ?? session.budgetAnswer;
    return;
  }
  if (question && session.approvable && isApproval(text)) {
    approveQuestion(session);
    return;
  }
  if (!question) {
    takeNote(session, 'answer', text);
    return;
  }
  notes.push(`You asked: ${question}\nThe answer: ${text}`);
  session.answered = true;
}
