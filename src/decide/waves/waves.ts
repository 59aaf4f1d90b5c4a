/**
 * The waves of a run (E1, E2): when the next one is planned, when one is over, and when none follows.
 * Invariant: a wave is planned only while the run is active, and one at a time. A wave is over when nothing of it can go
 * on without a person: what is in review or asks a person does not hold the next wave up. Without settings for waves
 * nothing here changes the state. May import protocol and decide only.
 */
import type { Spent } from '../../protocol/budget.js';
import { isElsewhere } from '../../protocol/claimed-elsewhere.js';
import type { RunEvent } from '../../protocol/events.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { PlanWaveResult, WaveState, WaveSummary, WavesEnd } from '../../protocol/waves.js';
import { addSpent, nothingSpent } from '../budget/amounts.js';
import { currentCeilings } from '../budget/control.js';
import { overBudget, spend } from '../budget/run.js';
import type { Board } from '../run/board.js';
import { asksToLand, isActive, pauseRun, stopRun } from '../run/control.js';
import type { Effect } from '../run/effects.js';
import { isInReview } from '../scheduler/stack.js';
import { clip, MAX_REASON } from '../text.js';
import { runSpent } from '../views/survey.js';
import { endText, wavesEnd } from './breakers.js';
import { rests } from './rest.js';

/** ms */
const FIRST_WAIT = 10_000;
const LONGEST_WAIT = 15 * 60_000;

type WaveEvent = Extract<RunEvent, { kind: 'wave' | 'rejected' }>;

const firstWaves = (): WaveState => ({ wave: 0, phase: 'between', batch: [], began: 0, before: 0, done: [] });

export class Waves {
  readonly #board: Board;
  readonly #news: WaveEvent[] = [];

  constructor(board: Board) {
    this.#board = board;
    if (board.settings.waves) board.state.waves ??= firstWaves();
  }

  /** Events since the last call: those that come before what the ideas do, and those that come after it. */
  takeNews(): { before: WaveEvent[]; after: WaveEvent[] } {
    const all = this.#news.splice(0);
    const isEnd = (event: WaveEvent): boolean =>
      event.kind === 'wave' && (event.state === 'ended' || event.state === 'over');
    return { before: all.filter((event) => !isEnd(event)), after: all.filter(isEnd) };
  }

  /** The run waits for a wave or its plan. A stopping run plans none. */
  get open(): boolean {
    const { waves, run } = this.#board.state;
    if (!waves || waves.phase === 'over') return false;
    return waves.phase === 'planning' || run === 'running' || run === 'waiting_user';
  }

  /** When the source is read again, epoch ms. */
  wakeAt(): number | undefined {
    const { waves } = this.#board.state;
    return waves?.phase === 'between' && isActive(this.#board) ? waves.held?.at : undefined;
  }

  /** Ends the wave that is over, and asks for the plan of the next one. */
  next(now: number): Effect[] {
    const board = this.#board;
    const { waves } = board.state;
    const { waves: settings } = board.settings;
    if (!waves || !settings) return [];
    if (waves.phase === 'working' && this.#isBroke()) {
      // Finished work still lands; the wave is over then.
      waves.end = 'budget';
      stopRun(board, endText('budget', waves.done, settings));
    }
    if (waves.phase === 'working' && this.#isOver(waves)) this.#endWave(waves, now);
    if (waves.phase !== 'between' || !isActive(board) || (waves.held?.at ?? 0) > now) return [];
    if (waves.unasked !== undefined) {
      const question = waves.unasked;
      delete waves.unasked;
      this.#ask(waves, question);
      return [];
    }
    if (waves.waitsFor?.every((id) => board.isOpen(id))) return [];
    waves.phase = 'planning';
    delete waves.asks;
    if (!waves.held && !waves.waitsFor) {
      waves.wave += 1;
      delete waves.again;
      waves.began = now;
      waves.before = this.#dollars();
    } else waves.again = (waves.again ?? 0) + 1;
    const { wave, again } = waves;
    const ceilings = currentCeilings(board);
    const more = { ...(again === undefined ? {} : { again }), ...(ceilings ? { ceilings } : {}) };
    return [{ do: 'wave', wave, most: settings.batchSize, ...more }];
  }

  /** The plan is there, and so are the ideas. */
  planned(result: PlanWaveResult, now: number): void {
    const { waves } = this.#board.state;
    const { waves: settings } = this.#board.settings;
    if (result.kind === 'planned' && result.read) this.#spend(result.read.spent);
    if (waves?.phase !== 'planning' || !settings) return;
    if (result.kind === 'unreadable') {
      this.#unreadable(waves, result, now);
      return;
    }
    delete waves.held;
    const { wave } = waves;
    for (const one of result.fresh) this.#news.push({ kind: 'rejected', wave, ...one });
    waves.batch = result.taken.map(({ idea }) => idea);
    const { open, left, rejected, leftOut, taken } = result;
    const read = result.read ? { read: result.read } : {};
    const unknown = result.unknownRuns ? { unknownRuns: result.unknownRuns } : {};
    const about = { kind: 'wave' as const, wave, of: settings.maxWaves, ...read, ...unknown };
    const waiting = waves.waitsFor !== undefined;
    delete waves.waitsFor;
    if (taken.length === 0) {
      const openIdeas = left > 0 ? this.#board.openIdeas().map(({ card }) => card.id) : [];
      const waits = openIdeas.length > 0 && this.#board.rules('waves-wait-for-ideas');
      if (!waiting || !waits) this.#news.push({ ...about, state: 'empty', open, left, rejected, leftOut });
      if (waits) {
        waves.phase = 'between';
        waves.waitsFor = openIdeas;
      } else this.#over(waves, 'empty');
      return;
    }
    waves.phase = 'working';
    this.#news.push({ ...about, state: 'began', taken, open, left, rejected, leftOut });
  }

  /** What an agent used that read reports for the plan. */
  #spend(spent: Spent): void {
    const { budget, totals } = this.#board.state;
    totals.spent = addSpent(totals.spent ?? nothingSpent(), spent);
    if (budget) spend(budget, spent);
  }

  /** The run stops before the plan is there. */
  unplanned(): void {
    const { waves } = this.#board.state;
    if (waves?.phase === 'planning') waves.phase = 'between';
  }

  #unreadable(
    waves: WaveState,
    { why, at, person }: Extract<PlanWaveResult, { kind: 'unreadable' }>,
    now: number,
  ): void {
    const tries = (waves.held?.tries ?? 0) + 1;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(tries - 1, 20));
    const reason = clip(why, MAX_REASON);
    if (waves.held?.why !== reason) {
      const about = { kind: 'wave' as const, wave: waves.wave, of: this.#board.settings.waves?.maxWaves ?? 0 };
      this.#news.push({ ...about, state: 'waits', why: reason });
    }
    waves.phase = 'between';
    waves.held = { why: reason, at: person ? 0 : Math.max(at ?? 0, now + wait), tries };
    if (person) this.#ask(waves, `the source cannot be read: ${reason}. Fix it; then: ralphctl resume`);
  }

  /** The budget of the run has paused it, and nothing of it works any more. */
  #isBroke(): boolean {
    const { state, runningCount } = this.#board;
    return (
      state.run === 'paused' && state.budget?.paused === 'run' && runningCount === 0 && state.landing === undefined
    );
  }

  #ask(waves: WaveState, question: string): void {
    waves.asks = question;
    pauseRun(this.#board, question);
  }

  #isOver({ batch }: WaveState): boolean {
    const { state, graph } = this.#board;
    const { delivery } = state;
    // Everything that landed is pushed, or is known not to be.
    if (delivery?.busy || (delivery?.due && (!delivery.held || delivery.held.at === 0))) return false;
    const stopping = state.run === 'stopping';
    return batch.every((id) => {
      const entry = graph.entry(id);
      if (!rests(entry, graph, stopping)) return false;
      return !asksToLand(entry) || this.#board.rules('waves-pass-approvals');
    });
  }

  #endWave(waves: WaveState, now: number): void {
    const board = this.#board;
    const { waves: settings, budget } = board.settings;
    if (!settings) return;
    const summary = this.#summary(waves, now);
    waves.done.push(summary);
    waves.batch = [];
    waves.phase = 'between';
    this.#news.push({ kind: 'wave', of: settings.maxWaves, state: 'ended', ...summary });
    const over = board.state.budget && budget && overBudget(board.state.budget, budget);
    const end = waves.end ?? wavesEnd({ done: waves.done, usedUp: over?.scope === 'run' }, settings);
    if (end) this.#over(waves, end);
    else if (settings.confirm) this.#confirm(waves, summary, settings.maxWaves);
  }

  /** A run that is paused for another reason is asked once it goes on. */
  #confirm(waves: WaveState, { wave, passed, attempted }: WaveSummary, most: number): void {
    const board = this.#board;
    const question = `wave ${wave} of ${most} is over: ${passed} of ${attempted} passed. Another wave? ralphctl resume; to end the run: ralphctl stop`;
    if (isActive(board)) this.#ask(waves, question);
    else if (board.state.run !== 'stopping' && board.rules('waves-ask-later')) waves.unasked = question;
  }

  /** A run that its budget has paused ends here: what is open stays for the next run. */
  #over(waves: WaveState, end: WavesEnd): void {
    const board = this.#board;
    const { waves: settings } = board.settings;
    if (!settings) return;
    waves.phase = 'over';
    waves.end = end;
    const why = endText(end, waves.done, settings);
    this.#news.push({ kind: 'wave', wave: waves.wave, of: settings.maxWaves, state: 'over', end, why });
    if (end === 'budget' && board.state.budget?.paused === 'run') stopRun(board, why);
  }

  #summary({ wave, batch, began, before }: WaveState, now: number): WaveSummary {
    const entries = batch.flatMap((id) => this.#board.graph.entry(id) ?? []);
    const count = (test: (entry: IdeaEntry) => boolean): number => entries.filter(test).length;
    const passed = count((entry) => entry.status === 'landed' || isInReview(entry));
    const failed = count(({ status }) => status === 'failed' || status === 'timeout' || status === 'blocked');
    const skipped = count(({ status }) => status === 'skipped' || status === 'abandoned');
    const elsewhere = count(
      ({ status, reason, told }) => status === 'skipped' && told?.verb !== 'skip' && isElsewhere(reason),
    );
    const waiting = entries.length - passed - failed - skipped;
    const worked = count(({ status, life }) => life > 0 && status !== 'skipped' && status !== 'abandoned');
    const dollars = Math.max(0, Math.round((this.#dollars() - before) * 1e6) / 1e6);
    const apart = elsewhere > 0 ? { elsewhere } : {};
    const ms = Math.max(0, now - began);
    return { wave, attempted: worked, passed, failed, skipped, ...apart, waiting, ms, dollars };
  }

  #dollars(): number {
    return runSpent(this.#board.state)?.dollars ?? 0;
  }
}
