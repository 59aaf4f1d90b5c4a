/**
 * What an idea can be told and asked, as one table: a row is a Temporal signal and what it changes.
 * Invariant: handlers only note what they were told; the main loop acts.
 */
import { log, setHandler } from '@temporalio/workflow';
import { readAnswer } from '../decide/budget/amounts.js';
import { addPatch, notesProblem, sizeOf } from '../decide/idea/amendments.js';
import { readWarningAnswer } from '../decide/idea/stall.js';
import { isApproval } from '../decide/idea/tripwires.js';
import {
  type Configured,
  isConfigured,
  isEdited,
  isGranted,
  isResync,
  isStep,
  isUseAgent,
  isVerdict,
} from '../decide/messages/between.js';
import { type Problem, readSaid, readStop, readText } from '../decide/messages/said.js';
import { answerNote } from '../protocol/answer.js';
import type { IdeaRunState } from '../protocol/idea-run.js';
import type { WarningAnswer } from '../protocol/warnings.js';
import { type IdeaSession, ideaView } from './idea-session.js';
import { answerWarnings, spentAll } from './idea-warnings.js';
import * as messages from './messages.js';
import { internal, registerSignals, row, type SignalRow } from './messages.js';
import { emit } from './publish.js';

const REASON = 'Input: none, or the reason in double quotes';

const SIGNALS: SignalRow<IdeaSession>[] = [
  row(messages.pauseSignal, `Hold this idea after its running iteration. ${REASON}`, readSaid, ({ state }) => {
    state.paused = true;
  }),
  row(messages.resumeSignal, `Let this idea go on. ${REASON}`, readSaid, ({ state }) => {
    state.paused = false;
  }),
  row(
    messages.stopSignal,
    `End this idea after its running iteration; its work is kept. ${REASON}`,
    readStop,
    ({ state }, [said, drain]) => stop(state, said, drain),
  ),
  row(
    messages.pauseNowSignal,
    `Hold this idea at once: its agent is ended, its work is kept, nothing is charged. ${REASON}`,
    readSaid,
    (session) => {
      session.state.paused = true;
      session.interrupt();
    },
  ),
  row(
    messages.abortSignal,
    `End this idea at once: its agent is ended, its changes are saved. ${REASON}`,
    readSaid,
    (session, [said]) => {
      stop(session.state, said);
      session.interrupt();
    },
  ),
  row(
    messages.approveSignal,
    'Yes to what waits: the next iteration in mode step, or a landing that asks. Input: none',
    readSaid,
    (session) => {
      // A question that needs words is not answered by a yes to the next iteration.
      if (session.approvable) approveQuestion(session);
      else session.state.mayRun = true;
    },
  ),
  row(messages.skipStepSignal, `Leave out the step of the plan that it is at. ${REASON}`, readSaid, leaveStepOut),
  row(
    messages.answerSignal,
    'Answer the open question. Input: the text in double quotes, e.g. "use port 8080"',
    readText,
    takeAnswer,
  ),
  row(
    messages.hintSignal,
    'Advice for the next prompt. Input: the text in double quotes, e.g. "use port 8080"',
    readText,
    (session, [text]) => takeNote(session, 'hint', text),
  ),
  row(
    messages.warnSignal,
    'Answer to its warnings. Input: "continue", "stop" or "+5" (iterations), in double quotes',
    readWarnAnswer,
    (session, [answer]) => answerWarnings(session, answer),
  ),
  internal(messages.editedSignal, isEdited, ({ state }, [{ patch, revision, ceilings }]) => {
    if (ceilings) state.ceilings = state.elsewhere ? { ...ceilings, run: undefined } : ceilings;
    if (patch) state.patch = addPatch(state.patch, patch);
    if (revision !== undefined) state.revision = Math.max(state.revision ?? 0, revision);
  }),
  internal(messages.configuredSignal, isConfigured, takeConfig),
  internal(messages.setStepSignal, isStep, ({ state }, [step]) => {
    state.step = step;
  }),
  internal(messages.slotSignal, isGranted, (session, [{ agentName, choice }]) => {
    session.granted = { agentName, ...(choice ? { choice } : {}) };
  }),
  internal(messages.agentSignal, isUseAgent, ({ state }, [{ choice }]) => {
    state.parked = choice === undefined;
    if (choice) state.choice = choice;
  }),
  internal(messages.verdictSignal, isVerdict, (session, [verdict]) => {
    session.verdict = verdict;
  }),
  internal(messages.resyncSignal, isResync, async ({ input, state, reporter }, [{ parent, runId }]) => {
    reporter.parent = parent;
    // What the run has used is in the ledger under another name than this idea's runs.
    if (runId !== undefined && runId !== input.runId) state.elsewhere = true;
    await reporter.resync();
  }),
];

/** From the next iteration on: what is under way has its input already. The files of another run are not ours to read. */
function takeConfig({ input, state }: IdeaSession, [said]: [Configured]): void {
  const { runId, config, settings, limits } = said;
  if (runId !== input.runId || config <= (input.config ?? 0)) return;
  // Into the input, which a workflow that continues as new is given again.
  input.config = config;
  input.settings = settings;
  if (!state.limits || !limits) return;
  const { maxIterations, timeoutMs, iterationTimeoutMs } = limits;
  state.limits = { ...state.limits, maxIterations, timeoutMs, iterationTimeoutMs };
}

export function handleIdeaMessages(session: IdeaSession): void {
  const { input } = session;
  registerSignals(session, SIGNALS, (name, why) => {
    log.warn('a signal was ignored', { name, why });
    emit(input, { kind: 'refused', verb: name, idea: input.idea, why });
  });
  setHandler(messages.ideaQuery, () => ideaView(input, session.state));
}

function readWarnAnswer(args: readonly unknown[]): [WarningAnswer] | Problem {
  const said = readText(args);
  const answer = 'problem' in said ? undefined : readWarningAnswer(said[0]);
  return answer ? [answer] : { problem: 'an answer to warnings is "continue", "stop" or "+N", in double quotes' };
}

/** A stop of the idea itself goes before one that came with the run's. */
function stop(state: IdeaRunState, reason: string | undefined, drain = false): void {
  if (!drain) delete state.drain;
  else if (!state.stopping) state.drain = true;
  state.stopping = true;
  if (reason) state.stopReason = reason;
}

/** The step it is at: by the time the main loop reads this, that one may be over. */
function leaveStepOut(session: IdeaSession, [why]: [string | undefined]): void {
  const { state } = session;
  const { prepared, plan, phase, question, asking } = state;
  if ((prepared && !prepared.plan) || session.approvable || phase === 'landing') return;
  const step = plan?.step ?? (prepared ? 0 : undefined);
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
function takeAnswer(session: IdeaSession, [text]: [string]): void {
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
  notes.push(answerNote({ question, answer: text }));
  session.answered = true;
}
