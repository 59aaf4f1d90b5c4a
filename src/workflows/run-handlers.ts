/**
 * What a run can be told and asked. Invariant: handlers only queue what happened or read; the main loop acts. Requests
 * that can be refused are updates with validators, so that a refusal leaves no history.
 */
import { ApplicationFailure, log, setHandler } from '@temporalio/workflow';
import type { Autopilot } from '../decide/autopilot.js';
import { enqueueProblem } from '../decide/enqueue.js';
import { runStatus, why } from '../decide/status.js';
import { FAILURE } from '../protocol/failures.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { AutopilotInput, IdeaOutcome } from '../protocol/run.js';
import * as messages from './messages.js';
import { registerSignals, row, type SignalRow } from './signal-table.js';

export interface RunControls {
  input: AutopilotInput;
  /** Undefined until the run has been opened. */
  pilot: () => Autopilot | undefined;
  /** Queues an event for the main loop. */
  tell: (event: (pilot: Autopilot) => void) => void;
  forwardAnswer: (idea: string, text: string) => void;
}

/** What a run can be told without a refusal. A row is a Temporal signal and what it changes. */
const SIGNALS: SignalRow<RunControls>[] = [
  row(messages.pauseSignal, ({ tell }, [said]) => tell((pilot) => pilot.pause(messages.saidText(said)))),
  row(messages.resumeSignal, ({ tell }) => tell((pilot) => pilot.resume())),
  row(messages.stopSignal, ({ tell }, [said]) => tell((pilot) => pilot.stop(messages.saidText(said)))),
  row(messages.reportSignal, ({ tell }, [report]) =>
    tell((pilot) => pilot.report({ ...report, ...stoppedAlone(pilot, report.outcome) })),
  ),
  row(messages.answerSignal, takeAnswer),
];

export function handleRunMessages(run: RunControls): void {
  registerSignals(run, SIGNALS);
  setHandler(messages.statusQuery, () => {
    const pilot = run.pilot();
    return pilot && runStatus(run.input, pilot.state, run.input.settings, pilot.graph, Date.now());
  });
  setHandler(messages.whyQuery, (id) => {
    const pilot = run.pilot();
    return pilot && why(id, run.input.settings, pilot.graph);
  });
  setHandler(messages.setSlotsUpdate, (slots) => setSlots(run, slots), { validator: checkSlots });
  setHandler(messages.enqueueUpdate, (cards) => enqueue(run, cards), { validator: (cards) => checkCards(run, cards) });
}

/** `{idea, text}`, or the idea and the text as two inputs. */
function takeAnswer(run: RunControls, [answer, second]: [messages.Answer?, string?]): void {
  const idea = typeof answer === 'string' ? answer : answer?.idea;
  const text = typeof answer === 'string' ? second : answer?.text;
  if (idea && text) run.forwardAnswer(idea, text);
  else log.warn('an answer was ignored: it needs {"idea": …, "text": …}');
}

function setSlots(run: RunControls, slots: number): number {
  run.tell((pilot) => pilot.setSlots(slots));
  return slots;
}

function checkSlots(slots: number): void {
  if (!Number.isInteger(slots) || slots < 1 || slots > 100) throw refused('slots is a whole number from 1 to 100');
}

function enqueue(run: RunControls, cards: IdeaCard[]): number {
  run.tell((pilot) => pilot.enqueue(cards));
  return cards.length;
}

function checkCards(run: RunControls, cards: unknown): void {
  const pilot = run.pilot();
  if (!pilot) throw refused('the run is still opening; try again in a moment');
  const { run: state } = pilot.state;
  if (state === 'stopping' || state === 'completed') throw refused(`the run is ${state}; start another one`);
  const problem = Array.isArray(cards) ? enqueueProblem(pilot.graph, cards) : 'a list of ideas is needed';
  if (problem) throw refused(problem);
}

/** A single idea that a person stopped must not be started again at once; the whole run stopping makes it pending. */
export function stoppedAlone(pilot: Autopilot, outcome: IdeaOutcome | undefined): { outcome?: IdeaOutcome } {
  return outcome === 'stopped' && pilot.state.run !== 'stopping' ? { outcome: 'blocked' } : {};
}

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, FAILURE.refused);
