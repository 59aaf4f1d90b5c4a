/**
 * The landing queue (D1): one landing at a time, in order of arrival. A failed landing goes back to its agent a limited
 * number of times, then to a person.
 * Invariant: during a landing, only its own result changes the idea.
 * May import protocol and decide only.
 */
import type { LandResult, Reverted, UndoResult } from '../../protocol/git-work.js';
import type { LookResult } from '../../protocol/review.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { undoFailedReason } from '../../protocol/taken-off.js';
import { owePush } from '../delivery/push.js';
import { beginReview, endLook, skipClosed, waitForForge } from '../delivery/review.js';
import { mayLand, restack, waitForBelow } from '../delivery/stack.js';
import { dependantsIn, landedDependantsIn } from '../idea/dependants.js';
import { clip, clipReason, MAX_QUESTION } from '../text.js';
import type { Board } from './board.js';
import { bounceOf, landingQuestion, undoProblem } from './bounce.js';
import { queueToLand, tellRunState } from './control.js';
import type { Effect } from './effects.js';
import { forgetPlace, isRound, keepPlace, waitBehind, waitsBehind } from './places.js';
import { revertedText } from './reverted.js';
import { goOnFree, waitForTarget } from './target-busy.js';
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
    queueToLand(this.#board, entry);
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

  /** What stands on a pull request that has changed lands again, waits or asks. */
  restack(): void {
    for (const { entry, question } of restack(this.#board)) {
      this.leave(entry.card.id);
      this.#ask(entry, question);
    }
  }

  /** `now`: epoch ms. */
  next(now = 0): Effect[] {
    const { state } = this.#board;
    // After an abort no landing begins, even for ideas that do not know of the abort yet.
    if (state.landing !== undefined || state.aborting) return [];
    if (state.lane.length === 0) delete state.targetBusy;
    // A landing does not begin for an idea that is being ended. In a paused run only undo continues, because a person
    // asked for it.
    const held = Math.max(state.forge?.at ?? 0, state.targetBusy?.at ?? 0) > now;
    const holding = state.run === 'paused' || state.run === 'pausing' || held;
    const at = state.lane.findIndex((id) => {
      const entry = this.#board.graph.entry(id);
      if (entry?.after !== undefined || entry?.approval) return false;
      if (entry && waitsBehind(this.#board, entry, now)) return false;
      return entry?.busy === 'undo' || (!holding && (!entry?.below || mayLand(this.#board.graph, entry)));
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
    if (result.kind === 'target-busy') {
      const question = !ended && work ? waitForTarget(this.#board, entry, { ...result, work }, now) : undefined;
      if (question !== undefined) this.#ask(entry, question, true);
      return ended;
    }
    if (result.kind === 'target-free') {
      goOnFree(this.#board, entry, ended ? undefined : work);
      return ended;
    }
    delete state.targetBusy;
    if (result.kind === 'waits-below') {
      if (!ended && work) waitForBelow(this.#board, entry, { ...result, work });
      return ended;
    }
    if (result.kind === 'waits-place') {
      if (!ended && work) waitBehind(this.#board, entry, { ...result, work });
      return ended;
    }
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
    if (isRound(this.#board, entry, result)) entry.rounds += 1;
    keepPlace(this.#board, entry, result, now);
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

  /**
   * The landing itself failed (neither a conflict nor a red gate). Returns the same as `finished`. `lands`: the work had no
   * part in it.
   */
  failed(idea: string, message: string, lands = false): Ending | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    const ended = this.#ended;
    this.#ended = undefined;
    delete this.#board.state.targetBusy;
    if (ended) return ended;
    this.#ask(
      entry,
      `Landing failed: ${message.replace(/\.$/, '')}. Fix it, then reply with anything to retry.`,
      lands,
    );
    if (this.#board.state.run === 'stopping') tellRunState(this.#board, entry);
    return undefined;
  }

  /** The result of taking a landed idea off the target. */
  undone(idea: string, result: UndoResult | { kind: 'failed'; problem: string }): string | undefined {
    const entry = this.#takeOut(idea);
    if (!entry) return undefined;
    delete entry.busy;
    if (result.kind !== 'undone') {
      const why = undoProblem(
        result,
        idea,
        this.#board.state.target,
        landedDependantsIn(idea, this.#board.state.entries),
      );
      entry.reason = clipReason(undoFailedReason(why));
      this.#board.set(entry, 'landed');
      if (result.kind === 'nothing') return `there is nothing to take back of ${idea}: ${why}`;
      return `${idea} stays landed: ${why}`;
    }
    owePush(this.#board.state, this.#board.settings.delivery);
    delete entry.commit;
    entry.hold = true;
    entry.takenOff = true;
    if (!this.#board.rules('rollback-is-no-retry')) entry.retries += 1;
    const { target } = this.#board.state;
    const taken = `taken off ${target} by ${result.commit.slice(0, 8)}; start it again with: ralphctl retry ${idea}`;
    // A landing notes a checkout that was left behind; so does an undo.
    entry.reason = clipReason(result.note === undefined ? taken : `${taken}. ${result.note}`);
    this.#board.set(entry, 'pending');
    // Its dependents wait again.
    this.#board.rebuild();
    const after = dependantsIn(idea, this.#board.state.entries);
    return `${idea} was taken off ${target} by ${result.commit.slice(0, 8)}${result.note ? `: ${result.note}` : ''}${after}`;
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
    const notes = [...this.#takeReverted(result.reverted ?? []), ...(result.note === undefined ? [] : [result.note])];
    if (notes.length === 0) delete entry.reason;
    else entry.reason = clipReason(notes.join(' '));
    delete entry.bounce;
    forgetPlace(entry);
    delete entry.after;
    delete entry.warnings;
    delete entry.review;
    delete entry.below;
    this.#board.foldIterations(entry);
    // Thousands of landed ideas stay in the state.
    delete entry.course;
    this.#board.set(entry, 'landed');
    this.#board.markDone(idea);
    owePush(state, this.#board.settings.delivery);
    this.#board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'landed', commit: result.commit } });
  }

  /** Told on the idea whose work it was; of ideas that this run does not have, on the one that lands. */
  #takeReverted(reverted: readonly Reverted[]): string[] {
    const { graph, state } = this.#board;
    const others: string[] = [];
    for (const one of reverted) {
      const entry = graph.entry(one.idea);
      if (!entry) others.push(`${revertedText(one, state.target, one.idea)}.`);
      else if (entry.status === 'landed') entry.reason = clipReason(revertedText(one, state.target));
    }
    return others;
  }

  #ask(entry: IdeaEntry, question: string, lands = false): void {
    entry.reason = clip(question, MAX_QUESTION);
    entry.course = { ...entry.course, asking: 'landing' };
    this.#board.set(entry, 'needs-human');
    const verdict = { kind: 'ask' as const, question, ...(lands ? { lands: true as const } : {}) };
    this.#board.outbox.push({ do: 'verdict', idea: entry.card.id, verdict });
  }
}
