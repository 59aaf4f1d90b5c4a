/**
 * The autopilot's decisions: events change the state, and `decide` says what to do next. The workflow only does it.
 * Invariant: at most one landing at a time. At most one idea holds a slot. An idea starts only when all its
 * dependencies have landed, or with `landing.stack` are in review. A report older than the last one taken changes
 * nothing. No event costs a pass over all ideas. May import protocol and decide only.
 */

import type { CarriedOver, RunConfigResult } from '../../protocol/activities.js';
import type { AgentEnded } from '../../protocol/agent-run.js';
import type { Ceilings } from '../../protocol/budget.js';
import type { Intervention as Told } from '../../protocol/command.js';
import type { PushTargetResult } from '../../protocol/delivery.js';
import type { KeptPlace, LandResult, UndoResult } from '../../protocol/git-work.js';
import type { IdeaCard } from '../../protocol/idea.js';
import type { IdeaReport } from '../../protocol/idea-run.js';
import type { AccountLine } from '../../protocol/limits.js';
import type { LookResult } from '../../protocol/review.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { currentCeilings, raise, watchBudget } from '../budget/control.js';
import type { Raise } from '../budget/run.js';
import { beginDeliveries, deliveryTimes } from '../delivery/due.js';
import { waitsForPush } from '../delivery/push.js';
import type { Graph } from '../scheduler/graph.js';
import { clipReason } from '../text.js';
import { Waves } from '../waves/waves.js';
import type { Answers, Outcome } from './answers.js';
import { noteAgentEnded } from './beside.js';
import { Board, type EndedHere, type Told as Taken } from './board.js';
import { abortRun, isActive, nothingLeft, pauseRun, resumeRun, reviewRun, stopRun } from './control.js';
import type { Effect } from './effects.js';
import { type GitTaskResult, gitTaskDone } from './git-tasks.js';
import { idleProblem, refusalOf, takeCommand } from './interventions.js';
import { type Ending, LandingQueue } from './landing-queue.js';
import { forgetStranger, noteStranger } from './left-open.js';
import { placesBefore, placesEnd } from './places.js';
import { notePush } from './pushes.js';
import { reconfigure } from './reconfigure.js';
import { adopt, endChild, isAdopted, takeReport } from './reports.js';
import type { Rules } from './rules.js';
import { earliest, endOwnWaits, fillSlots, nextOwnWait, noteStandstill, reviewAgents } from './waiting.js';

export { agentName } from '../scheduler/slots.js';
export type { Effect } from './effects.js';
export { firstState } from './first-state.js';

export class Autopilot {
  readonly #board: Board;
  readonly #landingQueue: LandingQueue;
  readonly waves: Waves;

  constructor(state: AutopilotState, settings: RunSettings, rules?: Rules) {
    this.#board = new Board(state, settings, rules);
    this.#landingQueue = new LandingQueue(this.#board);
    this.waves = new Waves(this.#board);
  }

  get state(): AutopilotState {
    return this.#board.state;
  }

  get graph(): Graph {
    return this.#board.graph;
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  /** `now` here and below in epoch ms. */
  report(report: IdeaReport, now = 0): void {
    noteStranger(this.#board, report);
    takeReport(this.#board, this.#landingQueue, report, now);
  }

  agentEnded = (said: AgentEnded, now: number): void => noteAgentEnded(this.#board, said, now);

  /**
   * A child workflow has ended, however the autopilot learned it. Repeats change nothing. With `life` (the generation
   * of the child), neither does the end of an earlier child of the same idea.
   */
  childEnded(idea: string, outcome: IdeaOutcome, reason?: string, life?: number): void {
    forgetStranger(this.#board, idea);
    const entry = this.graph.entry(idea);
    if (!entry) return;
    if (life !== undefined && !isAdopted(entry) && life !== entry.life) return;
    this.#end(idea, { outcome, reason });
  }

  /**
   * A message found no child. A child that was adopted from an earlier run and never reported ended before it could:
   * its idea starts again. Any other child is lost, and its idea fails.
   */
  childGone(idea: string, life?: number): void {
    const entry = this.graph.entry(idea);
    const adopted = entry !== undefined && isAdopted(entry);
    this.childEnded(idea, adopted ? 'stopped' : 'failed', adopted ? undefined : 'its workflow is gone', life);
  }

  landed(idea: string, result: LandResult, now = 0): void {
    this.#end(idea, this.#landingQueue.finished(idea, result, now));
  }

  /** The landing itself failed (neither a conflict nor a red gate). `lands`: for a reason that is not the work's. */
  landingFailed(idea: string, message: string, lands = false): void {
    this.#end(idea, this.#landingQueue.failed(idea, message, lands));
  }

  /** Why its landing or git task has not begun; otherwise its earlier reason. */
  workWaits(idea: string, why: string | undefined): void {
    const entry = this.graph.entry(idea);
    if (!entry) return;
    if (why === undefined) delete entry.reason;
    else entry.reason = clipReason(why);
    this.#board.touch(entry);
  }

  pause = (why?: string): void => pauseRun(this.#board, why);
  resume = (): void => resumeRun(this.#board);
  stop = (why?: string): void => stopRun(this.#board, why);
  review = (): void => reviewRun(this.#board);
  abort = (why?: string): void => abortRun(this.#board, why);

  /** Why the command is not legal now; undefined when it is. Changes nothing. */
  commandProblem(command: Told): string | undefined {
    return refusalOf(this.#board, command);
  }

  /**
   * Why a legal command would change nothing. Checked before a command is accepted, never when it runs: histories of
   * open runs contain such commands.
   */
  idleProblem(command: Told): string | undefined {
    return idleProblem(this.#board, command);
  }

  /** Applies a command. The same id again changes nothing. `older`: as an older version did, for its histories. */
  command(command: Told, older = false): Outcome {
    return takeCommand(this.#board, command, older);
  }

  get answers(): Answers {
    return this.#board.answers;
  }

  /** The result of a git task that a person asked for. */
  gitTaskDone(idea: string, result: GitTaskResult): void {
    gitTaskDone(this.#board, idea, result);
  }

  undone(idea: string, result: UndoResult | { kind: 'failed'; problem: string }): void {
    const done = this.#landingQueue.undone(idea, result);
    if (done) this.#board.told.push({ verb: 'rollback', idea, done });
  }

  /** A person stopped the idea, not the run: it must not restart by itself. */
  stoppedAlone(idea: string): void {
    const entry = this.graph.entry(idea);
    if (entry && this.#board.isOpen(idea) && this.state.run !== 'stopping') entry.after ??= { do: 'hold' };
  }

  /** Whether the idea's workflow is still the one of this generation. `life` is the wire name of a generation. */
  isGeneration(idea: string, life: number | undefined): boolean {
    const entry = this.graph.entry(idea);
    return entry !== undefined && (life === undefined || isAdopted(entry) || life === entry.life);
  }

  /** What the landing of the idea has to respect. */
  placesBefore = (entry: IdeaEntry, now: number): { places?: KeptPlace[] } => placesBefore(this.#board, entry, now);

  looked = (idea: string, result: LookResult, now: number): void => this.#landingQueue.looked(idea, result, now);

  pushed = (result: PushTargetResult, now: number): void => notePush(this.#board, result, now);

  takeEnded(): EndedHere[] {
    return this.#board.endedHere.splice(0);
  }

  takeTold(): Taken[] {
    return this.#board.told.splice(0);
  }

  /** Fewer slots end no running idea. */
  setSlots(slots: number): void {
    this.state.slots = slots;
  }

  /** Applies another configuration. */
  configured = (config: RunConfigResult): void => reconfigure(this.#board, config);

  /** A configuration that could not be read changes nothing. */
  notConfigured(refusal: string): void {
    this.#board.told.push({ verb: 'reload-config', refusal });
  }

  /** Adds new ideas; the caller has checked them with `enqueueProblem`. Known ids are ignored. */
  enqueue(cards: readonly IdeaCard[], carried?: CarriedOver): void {
    const fresh = new Map(cards.filter((card) => !this.graph.entry(card.id)).map((card) => [card.id, card]));
    if (fresh.size > 0) this.#board.add([...fresh.values()], carried);
  }

  /** An earlier run started the idea's workflow, which is still open. Its next report says its state. */
  adopted(idea: string): void {
    const entry = this.graph.entry(idea);
    if (entry) adopt(this.#board, entry);
  }

  // ---- decisions --------------------------------------------------------------------------------------------------

  /**
   * Everything to do now. While `rollover` is set nothing new begins, so that the run can continue as new. `mostStarts`
   * limits new ideas; a caller that sets it asks again when there is capacity.
   */
  decide(rollover: boolean, now = 0, mostStarts = Number.POSITIVE_INFINITY): Effect[] {
    const board = this.#board;
    const { state } = board;
    board.breakers?.tick(now);
    endOwnWaits(board, now);
    watchBudget(board, now);
    if (rollover) return board.outbox.splice(0);
    this.#landingQueue.restack();
    // A wave may end or pause the run, and the ideas have to hear of it now: no event may follow.
    const atOnce = state.waves !== undefined && board.rules('waves-act-at-once');
    const early = atOnce ? this.waves.next(now) : [];
    const commands = board.outbox.splice(0);
    commands.push(...(atOnce ? early : this.waves.next(now)));
    commands.push(...beginDeliveries(board, now), ...this.#landingQueue.next(now));
    commands.push(...fillSlots(board, now, mostStarts));
    if (isActive(board) || state.run === 'pausing') commands.push(...reviewAgents(board, now));
    noteStandstill(board);
    if (state.run !== 'pausing' || board.runningCount > 0 || state.landing !== undefined) return commands;
    state.run = 'paused';
    return atOnce ? [...commands, ...this.decide(rollover, now, mostStarts)] : commands;
  }

  /** When to decide again without an event; epoch ms. */
  wakeAt(): number | undefined {
    const { breakers, state } = this.#board;
    const day = state.budget?.paused === 'day' ? state.budget.dayEndsAt : undefined;
    return earliest([
      breakers?.wakeAt(),
      nextOwnWait(this.#board),
      day,
      this.waves.wakeAt(),
      ...deliveryTimes(this.#board),
      ...placesEnd(this.#board),
    ]);
  }

  /** Raises a budget, and resumes a run that it had paused. False when the run has no such budget. */
  raiseBudget(more: Raise): boolean {
    return raise(this.#board, more);
  }

  /** What agents may use together; undefined where no limit applies while they work. */
  get ceilings(): Ceilings | undefined {
    return currentCeilings(this.#board);
  }

  /** Every account, and agents that do not start. */
  accounts(): AccountLine[] {
    return this.#board.breakers?.lines() ?? [];
  }

  /** Nothing runs, nothing can start, and the run waits for nobody. */
  isOver(): boolean {
    if (!this.#landingQueue.isEmpty || this.waves.open || waitsForPush(this.state)) return false;
    return nothingLeft(this.#board);
  }

  /** The next ready ideas, best first. */
  next(most: number): string[] {
    return this.#board.pool.top(most);
  }

  /** Notes when ideas came to their statuses. */
  takeChanges = (now: number): IdeaEntry[] => this.#board.takeChanges(now);

  tellLeftOut(): void {
    const left = this.state.entries.filter(({ status }) => status === 'skipped' || status === 'abandoned');
    this.#board.changes.push(...left);
  }

  /** Changes of status since the last call, for alerts. */
  takeTurns(): IdeaEntry[] {
    return this.#board.turns.splice(0);
  }

  openIdeas(): IdeaEntry[] {
    return this.#board.openIdeas();
  }

  isOpen(idea: string): boolean {
    return this.#board.isOpen(idea);
  }

  #end(idea: string, ending: Ending | undefined): void {
    const entry = this.graph.entry(idea);
    if (entry && ending) endChild(this.#board, this.#landingQueue, entry, ending);
  }
}
