/**
 * The signals, updates and queries of a run. Invariant: handlers only queue events or read; the main loop acts.
 * Requests that can be refused are updates with validators, so that a refusal leaves no history.
 */
import { ApplicationFailure, CancellationScope, condition, log, setHandler } from '@temporalio/workflow';
import { emptyText } from '../../decide/idea/answers.js';
import { isAgentEnded, isAnswerTaken, isReport } from '../../decide/messages/between.js';
import type { Outcome } from '../../decide/run/answers.js';
import { enqueueProblem } from '../../decide/run/enqueue.js';
import { ideaPage } from '../../decide/views/pages.js';
import { withPossible } from '../../decide/views/possible.js';
import { NEXT_SHOWN, runStatus } from '../../decide/views/status.js';
import { why } from '../../decide/views/why.js';
import type { Intervention, InterventionAnswer } from '../../protocol/command.js';
import { FAILURE, STILL_OPENING } from '../../protocol/failures.js';
import type { IdeaCard } from '../../protocol/idea.js';
import * as messages from '../messages.js';
import { emit } from '../publish.js';
import { internal, registerSignals, type SignalRow } from '../signal-rows.js';
import { giveCommand, type RunControls, VERB_SIGNALS } from '../verb-signals.js';

/** Signals that are never refused. Each row is a Temporal signal and its effect. */
const SIGNALS: SignalRow<RunControls>[] = [
  ...VERB_SIGNALS,
  internal(messages.answerTakenSignal, isAnswerTaken, ({ tell }, [said]) => tell((pilot) => pilot.answers.said(said))),
  // Workers of one that has ended may still say it: the runs of a project share an address.
  internal(messages.agentEndedSignal, isAgentEnded, ({ input, tell }, [said]) => {
    if (said.run === input.runId) tell((pilot) => pilot.agentEnded(said, Date.now()));
  }),
  internal(messages.reportSignal, isReport, ({ tell }, [report]) =>
    tell((pilot) => {
      if (report.outcome === 'stopped') pilot.stoppedAlone(report.idea);
      pilot.report(report, Date.now());
    }),
  ),
];

export function handleRunMessages(run: RunControls): void {
  registerSignals(run, SIGNALS, (name, why) => {
    log.warn('a signal was ignored', { name, why });
    emit(run.input, { kind: 'refused', verb: name, why });
  });
  setHandler(
    messages.statusQuery,
    () => {
      const pilot = run.pilot();
      if (!pilot) return undefined;
      const { state, graph } = pilot;
      const status = runStatus(run.input, state, run.input.settings, graph, Date.now(), pilot.next(NEXT_SHOWN));
      return withPossible(status, state, graph);
    },
    { description: DESCRIBED.status },
  );
  setHandler(
    messages.ideasQuery,
    (asked) => {
      const pilot = run.pilot();
      return pilot && ideaPage(pilot.state.entries, pilot.graph, asked);
    },
    { description: DESCRIBED.ideas },
  );
  setHandler(
    messages.whyQuery,
    (id) => {
      const pilot = run.pilot();
      return pilot && why(id, run.input.settings, pilot.graph, pilot.state);
    },
    { description: DESCRIBED.why },
  );
  setHandler(messages.tellUpdate, (command) => tellRun(run, command), {
    validator: (command) => checkCommand(run, command),
    description: DESCRIBED.tell,
  });
  setHandler(messages.setSlotsUpdate, (slots) => setSlots(run, slots), {
    validator: checkSlots,
    description: DESCRIBED.setSlots,
  });
  setHandler(messages.enqueueUpdate, (cards) => enqueue(run, cards), {
    validator: (cards) => checkCards(run, cards),
    description: DESCRIBED.enqueue,
  });
}

/** Help in the Web UI's forms. */
const DESCRIBED = {
  status: 'The whole run: state, counts, what runs, what waits for you. Input: none',
  ideas: 'Ideas in backlog order. Input: none, or {"from": 0, "count": 100, "only": ["failed"]}',
  why: 'The state and the score of one idea, and what it waits for. Input: "id"',
  tell: 'A command that answers with its effect or a refusal. Input: {"verb": "retry", "idea": "id"}; each verb is also a signal',
  setSlots: 'How many agents work at once. Input: a number, 1 to 100',
  enqueue: 'More ideas for this run. Their texts are files on the worker’s host, so use: ralphctl enqueue',
};

/**
 * Answers after the main loop has acted: the state may have changed since the validator accepted the command. An answer
 * to a question waits for the idea, which alone knows whether it takes it.
 */
async function tellRun(run: RunControls, command: Intervention): Promise<InterventionAnswer> {
  let outcome: Outcome | undefined;
  run.tell((pilot) => {
    outcome = giveCommand(pilot, command);
  });
  // A handler runs in the scope of the workflow. Once that is cancelled, a plain wait would end at once and report a
  // refusal of a command that the run still applies.
  const settled = (): boolean => {
    if (outcome && 'sent' in outcome) outcome = run.pilot()?.answers.settled(outcome.sent) ?? outcome;
    return outcome !== undefined && !('sent' in outcome);
  };
  await CancellationScope.nonCancellable(() => condition(settled));
  if (outcome && 'done' in outcome) return outcome;
  throw refused(outcome && 'refusal' in outcome ? outcome.refusal : 'the run has ended');
}

function checkCommand(run: RunControls, command: Intervention): void {
  const pilot = run.pilot();
  if (!pilot) throw refused(STILL_OPENING);
  const problem = pilot.commandProblem(command) ?? emptyText(command) ?? pilot.idleProblem(command);
  if (problem) throw refused(problem);
}

function setSlots(run: RunControls, slots: number): number {
  run.tell((pilot) => pilot.setSlots(slots));
  return slots;
}

function checkSlots(slots: number): void {
  if (!Number.isInteger(slots) || slots < 1 || slots > 100) throw refused('slots must be a whole number from 1 to 100');
}

function enqueue(run: RunControls, cards: IdeaCard[]): number {
  run.tell((pilot) => pilot.enqueue(cards));
  return cards.length;
}

function checkCards(run: RunControls, cards: unknown): void {
  const pilot = run.pilot();
  if (!pilot) throw refused(STILL_OPENING);
  const { run: state } = pilot.state;
  if (state === 'stopping' || state === 'completed') throw refused(`the run is ${state}; start another one`);
  const problem = Array.isArray(cards) ? enqueueProblem(pilot.graph, cards) : 'the input must be a list of ideas';
  if (problem) throw refused(problem);
}

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, FAILURE.refused);
