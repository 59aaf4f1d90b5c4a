/**
 * The landing queue (D1): one landing at a time, in order of arrival. A failed landing goes back to its agent a limited
 * number of times, then to a person.
 * Invariant: during a landing, only its own result changes the idea.
 * May import protocol and decide only.
 */
import type { Bounced, LandResult, UndoResult } from '../../protocol/git-work.js';
import type { LookResult } from '../../protocol/review.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { owePush } from '../delivery/push.js';
import { beginReview, endLook, skipClosed, waitForForge } from '../delivery/review.js';
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
  /** The child of the landing idea has ended. Memory is enough: a run never continues as new during a landing. */
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
    // A stopping run asks nobody any more: the work stays on its branch.
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

  /** Records that the child is gone. This matters only if the landing fails. */
  childEndedMeanwhile(ending: Ending): void {
    this.#ended ??= ending;
  }

  /** `now`: epoch ms. */
  next(now = 0): Effect[] {
    const { state } = this.#board;
    // After an abort no landing begins, even for ideas that do not know of the abort yet.
    if (state.landing !== undefined || state.aborting) return [];
    // A landing does not begin for an idea that is being ended. In a paused run only undo continues, because a person
    // asked for it.
    const holding = state.run === 'paused' || state.run === 'pausing' || (state.forge?.at ?? 0) > now;
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

  /** Returns how the child ended meanwhile, when the landing failed and no child is left to fix it. */
  finished(idea: string, result: LandResult, now = 0): Ending | undefined {
    const { state } = this.#board;
    const work = this.#board.graph.entry(idea)?.work;
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    const ended = this.#ended;
    this.#ended = undefined;
    if (result.kind === 'forge-waits') {
      if (ended || !work) return ended;
      state.lane.unshift(idea);
      waitForForge(this.#board, entry, { ...result, work }, now);
      return undefined;
    }
    delete state.forge;
    if (result.kind === 'pull-closed') {
      if (!ended) skipClosed(this.#board, entry, result);
      return ended;
    }
    if (result.kind === 'in-review') {
      if (!ended && work) beginReview(this.#board, entry, result, work);
      return ended;
    }
    if (result.kind === 'landed') {
      this.#landed(entry, result);
      return undefined;
    }
    this.#board.state.totals.bounces += 1;
    if (ended) return ended;
    entry.rounds += 1;
    if (result.kind === 'conflict') entry.conflicted = true;
    entry.bounce = bounceOf(result);
    if (this.#board.state.run === 'stopping') queueForSlot(this.#board, entry);
    // No agent can fix a failure that existed before it came: its rounds would be wasted.
    else if (result.kind === 'red' && result.gate.failure?.alreadyRed) this.#ask(entry, landingQuestion(result));
    else if (entry.rounds > this.#board.settings.maxLandingRounds) {
      // Advice from a person gives the agent a new set of rounds.
      entry.rounds = 0;
      this.#ask(entry, landingQuestion(result));
    } else queueForSlot(this.#board, entry);
    return undefined;
  }

  /** A look at the pull request of an idea is over. */
  looked(idea: string, result: LookResult, now: number): void {
    const entry = this.#board.graph.entry(idea);
    if (!entry) return;
    const after = endLook(this.#board, entry, result, now);
    if (after.do === 'land') this.#board.state.lane.push(idea);
    if (after.do === 'ask') this.#ask(entry, after.question);
    if (after.do === 'landed')
      this.#landed(entry, { kind: 'landed', commit: after.commit, commits: 1, durationMs: 0, note: after.note });
  }

  /** The landing itself failed (neither a conflict nor a red gate). Returns the same as `finished`. */
  failed(idea: string, message: string): Ending | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    const ended = this.#ended;
    this.#ended = undefined;
    if (ended) return ended;
    this.#ask(entry, `Landing failed: ${message}. Fix it, then reply with anything to retry.`);
    if (this.#board.state.run === 'stopping') tellRunState(this.#board, entry);
    return undefined;
  }

  /** The result of taking a landed idea off the target. */
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
    owePush(this.#board.state, this.#board.settings.delivery);
    delete entry.commit;
    entry.hold = true;
    entry.retries += 1;
    const { target } = this.#board.state;
    const taken = `taken off ${target} by ${result.commit.slice(0, 8)}; start it again with: ralphctl retry ${idea}`;
    // A landing notes a checkout that was left behind; so does an undo.
    entry.reason = clip(result.note === undefined ? taken : `${taken}. ${result.note}`, MAX_REASON);
    this.#board.set(entry, 'pending');
    // Its dependents wait again.
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
    delete entry.review;
    this.#board.foldIterations(entry);
    // Thousands of landed ideas stay in the state.
    delete entry.course;
    this.#board.set(entry, 'landed');
    this.#board.markDone(idea);
    owePush(state, this.#board.settings.delivery);
    this.#board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'landed', commit: result.commit } });
  }

  #ask(entry: IdeaEntry, question: string): void {
    entry.reason = clip(question, MAX_QUESTION);
    entry.course = { ...entry.course, asking: 'landing' };
    this.#board.set(entry, 'needs-human');
    this.#board.outbox.push({ do: 'verdict', idea: entry.card.id, verdict: { kind: 'ask', question } });
  }
}

type NotUndone = Exclude<UndoResult, { kind: 'undone' }> | { kind: 'failed'; problem: string };

/** Why the idea stays landed, and what a person can do. */
function undoProblem(result: NotUndone, idea: string, target: string): string {
  switch (result.kind) {
    case 'conflict': {
      const files = result.files.slice(0, 5).join(', ');
      return `later landings build on it in ${files}. Roll those back first, or take it off by hand: git log ${target} -- ${result.files[0] ?? '.'}`;
    }
    case 'red':
      return `without it the gate is red (${result.gate.failure?.command ?? 'no command'}). Roll back the ideas that need it first; then: ralphctl rollback ${idea}`;
    case 'nothing':
      return `${target} does not contain it`;
    case 'failed':
      return result.problem;
  }
}

/*
 * A failed landing: the agent's feedback, and the question to a person when the agent cannot fix it.
 * May import protocol and decide only.
 */

export function bounceOf(result: Bounced): NonNullable<IdeaEntry['bounce']> {
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

/** Why a landing failed, in a few words. */
export function bounceReason(result: Bounced): string {
  if (result.kind === 'conflict') return `it conflicts with the target in ${result.files.slice(0, 5).join(', ')}`;
  return `the gate is red on the merged tree (${result.gate.failure?.command ?? 'no command'})`;
}

export function landingQuestion(result: Bounced): string {
  if (result.kind === 'red' && result.gate.failure?.alreadyRed) return alreadyRedQuestion(result.gate.failure);
  return `The work is done but cannot land: ${bounceReason(result)}, and the agent could not fix it. Answer with advice for the next try.`;
}
