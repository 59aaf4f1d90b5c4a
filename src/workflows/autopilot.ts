/**
 * The autopilot workflow: one per project. Fills slots with idea workflows, owns the landing lane.
 * Invariant: deciding is `src/decide/`; this file waits, calls it and carries its commands out. Children are ABANDONed
 * in both senses, so continue-as-new and cancellation never end an idea.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { Autopilot, agentName, type Command, firstState } from '../decide/autopilot.js';
import { bounceReason } from '../decide/bounce.js';
import { takeCarry } from '../decide/carry.js';
import type { ErrandResult } from '../decide/errands.js';
import { runStatus, runSummary } from '../decide/status.js';
import type { LandResult } from '../protocol/activities.js';
import type { AgentChoice } from '../protocol/limits.js';
import { IDEA_WORKFLOW, ideaWorkflowId } from '../protocol/names.js';
import type { AutopilotInput, IdeaInput, IdeaResult, RunStatus, RunSummary } from '../protocol/run.js';
import { Alarm } from './alarm.js';
import { RALPH_IDEA, RALPH_PROJECT, RALPH_STATE } from './attributes.js';
import { emit } from './events.js';
import { activityProblem } from './failures.js';
import type { idea as ideaWorkflow } from './idea.js';
import { Mailbox } from './mailbox.js';
import * as messages from './messages.js';
import { gitActivities, LANDING_FIRST, mainActivities } from './proxies.js';
import { Publisher } from './publish.js';
import { handleRunMessages } from './run-handlers.js';

const RECONCILE_EVERY = '15 minutes';

export async function autopilot(input: AutopilotInput): Promise<RunSummary> {
  const shell = new AutopilotShell(input);
  // Cancelling the autopilot means stop: its children are told, and nothing is torn out from under an agent.
  CancellationScope.current().cancelRequested.catch(() => shell.tell((pilot) => pilot.stop('cancelled')));
  return CancellationScope.nonCancellable(() => shell.main());
}

class AutopilotShell {
  readonly #input: AutopilotInput;
  #pilot: Autopilot | undefined;
  /** What arrived and is not taken in yet, in order. */
  #inbox: ((pilot: Autopilot) => void)[] = [];
  /** Child starts, landings and messages under way; continue-as-new waits for all of them. */
  #inFlight = 0;
  readonly #mailbox = new Mailbox();
  readonly #publisher: Publisher;
  /** What `abort` ends: the landing that is under way. */
  #landing: CancellationScope | undefined;
  readonly #alarm = new Alarm('the next try of a limited account', () => this.tell(() => {}));
  /** Open children that this run did not start: their end is learnt by report or by asking. */
  readonly #carried: Set<string>;

  constructor(input: AutopilotInput) {
    this.#input = input;
    this.#publisher = new Publisher(input);
    if (input.state) this.#pilot = new Autopilot(input.state, input.settings);
    this.#carried = new Set(this.#pilot?.openIdeas().map((entry) => entry.card.id));
    handleRunMessages({
      input,
      pilot: () => this.#pilot,
      tell: (event) => this.tell(event),
    });
  }

  tell(event: (pilot: Autopilot) => void): void {
    this.#inbox.push(event);
  }

  async main(): Promise<RunSummary> {
    const { settings, project, runId } = this.#input;
    if (!this.#pilot) {
      const opened = await mainActivities().openRun({ project, runId });
      this.#pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
    }
    const pilot = this.#pilot;
    const watch = this.#watchCarried();
    for (;;) {
      for (const event of this.#inbox.splice(0)) event(pilot);
      const rollover = this.#wantsRollover(pilot);
      const commands = pilot.decide(rollover, Date.now());
      for (const command of commands) this.#carryOut(pilot, command);
      this.#publisher.publish(pilot);
      this.#alarm.set(pilot.wakeAt());
      if (this.#inbox.length > 0) continue;
      if (this.#inFlight === 0) {
        const over = pilot.isOver();
        // A handler that waits for this loop to act must not be waited for: what it told is in the inbox.
        if (over || rollover) await condition(() => allHandlersFinished() || this.#inbox.length > 0);
        if (this.#inbox.length > 0) continue;
        if (over) break;
        if (rollover) {
          watch.cancel();
          this.#alarm.set(undefined);
          await continueAsNew<typeof autopilot>({ ...this.#input, state: pilot.state });
        }
      }
      await condition(() => this.#inbox.length > 0 || (!rollover && this.#wantsRollover(pilot)));
    }
    watch.cancel();
    this.#alarm.set(undefined);
    await condition(allHandlersFinished);
    return this.#close(pilot);
  }

  async #close(pilot: Autopilot): Promise<RunSummary> {
    const outcome = pilot.state.run === 'stopping' ? 'stopped' : 'completed';
    pilot.state.run = 'completed';
    const summary = runSummary(outcome, pilot.state.entries, this.#status(pilot));
    const { project, runId } = this.#input;
    try {
      await mainActivities().closeRun({ project, runId, outcome, summary });
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      log.warn('the run summary could not be written', { problem });
    }
    this.#publisher.publish(pilot, true);
    return summary;
  }

  #status(pilot: Autopilot): RunStatus {
    return runStatus(this.#input, pilot.state, this.#input.settings, pilot.graph, Date.now());
  }

  /** Never during a landing: its gate may take long, and until the new run nothing could begin in free slots. */
  #wantsRollover(pilot: Autopilot): boolean {
    if (pilot.state.landing !== undefined) return false;
    const info = workflowInfo();
    return info.continueAsNewSuggested || info.historyLength >= (this.#input.maxHistory ?? Number.POSITIVE_INFINITY);
  }

  // ---- commands ---------------------------------------------------------------------------------------------------

  #carryOut(pilot: Autopilot, command: Command): void {
    switch (command.do) {
      case 'start':
        // Through the mailbox: a message must not overtake the start of the child that it is for.
        this.#begin(this.#mailbox.send(command.idea, this.#starting(pilot, command)));
        return;
      case 'land':
        this.#begin(this.#land(pilot, command.idea));
        return;
      case 'grant':
        this.#send(command.idea, messages.slotSignal.name, [grantOf(command)], true);
        return;
      case 'agent':
        this.#send(command.idea, messages.agentSignal.name, [choiceOf(command)], true);
        return;
      case 'verdict':
        this.#send(command.idea, messages.verdictSignal.name, [command.verdict], command.verdict.kind !== 'landed');
        return;
      case 'tell':
        this.#send(command.idea, command.signal, command.args ?? [], true);
        return;
      case 'errand':
        this.#begin(this.#errand(pilot, command));
        return;
      case 'undo':
        this.#begin(this.#undo(pilot, command.idea));
        return;
      case 'cancel-landing':
        this.#landing?.cancel();
        return;
    }
  }

  #begin(work: Promise<void>): void {
    this.#inFlight += 1;
    void work.finally(() => {
      this.#inFlight -= 1;
      // Wakes the main loop, which may be waiting for the last piece of work to end.
      this.tell(() => {});
    });
  }

  /** Notes now which life is meant: by the time the start goes out the idea may have another one. */
  #starting(pilot: Autopilot, { idea, slot, choice }: Extract<Command, { do: 'start' }>): () => Promise<void> {
    const entry = pilot.graph.entry(idea);
    const life = entry?.life ?? 0;
    return async () => {
      if (entry && entry.life === life)
        await this.#startIdea(pilot, { idea, slot, life, ...(choice ? { choice } : {}) });
    };
  }

  async #startIdea(
    pilot: Autopilot,
    { idea, slot, life, choice }: { idea: string; slot: number; life: number; choice?: AgentChoice },
  ): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry) return;
    const { project, runId, settings, maxHistory } = this.#input;
    const carry = takeCarry(pilot, entry);
    const args: IdeaInput = {
      project,
      runId,
      idea,
      title: entry.card.title,
      agentName: agentName(slot),
      parent: workflowInfo().workflowId,
      life,
      settings,
      queues: pilot.state.queues,
      ...(carry ? { carry } : {}),
      ...(choice ? { choice } : {}),
      ...(maxHistory === undefined ? {} : { maxHistory }),
    };
    try {
      const child = await startChild<typeof ideaWorkflow>(IDEA_WORKFLOW, {
        workflowId: ideaWorkflowId(project, idea),
        args: [args],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: `${idea}: ${entry.card.title}`.slice(0, 180),
        typedSearchAttributes: [
          { key: RALPH_PROJECT, value: project },
          { key: RALPH_IDEA, value: idea },
          { key: RALPH_STATE, value: 'running' },
        ],
      });
      child.result().then(
        (result) => this.#childEnded(idea, result, life),
        (error) => this.#childFailed(idea, error, life),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // An earlier run left it open: take it over and let it say where it stands.
      pilot.adopted(idea);
      this.#carried.add(idea);
      for (const note of carry?.notes ?? []) this.#send(idea, messages.hintSignal.name, [note], true);
      this.#send(idea, messages.resyncSignal.name, [{ parent: workflowInfo().workflowId }], true);
    }
  }

  #childEnded(idea: string, result: IdeaResult, life: number | undefined): void {
    this.tell((pilot) => {
      if (result.outcome === 'stopped' && pilot.isLife(idea, life)) pilot.stoppedAlone(idea);
      pilot.childEnded(idea, result.outcome, result.reason, life);
    });
  }

  #childFailed(idea: string, error: unknown, life: number): void {
    const cause = error instanceof ChildWorkflowFailure ? (error.cause?.message ?? error.message) : String(error);
    this.tell((pilot) => pilot.childEnded(idea, 'failed', `its workflow ended: ${cause}`, life));
  }

  async #land(pilot: Autopilot, idea: string): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry?.work) {
      this.tell((p) => p.landingFailed(idea, 'there is no finished work to land'));
      return;
    }
    const { project, runId } = this.#input;
    emit(this.#input, { kind: 'landing', idea });
    const scope = new CancellationScope({ cancellable: true });
    this.#landing = scope;
    const { work } = entry;
    try {
      const git = gitActivities(pilot.state.queues.git, `land ${idea} on ${pilot.state.target}`, LANDING_FIRST);
      const title = entry.card.title;
      const result: LandResult = await scope.run(() => git.landIdea({ project, runId, idea, title, ...work }));
      if (result.kind !== 'landed') emit(this.#input, { kind: 'bounced', idea, why: bounceReason(result) });
      this.tell((p) => p.landed(idea, result));
    } catch (error) {
      const problem = isCancellation(error) ? 'it was aborted by a person' : activityProblem(error);
      if (!problem) throw error;
      this.tell((p) => p.landingFailed(idea, problem));
    } finally {
      this.#landing = undefined;
    }
  }

  /** Signals a child by workflow id, so that it reaches its newest run. `mustExist`: a child that is gone has ended. */
  #send(idea: string, signal: string, args: unknown[], mustExist: boolean): void {
    const handle = getExternalWorkflowHandle(ideaWorkflowId(this.#input.project, idea));
    const life = this.#lifeOf(idea);
    const deliver = (): Promise<void> =>
      handle.signal(signal, ...args).catch(() => {
        if (mustExist) this.tell((pilot) => pilot.childGone(idea, life));
      });
    this.#begin(this.#mailbox.send(idea, deliver));
  }

  /** Undefined for an adopted child that has not said which one it is. */
  #lifeOf(idea: string): number | undefined {
    const life = this.#pilot?.graph.entry(idea)?.life;
    return life !== undefined && life >= 0 ? life : undefined;
  }

  async #errand(pilot: Autopilot, { idea, errand, force }: Extract<Command, { do: 'errand' }>): Promise<void> {
    const { project, runId } = this.#input;
    const git = gitActivities(pilot.state.queues.git, `${errand} ${idea}`);
    const about = { project, runId, idea };
    const slot = agentName(pilot.graph.entry(idea)?.lastSlot ?? 1);
    const carryOut = async (): Promise<ErrandResult> => {
      switch (errand) {
        case 'rollback':
          return { errand, result: await git.rollbackIdea({ ...about, agentName: slot }) };
        case 'cleanup':
          return { errand, result: await git.cleanupIdea({ ...about, ...(force ? { force } : {}) }) };
        case 'stash':
          return { errand, result: await git.stashIdea(about) };
      }
    };
    try {
      const result = await carryOut();
      this.tell((p) => p.errandDone(idea, result));
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      this.tell((p) => p.errandDone(idea, { errand, problem }));
    }
  }

  async #undo(pilot: Autopilot, idea: string): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry) return;
    const { project, runId } = this.#input;
    const { title } = entry.card;
    const git = gitActivities(pilot.state.queues.git, `take ${idea} off ${pilot.state.target}`, LANDING_FIRST);
    try {
      const about = { project, runId, idea, title, agentName: agentName(entry.lastSlot ?? 1) };
      const undone = await git.undoIdea({ ...about, ...(entry.commit ? { commit: entry.commit } : {}) });
      this.tell((p) => p.undone(idea, undone));
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      this.tell((p) => p.undone(idea, { kind: 'failed', problem }));
    }
  }

  /** Children of earlier runs report by signal only; should one end without a word, asking the server finds out. */
  #watchCarried(): CancellationScope {
    const scope = new CancellationScope({ cancellable: true });
    const ask = async (): Promise<void> => {
      for (;;) {
        await condition(() => this.#carried.size > 0);
        await this.#reconcile();
        await sleep(RECONCILE_EVERY, { summary: 'ask after children of earlier runs' });
      }
    };
    scope.run(ask).catch(() => {});
    return scope;
  }

  async #reconcile(): Promise<void> {
    for (const idea of this.#carried) if (!this.#pilot?.isOpen(idea)) this.#carried.delete(idea);
    if (this.#carried.size === 0) return;
    const lives = new Map([...this.#carried].map((idea) => [idea, this.#lifeOf(idea)]));
    const { project, runId } = this.#input;
    try {
      const found = await mainActivities().reconcileIdeas({ project, runId, ideas: [...lives.keys()] });
      for (const { idea, state, result } of found) {
        if (state === 'open') continue;
        const ended = { outcome: 'failed', reason: 'its workflow ended', ...(result as object) } as IdeaResult;
        this.#childEnded(idea, ended, lives.get(idea));
      }
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      log.warn('children of earlier runs could not be asked after; that is tried again', { problem });
    }
  }
}

const choiceOf = ({ choice }: { choice?: AgentChoice }): { choice?: AgentChoice } => (choice ? { choice } : {});

const grantOf = (command: { slot: number; choice?: AgentChoice }) => ({
  agentName: agentName(command.slot),
  ...choiceOf(command),
});
