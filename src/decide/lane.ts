/**
 * The landing lane (D1): one landing at a time, first come first served; what does not land goes back to its agent a
 * bounded number of times, then to a person.
 * Invariant: while a landing is in flight, only its own result moves the idea on.
 * May import protocol and decide only.
 */
import type { LandResult } from '../protocol/activities.js';
import type { IdeaEntry, IdeaOutcome } from '../protocol/run.js';
import type { Board } from './board.js';
import { bounceOf, landingQuestion } from './bounce.js';
import { clip, MAX_QUESTION, MAX_REASON } from './clip.js';
import type { Command } from './commands.js';
import { tellRunState } from './control.js';
import { queueForSlot } from './waiting.js';

export interface Ending {
  outcome: IdeaOutcome;
  reason?: string;
}

export class Lane {
  readonly #board: Board;
  /** The child of the idea that is landing has ended. Kept in memory: a run never continues as new during a landing. */
  #ended: Ending | undefined;

  constructor(board: Board) {
    this.#board = board;
  }

  get isEmpty(): boolean {
    const { lane, landing } = this.#board.state;
    return lane.length === 0 && landing === undefined;
  }

  join(entry: IdeaEntry): void {
    this.#board.freeSlot(entry);
    delete entry.reason;
    this.#board.set(entry, 'landing');
    this.#board.state.lane.push(entry.card.id);
  }

  leave(idea: string): void {
    const { state } = this.#board;
    if (state.lane[0] === idea) state.lane.shift();
    else if (state.lane.includes(idea)) state.lane = state.lane.filter((one) => one !== idea);
  }

  isLanding(idea: string): boolean {
    return this.#board.state.landing === idea;
  }

  /** Takes note that the child is gone; it counts only if the landing does not go through. */
  childEndedMeanwhile(ending: Ending): void {
    this.#ended ??= ending;
  }

  next(): Command[] {
    const { state } = this.#board;
    const idea = state.lane[0];
    if (idea === undefined || state.landing !== undefined) return [];
    state.landing = idea;
    return [{ do: 'land', idea }];
  }

  /** Returns how the child ended meanwhile, when the idea did not land and nobody is left to mend it. */
  finished(idea: string, result: LandResult): Ending | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    const ended = this.#ended;
    this.#ended = undefined;
    if (result.kind === 'landed') {
      this.#landed(entry, result);
      return undefined;
    }
    this.#board.state.totals.bounces += 1;
    if (ended) return ended;
    entry.rounds += 1;
    entry.bounce = bounceOf(result);
    if (this.#board.state.run === 'stopping') queueForSlot(this.#board, entry);
    // No agent can mend what was broken before it came: its rounds would be spent on nothing.
    else if (result.kind === 'red' && result.gate.failure?.alreadyRed) this.#ask(entry, landingQuestion(result));
    else if (entry.rounds > this.#board.settings.maxLandingRounds) {
      // Advice from a person buys the agent a new set of rounds.
      entry.rounds = 0;
      this.#ask(entry, landingQuestion(result));
    } else queueForSlot(this.#board, entry);
    return undefined;
  }

  /** The landing could not be carried out at all (not a conflict, not a red gate). Returns as `finished` does. */
  failed(idea: string, message: string): Ending | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    const ended = this.#ended;
    this.#ended = undefined;
    if (ended) return ended;
    this.#ask(entry, `Landing failed: ${message}. Mend it, then answer anything to try again.`);
    if (this.#board.state.run === 'stopping') tellRunState(this.#board, entry);
    return undefined;
  }

  #takeOut(idea: string): IdeaEntry | undefined {
    const { state, graph } = this.#board;
    if (state.landing !== idea) return undefined;
    delete state.landing;
    this.leave(idea);
    const entry = graph.entry(idea);
    if (entry) delete entry.work;
    return entry;
  }

  #landed(entry: IdeaEntry, result: Extract<LandResult, { kind: 'landed' }>): void {
    const { state, graph } = this.#board;
    const idea = entry.card.id;
    state.failuresInARow = 0;
    state.totals.landings += 1;
    state.totals.commits += result.commits;
    entry.commit = result.commit;
    if (result.note === undefined) delete entry.reason;
    else entry.reason = clip(result.note, MAX_REASON);
    delete entry.bounce;
    this.#board.foldIterations(entry);
    this.#board.set(entry, 'landed');
    graph.markDone(idea);
    this.#board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'landed', commit: result.commit } });
  }

  #ask(entry: IdeaEntry, question: string): void {
    entry.reason = clip(question, MAX_QUESTION);
    this.#board.set(entry, 'needs-human');
    this.#board.outbox.push({ do: 'verdict', idea: entry.card.id, verdict: { kind: 'ask', question } });
  }
}
