/**
 * The landing lane (D1): one landing at a time, first come first served; what does not land goes back to its agent a
 * bounded number of times, then to a person.
 * Invariant: while a landing is in flight, only its own result moves the idea on.
 * May import protocol and decide only.
 */
import type { LandResult, UndoResult } from '../../protocol/git-work.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { gateFeedback } from '../idea/completion.js';
import { alreadyRedQuestion } from '../idea/tripwires.js';
import { clip, MAX_QUESTION, MAX_REASON } from '../text.js';
import type { Board } from './board.js';
import { askToLand, mustBeApproved, tellIdea, tellRunState } from './control.js';
import type { Effect } from './effects.js';
import { queueForSlot } from './waiting.js';

export interface Ending {
  outcome: IdeaOutcome;
  reason?: string;
}

export class LandingQueue {
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
    if (mustBeApproved(this.#board, entry)) askToLand(entry);
    delete entry.mayLand;
    this.#board.set(entry, 'landing');
    this.#board.state.lane.push(entry.card.id);
    // In a run that stops nobody is asked any more: its work stays on its branch.
    if (entry.approval && this.#board.state.run === 'stopping') tellIdea(this.#board, entry, 'stop');
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

  next(): Effect[] {
    const { state } = this.#board;
    // After an abort nothing begins to land, whoever has not heard of it yet.
    if (state.landing !== undefined || state.aborting) return [];
    // What is being ended does not begin to land. While the run holds, only undoing goes on: a person asked for it.
    const holding = state.run === 'paused' || state.run === 'pausing';
    const at = state.lane.findIndex((id) => {
      const entry = this.#board.graph.entry(id);
      return entry?.after === undefined && !entry?.approval && (entry?.busy === 'undo' || !holding);
    });
    const idea = state.lane[at];
    if (idea === undefined) return [];
    if (at > 0) state.lane = [idea, ...state.lane.filter((one) => one !== idea)];
    state.landing = idea;
    return [{ do: this.#board.graph.entry(idea)?.busy === 'undo' ? 'undo' : 'land', idea }];
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

  /** What came of taking a landed idea off the target. */
  undone(idea: string, result: UndoResult | { kind: 'failed'; problem: string }): string | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    delete entry.busy;
    if (result.kind !== 'undone') {
      const why = undoProblem(result, idea, this.#board.state.target);
      entry.reason = clip(`could not be undone: ${why}`, MAX_REASON);
      this.#board.set(entry, 'landed');
      return `${idea} stays landed: ${why}`;
    }
    delete entry.commit;
    entry.hold = true;
    entry.retries += 1;
    const { target } = this.#board.state;
    const taken = `taken off ${target} by ${result.commit.slice(0, 8)}; start it again with: ralphctl retry ${idea}`;
    // A checkout that was left behind is told of where a landing tells of it, too.
    entry.reason = clip(result.note === undefined ? taken : `${taken}. ${result.note}`, MAX_REASON);
    this.#board.set(entry, 'pending');
    // What waits for it waits again.
    this.#board.rebuild();
    return `${idea} was taken off ${target} by ${result.commit.slice(0, 8)}${result.note ? `: ${result.note}` : ''}`;
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
    const { state } = this.#board;
    const idea = entry.card.id;
    state.failuresInARow = 0;
    state.totals.landings += 1;
    state.totals.commits += result.commits;
    entry.commit = result.commit;
    if (result.note === undefined) delete entry.reason;
    else entry.reason = clip(result.note, MAX_REASON);
    delete entry.bounce;
    delete entry.after;
    delete entry.warnings;
    this.#board.foldIterations(entry);
    this.#board.set(entry, 'landed');
    this.#board.markDone(idea);
    this.#board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'landed', commit: result.commit } });
  }

  #ask(entry: IdeaEntry, question: string): void {
    entry.reason = clip(question, MAX_QUESTION);
    this.#board.set(entry, 'needs-human');
    this.#board.outbox.push({ do: 'verdict', idea: entry.card.id, verdict: { kind: 'ask', question } });
  }
}

type NotUndone = Exclude<UndoResult, { kind: 'undone' }> | { kind: 'failed'; problem: string };

/** Why it stays, and what a person can do about it. */
function undoProblem(result: NotUndone, idea: string, target: string): string {
  switch (result.kind) {
    case 'conflict': {
      const files = result.files.slice(0, 5).join(', ');
      return `what landed later stands on it, in ${files}. Roll back first what changed that later, or take it off by hand: git log ${target} -- ${result.files[0] ?? '.'}`;
    }
    case 'red':
      return `without it the gate is red (${result.gate.failure?.command ?? 'no command'}). Roll back first what needs it; then: ralphctl rollback ${idea}`;
    case 'nothing':
      return `${target} does not contain it`;
    case 'failed':
      return result.problem;
  }
}

/*
 * A landing that did not go through: what the agent is told, and what a person is asked when the agent cannot mend it.
 * May import protocol and decide only.
 */

export function bounceOf(result: Exclude<LandResult, { kind: 'landed' }>): NonNullable<IdeaEntry['bounce']> {
  if (result.kind === 'conflict') {
    const { onto, files, detail } = result;
    return { reopen: { kind: 'conflict', onto, files }, feedback: { kind: 'landing-conflict', files, detail } };
  }
  const { onto, candidate, gate } = result;
  const failed = gateFeedback(gate);
  const evidence = failed?.kind === 'gate-failed' ? failed : { command: '', exitCode: null, tail: '', log: '' };
  const { command, exitCode, tail, log } = evidence;
  return {
    reopen: { kind: 'red', onto, candidate },
    feedback: { kind: 'landing-red', command, exitCode, tail, log },
  };
}

/** Why a landing did not go through, in a few words. */
export function bounceReason(result: Exclude<LandResult, { kind: 'landed' }>): string {
  if (result.kind === 'conflict') return `it conflicts with the target in ${result.files.slice(0, 5).join(', ')}`;
  return `the gate is red on the merged tree (${result.gate.failure?.command ?? 'no command'})`;
}

export function landingQuestion(result: Exclude<LandResult, { kind: 'landed' }>): string {
  if (result.kind === 'red' && result.gate.failure?.alreadyRed) return alreadyRedQuestion(result.gate.failure);
  return `The work is done but does not land: ${bounceReason(result)}, and the agent could not mend it. Answer with advice to let it try again.`;
}
