/**
 * The autopilot's decisions: events change the state, `decide` says what to do next. The workflow only carries it out.
 * Invariant: at most one landing at a time; a slot is held by at most one idea; an idea starts only when everything it
 * depends on has landed; a report older than the last one taken changes nothing. No event costs a pass over all ideas.
 * May import protocol and decide only.
 */
import type { LandResult } from '../protocol/activities.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { AutopilotState, IdeaEntry, IdeaOutcome, IdeaReport, RunSettings } from '../protocol/run.js';
import { Board } from './board.js';
import type { Command } from './commands.js';
import { pauseRun, resumeRun, stopRun } from './control.js';
import type { Graph } from './graph.js';
import { type Ending, Lane } from './lane.js';
import { adopt, endChild, isAdopted, takeReport } from './reports.js';
import { fillSlots } from './waiting.js';

export type { Command } from './commands.js';
export { firstState } from './first-state.js';
export { agentName } from './slots.js';

export class Autopilot {
  readonly #board: Board;
  readonly #lane: Lane;

  constructor(state: AutopilotState, settings: RunSettings) {
    this.#board = new Board(state, settings);
    this.#lane = new Lane(this.#board);
  }

  get state(): AutopilotState {
    return this.#board.state;
  }

  get graph(): Graph {
    return this.#board.graph;
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  report(report: IdeaReport): void {
    takeReport(this.#board, this.#lane, report);
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

  pause(why?: string): void {
    pauseRun(this.#board, why);
  }

  resume(): void {
    resumeRun(this.#board);
  }

  stop(why?: string): void {
    stopRun(this.#board, why);
  }

  /** Fewer slots take nothing away from those who hold one. */
  setSlots(slots: number): void {
    this.state.slots = slots;
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

  /** Everything to do now. While `rollover` is set nothing new is begun, so that the run can continue as new. */
  decide(rollover: boolean): Command[] {
    const board = this.#board;
    const { state } = board;
    const commands = board.outbox.splice(0);
    if (rollover) return commands;
    if (state.run === 'running' || state.run === 'stopping') commands.push(...this.#lane.next());
    if (state.run === 'running') commands.push(...fillSlots(board));
    if (state.run === 'pausing' && board.runningCount === 0 && state.landing === undefined) state.run = 'paused';
    return commands;
  }

  /** Nothing runs, nothing can start, nobody is waited for. */
  isOver(): boolean {
    const { state } = this;
    if (state.run === 'paused' || state.run === 'pausing') return false;
    if (!this.#lane.isEmpty || this.#board.openCount > 0) return false;
    return state.run !== 'running' || this.graph.readyCount === 0;
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
