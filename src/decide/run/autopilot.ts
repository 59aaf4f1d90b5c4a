/**
 * The autopilot's decisions: events change the state, `decide` says what to do next. The workflow only carries it out.
 * Invariant: at most one landing at a time; a slot is held by at most one idea; an idea starts only when everything it
 * depends on has landed; a report older than the last one taken changes nothing. No event costs a pass over all ideas.
 * May import protocol and decide only.
 */

import type { RunConfigResult } from '../../protocol/activities.js';
import type { Ceilings } from '../../protocol/budget.js';
import type { Intervention as Told } from '../../protocol/command.js';
import type { LandResult, UndoResult } from '../../protocol/git-work.js';
import type { IdeaCard } from '../../protocol/idea.js';
import type { IdeaReport } from '../../protocol/idea-run.js';
import type { AccountLine } from '../../protocol/limits.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { budgetProblem, currentCeilings, raise, watchBudget } from '../budget/control.js';
import type { Raise } from '../budget/run.js';
import { goesOn } from '../idea/table.js';
import { isName } from '../messages/shape.js';
import type { Graph } from '../scheduler/graph.js';
import { clip, MAX_REASON } from '../text.js';
import { Board, type Told as Taken } from './board.js';
import { abortRun, isActive, pauseRun, resumeRun, reviewRun, stopRun } from './control.js';
import type { Effect } from './effects.js';
import { type GitTaskResult, gitTaskDone } from './git-tasks.js';
import { planIntervention } from './interventions.js';
import { type Ending, LandingQueue } from './landing-queue.js';
import { reconfigure } from './reconfigure.js';
import { adopt, endChild, isAdopted, takeReport } from './reports.js';
import { endOwnWaits, fillSlots, nextOwnWait, reviewAgents, standsStill } from './waiting.js';

export { agentName } from '../scheduler/slots.js';
export type { Effect } from './effects.js';
export { firstState } from './first-state.js';

/** Commands whose ids are remembered. */
const SEEN_KEPT = 50;

/** In semi-auto mode a person decides about everything that has not landed and is not given up. */
const mayBeAssigned = ({ card, status }: IdeaEntry): boolean =>
  !card.blue && status !== 'landed' && status !== 'skipped' && status !== 'abandoned';

export class Autopilot {
  readonly #board: Board;
  readonly #lane: LandingQueue;

  constructor(state: AutopilotState, settings: RunSettings) {
    this.#board = new Board(state, settings);
    this.#lane = new LandingQueue(this.#board);
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
    takeReport(this.#board, this.#lane, report, now);
  }

  /**
   * A child workflow is over, however that was learnt. Repeats change nothing, and with `life` given neither does the
   * end of an earlier child of the same idea.
   */
  childEnded(idea: string, outcome: IdeaOutcome, reason?: string, life?: number): void {
    const entry = this.graph.entry(idea);
    if (!entry) return;
    if (life !== undefined && !isAdopted(entry) && life !== entry.life) return;
    this.#end(idea, { outcome, ...(reason === undefined ? {} : { reason }) });
  }

  /**
   * A message found no child. One that was taken over from an earlier run and never reported has simply ended before it
   * could: the idea starts again. Any other has gone without a word, and failed.
   */
  childGone(idea: string, life?: number): void {
    const entry = this.graph.entry(idea);
    const adopted = entry !== undefined && isAdopted(entry);
    this.childEnded(idea, adopted ? 'stopped' : 'failed', adopted ? undefined : 'its workflow is gone', life);
  }

  landed(idea: string, result: LandResult): void {
    this.#end(idea, this.#lane.finished(idea, result));
  }

  /** The landing could not be carried out at all (not a conflict, not a red gate). */
  landingFailed(idea: string, message: string): void {
    this.#end(idea, this.#lane.failed(idea, message));
  }

  /** Its landing, or what git was asked to do for it, has not begun, and why; otherwise what its reason was before. */
  workWaits(idea: string, why: string | undefined): void {
    const entry = this.graph.entry(idea);
    if (!entry) return;
    if (why === undefined) delete entry.reason;
    else entry.reason = clip(why, MAX_REASON);
    this.#board.touch(entry);
  }

  pause(why?: string): void {
    pauseRun(this.#board, why);
  }

  resume(): void {
    resumeRun(this.#board);
  }

  stop(why?: string): void {
    stopRun(this.#board, why);
  }

  review(): void {
    reviewRun(this.#board);
  }

  abort(why?: string): void {
    abortRun(this.#board, why);
  }

  /** Why the command is not legal now; undefined when it is. Changes nothing. */
  commandProblem(command: Told): string | undefined {
    const plan = planIntervention(this.#board, command);
    return 'refusal' in plan ? plan.refusal : undefined;
  }

  /**
   * Why a legal command would change nothing. Asked before a command is taken, never when it is carried out: runs that are
   * open carried such commands out.
   */
  idleProblem({ verb, idea }: Told): string | undefined {
    const { state } = this.#board;
    if (verb !== 'resume') return undefined;
    const entry = idea === undefined ? undefined : this.graph.entry(idea);
    if (entry)
      return entry.approval && !goesOn(entry) ? `${idea} waits for an approval: ralphctl approve ${idea}` : undefined;
    if (isActive(this.#board)) return undefined;
    const over = budgetProblem(this.#board);
    return over && `the run stays ${state.run}: ${over}`;
  }

  /** Carries a command out. One that arrives again under its id changes nothing. */
  command(command: Told): { done: string } | { refusal: string } {
    const { state, told } = this.#board;
    const { verb, idea, reason, id } = command;
    if (id !== undefined && state.seen?.includes(id)) return { done: 'taken already' };
    if (isName(id)) state.seen = [...(state.seen ?? []), id].slice(-SEEN_KEPT);
    const plan = planIntervention(this.#board, command);
    if ('refusal' in plan) {
      // It may be anything: only what is known to be a text is passed on.
      const said = typeof idea === 'string' ? { idea: clip(idea, MAX_REASON) } : {};
      told.push({ verb: clip(verb, MAX_REASON), ...said, refusal: plan.refusal });
      return plan;
    }
    const about = { verb, ...(idea ? { idea } : {}), ...(reason ? { reason } : {}) };
    const done = plan.carryOut();
    told.push({ ...about, done });
    return { done };
  }

  /** What git did with an idea that a person asked for. */
  errandDone(idea: string, result: GitTaskResult): void {
    gitTaskDone(this.#board, idea, result);
  }

  undone(idea: string, result: UndoResult | { kind: 'failed'; problem: string }): void {
    const done = this.#lane.undone(idea, result);
    if (done) this.#board.told.push({ verb: 'rollback', idea, done });
  }

  /** One idea was stopped, not the run: it must not start again by itself. */
  stoppedAlone(idea: string): void {
    const entry = this.graph.entry(idea);
    if (entry && this.#board.isOpen(idea) && this.state.run !== 'stopping') entry.after ??= { do: 'hold' };
  }

  /** Whether the idea's workflow is still the one that was started as this life. */
  isLife(idea: string, life: number | undefined): boolean {
    const entry = this.graph.entry(idea);
    return entry !== undefined && (life === undefined || isAdopted(entry) || life === entry.life);
  }

  takeTold(): Taken[] {
    return this.#board.told.splice(0);
  }

  /** Fewer slots take nothing away from those who hold one. */
  setSlots(slots: number): void {
    this.state.slots = slots;
  }

  /** Goes on with another configuration. */
  configured(config: RunConfigResult): void {
    reconfigure(this.#board, config);
  }

  /** A configuration that could not be read changes nothing. */
  notConfigured(refusal: string): void {
    this.#board.told.push({ verb: 'reload-config', refusal });
  }

  /** Takes new ideas in; the caller has checked them with `enqueueProblem`. Ids that are known already are left out. */
  enqueue(cards: readonly IdeaCard[]): void {
    const fresh = new Map(cards.filter((card) => !this.graph.entry(card.id)).map((card) => [card.id, card]));
    if (fresh.size > 0) this.#board.add([...fresh.values()]);
  }

  /** The idea's workflow was already open, started by an earlier run: its next report says where it stands. */
  adopted(idea: string): void {
    const entry = this.graph.entry(idea);
    if (entry) adopt(this.#board, entry);
  }

  // ---- decisions --------------------------------------------------------------------------------------------------

  /**
   * Everything to do now. While `rollover` is set nothing new is begun, so that the run can continue as new. `mostStarts`:
   * of new ideas; whoever sets it asks again when there is room.
   */
  decide(rollover: boolean, now = 0, mostStarts = Number.POSITIVE_INFINITY): Effect[] {
    const board = this.#board;
    const { state } = board;
    board.gates?.tick(now);
    endOwnWaits(board, now);
    watchBudget(board, now);
    const commands = board.outbox.splice(0);
    if (rollover) return commands;
    commands.push(...this.#lane.next());
    if (isActive(board)) commands.push(...fillSlots(board, now, mostStarts));
    if (isActive(board) || state.run === 'pausing') commands.push(...reviewAgents(board, now));
    this.#noteStandstill();
    if (state.run === 'pausing' && board.runningCount === 0 && state.landing === undefined) state.run = 'paused';
    return commands;
  }

  /** When to decide again although nothing was heard; epoch ms. */
  wakeAt(): number | undefined {
    const { gates, state } = this.#board;
    const day = state.budget?.paused === 'day' ? state.budget.dayEndsAt : undefined;
    const times = [gates?.wakeAt(), nextOwnWait(this.#board), day];
    const known = times.filter((at) => at !== undefined);
    return known.length > 0 ? Math.min(...known) : undefined;
  }

  /** More of a budget. A run that was paused by it goes on. False when no such budget is kept. */
  raiseBudget(more: Raise): boolean {
    return raise(this.#board, more);
  }

  /** What agents may use together; undefined where they are not held while they work. */
  get ceilings(): Ceilings | undefined {
    return currentCeilings(this.#board);
  }

  /** Lets an account or agent, or all of them, be tried now. Returns how many were closed. */
  retryLimits(which?: string): number {
    return this.#board.gates?.retry(which).length ?? 0;
  }

  /** Every account, and agents that do not start. */
  accounts(): AccountLine[] {
    return this.#board.gates?.lines() ?? [];
  }

  #noteStandstill(): void {
    const { gates, state } = this.#board;
    if (!gates || !state.limits) return;
    const until = gates.wakeAt();
    if (!standsStill(this.#board)) delete state.limits.still;
    else state.limits.still = { why: gates.whyStill(), ...(until === undefined ? {} : { until }) };
  }

  /** Nothing runs, nothing can start, nobody is waited for. */
  isOver(): boolean {
    const { state } = this;
    if (state.run === 'paused' || state.run === 'pausing') return false;
    if (!this.#lane.isEmpty || this.#board.openCount > 0) return false;
    if (state.run === 'waiting_user') return !state.entries.some(mayBeAssigned);
    return state.run !== 'running' || this.graph.readyCount === 0;
  }

  /** Ready ideas that come next, best first. */
  next(most: number): string[] {
    return this.#board.pool.top(most);
  }

  takeChanges(): IdeaEntry[] {
    return this.#board.changes.splice(0);
  }

  openIdeas(): IdeaEntry[] {
    return this.#board.openIdeas();
  }

  isOpen(idea: string): boolean {
    return this.#board.isOpen(idea);
  }

  #end(idea: string, ending: Ending | undefined): void {
    const entry = this.graph.entry(idea);
    if (entry && ending) endChild(this.#board, this.#lane, entry, ending);
  }
}
