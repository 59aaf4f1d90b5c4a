/**
 * The signals and queries of an idea as one table: each row is a Temporal signal and its effect.
 * Invariant: handlers only record the input; the main loop acts.
 */
import { log, patched, setHandler } from '@temporalio/workflow';
import { addPatch, notesProblem, sizeOf } from '../../decide/idea/amendments.js';
import { readWarningAnswer } from '../../decide/idea/stall.js';
import {
  type Configured,
  isConfigured,
  isEdited,
  isGranted,
  isResync,
  isStep,
  isUseAgent,
  isVerdict,
  saysAgent,
  type UseAgent,
} from '../../decide/messages/between.js';
import { type Problem, readAnswer, readSaid, readStop, readText } from '../../decide/messages/said.js';
import type { IdeaRunState } from '../../protocol/idea-run.js';
import type { WarningAnswer } from '../../protocol/warnings.js';
import * as messages from '../messages.js';
import { emit } from '../publish.js';
import { internal, registerSignals, row, type SignalRow } from '../signal-rows.js';
import { refusesEmpty } from '../verb-signals.js';
import { approveQuestion, noteAnswer, takeAnswer } from './answers.js';
import type { IdeaSession } from './session.js';
import { ideaView } from './view.js';
import { answerWarnings } from './warnings.js';

const REASON = 'Input: none, or the reason in double quotes';

const SIGNALS: SignalRow<IdeaSession>[] = [
  row(messages.pauseSignal, `Hold this idea after its running iteration. ${REASON}`, readSaid, ({ state }) => {
    state.paused = true;
  }),
  row(messages.resumeSignal, `Resume this idea. ${REASON}`, readSaid, (session) => {
    session.state.paused = false;
    session.resumed = true;
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
    'Approve the next iteration in mode step, or a landing that waits for you. Input: none',
    readSaid,
    (session) => {
      // An approval of the next iteration does not answer a question that needs words.
      if (session.approvable) {
        if (!session.answered) noteAnswer(session, { text: 'approve' });
        approveQuestion(session);
      } else session.state.mayRun = true;
    },
  ),
  row(messages.skipStepSignal, `Skip the current step of its plan. ${REASON}`, readSaid, leaveStepOut),
  row(
    messages.answerSignal,
    'Answer the open question; the first answer counts. Input: the text in double quotes, e.g. "use port 8080"',
    readAnswer,
    takeAnswer,
  ),
  row(
    messages.hintSignal,
    'Advice for the next prompt. Input: the text in double quotes, e.g. "use port 8080"',
    readText,
    takeHint,
  ),
  row(
    messages.warnSignal,
    'Reply to its warnings. Input: "continue", "stop" or "+5" (iterations), in double quotes',
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
    session.granted = { agentName, choice };
  }),
  internal(messages.agentSignal, isAgentSaid, ({ state }, [{ choice }]) => {
    state.parked = choice === undefined;
    if (choice) state.choice = choice;
  }),
  internal(messages.verdictSignal, isVerdict, (session, [verdict]) => {
    session.verdict = verdict;
  }),
  internal(messages.resyncSignal, isResync, async ({ input, state, reporter }, [{ parent, runId }]) => {
    reporter.parent = parent;
    // The ledger has the use of this run under another name than this idea's runs.
    if (runId !== undefined && runId !== input.runId) state.elsewhere = true;
    await reporter.resync();
  }),
];

/** Ideas of 0.1 read an empty message as: no agent can work. Anybody can send one. */
function isAgentSaid(value: unknown): value is UseAgent {
  return isUseAgent(value) && (saysAgent(value) || !patched('agent-is-said'));
}

/** From the next iteration on: the current one already has its input. Files of another run are not available. */
function takeConfig({ input, state }: IdeaSession, [said]: [Configured]): void {
  const { runId, config, settings, limits } = said;
  if (runId !== input.runId || config <= (input.config ?? 0)) return;
  // Into the input, which continue-as-new passes on.
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
  setHandler(messages.ideaQuery, () => ideaView(input, session.state), {
    description: 'This idea: phase, iteration, last signal, gate, question, what it used. Input: none',
  });
}

function readWarnAnswer(args: readonly unknown[]): [WarningAnswer] | Problem {
  const said = readText(args);
  const answer = 'problem' in said ? undefined : readWarningAnswer(said[0]);
  return answer ? [answer] : { problem: 'an answer to warnings is "continue", "stop" or "+N", in double quotes' };
}

/** A stop of the idea itself takes precedence over the run's stop. */
function stop(state: IdeaRunState, reason: string | undefined, drain = false): void {
  if (!drain) delete state.drain;
  else if (!state.stopping) state.drain = true;
  state.stopping = true;
  if (reason) state.stopReason = reason;
}

/** The current step: it may be over when the main loop reads this. */
function leaveStepOut(session: IdeaSession, [why]: [string | undefined]): void {
  const { state } = session;
  const { prepared, plan, phase, question, asking } = state;
  if ((prepared && !prepared.plan) || session.approvable || phase === 'landing') return;
  const step = plan?.step ?? (prepared ? 0 : undefined);
  state.skipStep = { step, why: why || undefined };
  if (question && asking !== 'budget') {
    if (!session.answered) noteAnswer(session, { text: 'skip --step' });
    session.answered = true;
  }
  if (phase !== 'preparing') session.interrupt();
}

/** For the next prompt, while there is capacity. */
function takeHint({ input, state }: IdeaSession, [text]: [string]): void {
  const problem = refusesEmpty('hint', input.idea, text) ?? notesProblem(input.idea, sizeOf(state.notes), text);
  if (problem === undefined) state.notes.push(text);
  else emit(input, { kind: 'refused', verb: 'hint', idea: input.idea, why: problem });
}
