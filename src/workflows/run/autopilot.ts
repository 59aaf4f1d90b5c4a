/**
 * The autopilot workflow: one per project. It fills slots with idea workflows and owns the landing queue.
 * Invariant: decisions are in `src/decide/`; this file waits, calls them and runs their effects. Children are ABANDONed
 * in both senses, so neither continue-as-new nor cancellation ends an idea.
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
  ParentClosePolicy,
  patched,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { takeStartState } from '../../decide/idea/carry.js';
import { Autopilot, agentName, type Effect, firstState } from '../../decide/run/autopilot.js';
import type { IdeaInput, IdeaResult } from '../../protocol/idea-run.js';
import type { AgentChoice } from '../../protocol/limits.js';
import { IDEA_PRIORITY, IDEA_WORKFLOW, ideaWorkflowId } from '../../protocol/names.js';
import type { AutopilotInput, RunSummary } from '../../protocol/run.js';
import { Alarm } from '../alarm.js';
import { AlertSender } from '../alert-sender.js';
import type { idea as ideaWorkflow } from '../idea/idea.js';
import * as messages from '../messages.js';
import { mainActivities, refOf } from '../proxies.js';
import { agentOf, grantOf, Publisher, RALPH_IDEA, RALPH_ITERATION, RALPH_PROJECT, RALPH_STATE } from '../publish.js';
import { isOverdue, wantsRollover } from '../rollover.js';
import { TrackerSender } from '../tracker-sender.js';
import { AdoptedChildren, generationOf, saidBetween } from './adopted-children.js';
import { closeRun } from './close.js';
import { Deliveries } from './deliveries.js';
import { GitWork } from './git-tasks.js';
import { handleRunMessages } from './handlers.js';
import { Mailbox } from './mailbox.js';
import { reconfigure, type Voice } from './reconfigure.js';
import { WavePlanner } from './wave.js';

export async function autopilot(input: AutopilotInput): Promise<RunSummary> {
  const shell = new AutopilotShell(input);
  // Cancelling the autopilot means stop: it tells its children, and no agent loses its work.
  CancellationScope.current().cancelRequested.catch(() => shell.tell((pilot) => pilot.stop('cancelled')));
  return CancellationScope.nonCancellable(() => shell.main());
}

/**
 * Ideas that start at the same time. The server handles the commands of one workflow one after another: a hundred
 * starts at once delay its next task, and with it every landing, by 5 s and more.
 */
const MOST_STARTS = 10;

class AutopilotShell {
  readonly #input: AutopilotInput;
  #pilot: Autopilot | undefined;
  /** Events in order of arrival that the main loop has not taken yet. */
  #inbox: ((pilot: Autopilot) => void)[] = [];
  /** Child starts, landings and messages in progress; continue-as-new waits for all of them. */
  #inFlight = 0;
  /** The number of child starts among them. */
  #starting = 0;
  readonly #mailbox = new Mailbox();
  readonly #publisher: Publisher;
  readonly #gitWork: GitWork;
  readonly #deliveries: Deliveries;
  readonly #waves: WavePlanner;
  readonly #alarm = new Alarm('the next try of a limited account', () => this.tell(() => {}));
  readonly #alerts: AlertSender;
  readonly #tracker: TrackerSender;
  readonly #carried: AdoptedChildren;
  readonly #voice: Voice = {
    tell: (event) => this.tell(event),
    send: (idea, said) => this.#send(idea, messages.configuredSignal.name, [said], true),
  };

  constructor(input: AutopilotInput) {
    this.#input = input;
    this.#publisher = new Publisher(input);
    this.#alerts = new AlertSender(input, (work) => this.#begin(work));
    this.#tracker = new TrackerSender(input, (work) => this.#begin(work));
    if (input.state) this.#pilot = new Autopilot(input.state, input.settings, patched);
    this.#gitWork = new GitWork(input, (event) => this.tell(event));
    this.#deliveries = new Deliveries(input, (event) => this.tell(event));
    this.#waves = new WavePlanner(input, (event) => this.tell(event));
    this.#carried = new AdoptedChildren(input, (idea, result, life) => this.#childEnded(idea, result, life));
    for (const entry of this.#pilot?.openIdeas() ?? []) this.#carried.add(entry.card.id);
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
      this.#pilot = new Autopilot(firstState(opened, settings, Date.now()), settings, patched);
      this.#pilot.tellLeftOut();
    }
    const pilot = this.#pilot;
    this.#carried.watch(pilot);
    for (;;) {
      for (const event of this.#inbox.splice(0)) event(pilot);
      const wanted = this.#wantsRollover(pilot);
      // A push may take long, too; ideas start meanwhile, unless one push follows the other for very long.
      const waits = wanted && this.#deliveries.pushing && !isOverdue(this.#input);
      const rollover = wanted && !(waits && patched('rollover-after-push'));
      const commands = pilot.decide(rollover, Date.now(), this.#mostStarts(pilot));
      for (const command of commands) this.#carryOut(pilot, command);
      const turns = pilot.takeTurns();
      this.#alerts.note(pilot, turns);
      this.#tracker.note(pilot, turns);
      this.#publisher.publish(pilot);
      this.#alarm.setAhead(pilot.wakeAt());
      this.#deliveries.endFor(pilot, (work) => this.#begin(work));
      this.#waves.endFor(pilot);
      if (this.#inbox.length > 0) continue;
      if (this.#inFlight === 0) {
        const over = pilot.isOver();
        // Do not wait for a handler that waits for this loop: its event is in the inbox.
        if (over || rollover) await condition(() => allHandlersFinished() || this.#inbox.length > 0);
        if (this.#inbox.length > 0) continue;
        if (over) break;
        if (rollover) {
          this.#carried.stop();
          this.#alarm.set(undefined);
          await continueAsNew<typeof autopilot>({ ...this.#input, state: pilot.state });
        }
      }
      await condition(() => this.#inbox.length > 0 || (!wanted && this.#wantsRollover(pilot)));
    }
    this.#carried.stop();
    this.#alarm.set(undefined);
    await condition(allHandlersFinished);
    return closeRun(this.#input, pilot, { publisher: this.#publisher, alerts: this.#alerts, tracker: this.#tracker });
  }

  /** Never during a landing: its gate may take long, and nothing could start in free slots until the new run begins. */
  #wantsRollover(pilot: Autopilot): boolean {
    return pilot.state.landing === undefined && wantsRollover(this.#input);
  }

  // ---- commands ---------------------------------------------------------------------------------------------------

  #carryOut(pilot: Autopilot, command: Effect): void {
    switch (command.do) {
      case 'start':
        // Through the mailbox, because a message must not overtake the start of its child.
        this.#starting += 1;
        this.#begin(this.#mailbox.send(command.idea, this.#starter(pilot, command)), () => {
          this.#starting -= 1;
        });
        return;
      case 'land':
        this.#begin(this.#gitWork.land(pilot, command.idea));
        return;
      case 'grant':
        this.#send(command.idea, messages.slotSignal.name, [grantOf(command)], true);
        return;
      case 'agent':
        this.#send(command.idea, messages.agentSignal.name, [agentOf(command)], true);
        return;
      case 'verdict':
        this.#send(command.idea, messages.verdictSignal.name, [command.verdict], command.verdict.kind !== 'landed');
        return;
      case 'tell':
        this.#send(command.idea, command.signal, command.args ?? [], true);
        return;
      case 'git-task':
        this.#begin(this.#gitWork.task(pilot, command));
        return;
      case 'undo':
        this.#begin(this.#gitWork.undo(pilot, command.idea));
        return;
      case 'look':
        this.#begin(this.#deliveries.look(pilot, command.idea));
        return;
      case 'push':
        this.#begin(this.#deliveries.push(pilot, command.known));
        return;
      case 'wave':
        this.#begin(this.#waves.plan(pilot, command));
        return;
      case 'configure':
        this.#begin(reconfigure(this.#input, command.revision, pilot, this.#voice));
        return;
      case 'cancel-landing':
        this.#gitWork.cancelLanding();
        return;
    }
  }

  #mostStarts(pilot: Autopilot): number {
    if (pilot.state.slots <= MOST_STARTS || !patched('few-starts-at-once')) return Number.POSITIVE_INFINITY;
    return Math.max(0, MOST_STARTS - this.#starting);
  }

  #begin(work: Promise<void>, over: () => void = () => {}): void {
    this.#inFlight += 1;
    void work.finally(() => {
      this.#inFlight -= 1;
      over();
      // Wakes the main loop, which may wait for the last piece of work to end.
      this.tell(() => {});
    });
  }

  /** Fixes the generation now: by the time the start is sent, the idea may have another one. */
  #starter(pilot: Autopilot, { idea, slot, choice }: Extract<Effect, { do: 'start' }>): () => Promise<void> {
    const entry = pilot.graph.entry(idea);
    const life = entry?.life ?? 0;
    return async () => {
      if (entry && entry.life === life) await this.#startIdea(pilot, { idea, slot, life, choice });
    };
  }

  async #startIdea(
    pilot: Autopilot,
    { idea, slot, life, choice }: { idea: string; slot: number; life: number; choice?: AgentChoice },
  ): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry) return;
    const { project, settings, maxHistory } = this.#input;
    const carry = takeStartState(pilot, entry);
    const args: IdeaInput = {
      ...refOf(this.#input),
      idea,
      title: entry.card.title,
      agentName: agentName(slot),
      parent: workflowInfo().workflowId,
      life,
      settings,
      queues: pilot.state.queues,
      carry,
      choice,
      ceilings: pilot.ceilings,
      maxHistory,
    };
    try {
      const child = await startChild<typeof ideaWorkflow>(IDEA_WORKFLOW, {
        workflowId: ideaWorkflowId(project, idea),
        args: [args],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        priority: { priorityKey: IDEA_PRIORITY },
        staticSummary: `${idea}: ${entry.card.title}`.slice(0, 180),
        typedSearchAttributes: [
          { key: RALPH_PROJECT, value: project },
          { key: RALPH_IDEA, value: idea },
          { key: RALPH_STATE, value: 'running' },
          { key: RALPH_ITERATION, value: (carry?.iteration ?? 0) + 1 },
        ],
      });
      child.result().then(
        (result) => this.#childEnded(idea, result, life),
        (error) => this.#childFailed(idea, error, life),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // An earlier run left it open: adopt it and ask for its state.
      pilot.adopted(idea);
      this.#carried.add(idea);
      for (const { signal, text } of saidBetween(entry, carry?.notes ?? [])) this.#send(idea, signal, [text], true);
      const resync = { parent: workflowInfo().workflowId, runId: this.#input.runId };
      this.#send(idea, messages.resyncSignal.name, [resync], true);
    }
  }

  #childEnded(idea: string, result: IdeaResult, life: number | undefined): void {
    this.tell((pilot) => {
      if (result.outcome === 'stopped' && pilot.isGeneration(idea, life)) pilot.stoppedAlone(idea);
      pilot.childEnded(idea, result.outcome, result.reason, life);
    });
  }

  #childFailed(idea: string, error: unknown, life: number): void {
    const cause = error instanceof ChildWorkflowFailure ? (error.cause?.message ?? error.message) : String(error);
    this.tell((pilot) => pilot.childEnded(idea, 'failed', `its workflow ended: ${cause}`, life));
  }

  /** Signals a child by workflow id, so that it reaches its newest run. `mustExist`: a missing child has ended. */
  #send(idea: string, signal: string, args: unknown[], mustExist: boolean): void {
    const handle = getExternalWorkflowHandle(ideaWorkflowId(this.#input.project, idea));
    const life = this.#pilot && generationOf(this.#pilot, idea);
    const deliver = (): Promise<void> =>
      handle.signal(signal, ...args).catch(() => {
        if (mustExist) this.tell((pilot) => pilot.childGone(idea, life));
      });
    this.#begin(this.#mailbox.send(idea, deliver));
  }
}
