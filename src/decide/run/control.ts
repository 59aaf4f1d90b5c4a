/**
 * Pause, resume, stop and similar commands for the whole run (A5, A6, A7, C1), and the rules that trigger them.
 * Invariant: the state changes only as `table.ts` says. Only `pause --now` and `abort` interrupt agents.
 * May import protocol and decide only.
 */
import type { RunMode } from '../../protocol/command.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { UNDO_ABORTED } from '../../protocol/taken-off.js';
import { overBudget } from '../budget/run.js';
import type { Board } from './board.js';
import type { ChildSignal } from './effects.js';
import { type RunEvent, type RunFacts, runTransition } from './table.js';

export function runFacts(board: Board): RunFacts {
  const { state } = board;
  return {
    state: state.run,
    mode: state.mode ?? 'autopilot',
    review: state.review === true,
    pausedIdeas: board.pausedCount,
    asking: board.approvals,
    ...moneyFacts(state, board.settings),
  };
}

/** The part of accounts and budgets that commands need. */
export function moneyFacts(
  { limits, budget }: AutopilotState,
  settings: RunSettings,
): Pick<RunFacts, 'limited' | 'budgeted' | 'usedUp' | 'still'> {
  const over = budget && settings.budget && overBudget(budget, settings.budget);
  return {
    limited: (limits?.gates.length ?? 0) > 0,
    budgeted: budget !== undefined,
    still: limits?.still ? true : undefined,
    usedUp: over && over.scope !== 'idea' ? true : undefined,
  };
}

/** The one command that resumes a paused run. Undefined for a run that starts ideas. */
export function resumeCommand(state: AutopilotState, settings: RunSettings): string | undefined {
  const { still, usedUp } = moneyFacts(state, settings);
  switch (state.run) {
    case 'running':
    case 'waiting_user':
      return still ? 'ralphctl limits retry' : undefined;
    case 'pausing':
    case 'paused':
      if (state.review) return 'ralphctl review';
      return usedUp ? 'ralphctl budget raise' : 'ralphctl resume';
    default:
      return undefined;
  }
}

/** Changes the state of the run. False, without an effect, where the event is not legal. */
function moved(board: Board, event: RunEvent): boolean {
  const next = runTransition(runFacts(board), event);
  if ('refusal' in next) return false;
  board.state.run = next.to;
  return true;
}

/** `now`: interrupts agents, saves their work and does not charge it. */
export function pauseRun(board: Board, why?: string, now = false): void {
  if (!moved(board, now ? 'PAUSE_NOW' : 'PAUSE')) return;
  say(board, why);
  tellAll(board, now ? 'pauseNow' : 'pause');
}

/** In a run that is already running, this resumes the ideas that were paused one by one. */
export function resumeRun(board: Board): void {
  const wentOn = isActive(board);
  if (!moved(board, 'RESUME')) return;
  if (!wentOn) goOn(board);
  else for (const entry of board.openIdeas()) if (holds(entry)) tellIdea(board, entry, 'resume');
}

/** A person has reviewed the failures that paused the run. */
export function reviewRun(board: Board): void {
  if (moved(board, 'REVIEW')) goOn(board);
}

/** With a stop, finished work still lands. */
const DRAIN = [{ drain: true }];

export function stopRun(board: Board, why?: string): void {
  if (!moved(board, 'STOP')) return;
  say(board, why);
  board.state.waiting = [];
  // Landings that a person's merge holds are tried once more, at once.
  if (board.state.targetBusy) board.state.targetBusy.at = 0;
  for (const entry of board.openIdeas()) {
    // An idea whose landing bounced waits for a verdict that cannot come any more, and so does paused finished work.
    if (entry.status !== 'landing')
      tellIdea(board, entry, 'stop', entry.bounce || entry.donePaused ? undefined : DRAIN);
    // A review may take days. The pull request stays open, and the next run finds it.
    else if (entry.review?.at !== undefined || waitsForForge(board, entry)) tellIdea(board, entry, 'stop');
  }
  for (const entry of board.openIdeas()) if (asksToLand(entry)) tellIdea(board, entry, 'stop');
}

/** Green, in the landing queue of a forge that takes nothing. */
const waitsForForge = ({ state }: Board, { card: { id } }: IdeaEntry): boolean =>
  state.forge !== undefined && state.landing !== id && state.lane.includes(id);

/** Ends everything at once, including finished work that has not landed. */
export function abortRun(board: Board, why?: string): void {
  if (!moved(board, 'ABORT')) return;
  const { state } = board;
  state.aborting = true;
  say(board, why);
  state.waiting = [];
  for (const entry of board.openIdeas()) tellIdea(board, entry, 'abort');
  dropUndos(board);
  if (state.landing !== undefined) board.outbox.push({ do: 'cancel-landing', idea: state.landing });
}

/** Ideas that wait to be taken off the target stay landed. */
function dropUndos(board: Board): void {
  const { state, graph } = board;
  const queued = state.lane.filter((id) => id !== state.landing && graph.entry(id)?.busy === 'undo');
  state.lane = state.lane.filter((id) => !queued.includes(id));
  for (const id of queued) {
    const entry = graph.entry(id);
    if (!entry) continue;
    delete entry.busy;
    entry.reason = UNDO_ABORTED;
    board.set(entry, 'landed');
  }
}

const MODE_EVENT: Record<RunMode, RunEvent> = {
  autopilot: 'MODE_AUTOPILOT',
  'semi-auto': 'MODE_SEMI_AUTO',
  step: 'MODE_STEP',
};
export const modeEvent = (mode: RunMode): RunEvent => MODE_EVENT[mode];

export function setMode(board: Board, mode: RunMode): void {
  if (!moved(board, modeEvent(mode))) return;
  const { state } = board;
  const wasStep = state.mode === 'step';
  state.mode = mode;
  delete state.assigned;
  if (wasStep === (mode === 'step')) return;
  for (const entry of board.openIdeas()) {
    if (wasStep && asksToLand(entry)) letLand(board, entry);
    if (!wasStep && waitsToLand(board, entry)) holdLanding(board, entry);
  }
  for (const entry of board.openIdeas()) tellIdea(board, entry, 'setStep', [mode === 'step']);
}

export function approveAll(board: Board): void {
  for (const entry of board.openIdeas()) {
    if (asksToLand(entry)) letLand(board, entry);
    else if (entry.approval) tellIdea(board, entry, 'approve');
  }
}

/** Aligns one idea with the state of the run. `drain`: its work may be finished without a landing attempt. */
export function tellRunState(board: Board, entry: IdeaEntry, drain = false): void {
  const { run, aborting } = board.state;
  if (run === 'stopping' && aborting) tellIdea(board, entry, 'abort');
  else if (run === 'stopping') tellIdea(board, entry, 'stop', drain ? DRAIN : undefined);
  else tellIdea(board, entry, isActive(board) ? 'resume' : 'pause');
}

/** Resumes ideas and allows new starts. */
export const isActive = ({ state }: Board): boolean => state.run === 'running' || state.run === 'waiting_user';

/** Counts a failed idea. Too many in a row pause the run until a review; with the strategy abort, one stops it. */
export function countFailure(board: Board, entry: IdeaEntry): void {
  const { state, settings } = board;
  state.failuresInARow += 1;
  if (settings.errorStrategy === 'abort') {
    stopRun(board, `${entry.card.id} failed, and with errors.strategy "abort" the run stops: no new idea starts`);
  } else if (settings.errorThreshold > 0 && state.failuresInARow >= settings.errorThreshold) {
    const wentOn = isActive(board);
    if (!moved(board, 'ERROR_THRESHOLD')) return;
    state.review = true;
    const ideas = state.failuresInARow === 1 ? 'idea' : 'ideas';
    say(
      board,
      `${state.failuresInARow} ${ideas} failed one after another; look at them, then resume with: ralphctl review`,
    );
    if (wentOn) tellAll(board, 'pause');
  }
}

function goOn(board: Board): void {
  const { state } = board;
  delete state.why;
  delete state.review;
  state.failuresInARow = 0;
  tellAll(board, 'resume');
}

const holds = (entry: IdeaEntry): boolean =>
  (entry.status === 'paused' && !entry.approval) || entry.pauseAsked === true;

function tellAll(board: Board, signal: ChildSignal): void {
  for (const entry of board.openIdeas()) {
    delete entry.alone;
    // Finished work keeps its place in the landing queue. A bounced idea learns of it when it leaves the queue.
    if (entry.status !== 'landing') tellIdea(board, entry, signal);
  }
}

export function tellIdea(board: Board, entry: IdeaEntry, signal: ChildSignal, args?: unknown[]): void {
  board.outbox.push({ do: 'tell', idea: entry.card.id, signal, args });
  if (signal === 'pause' || signal === 'pauseNow') {
    board.noReturn(entry);
    delete entry.alone;
  }
  if (signal !== 'resume') return;
  if (entry.status === 'paused' && entry.beside && board.settings.pausesBeside) board.returns(entry);
  delete entry.pauseAsked;
  if (!entry.donePaused) return;
  delete entry.donePaused;
  queueToLand(board, entry);
}

function say(board: Board, why: string | undefined): void {
  if (why === undefined) delete board.state.why;
  else board.state.why = why;
}

/*
 * Mode step (A6): every step that changes something needs an approval: each iteration, and then the landing.
 * Invariant: one approval is for one step. An approval of a gate that asks also approves the landing in question.
 * May import protocol and decide only.
 */

const mustBeApproved = ({ state, settings }: Board, { mayLand }: IdeaEntry): boolean =>
  settings.stepLanding === true && state.mode === 'step' && !mayLand;

function askToLand(entry: IdeaEntry): void {
  entry.approval = true;
  entry.reason = 'done: its landing waits for an approval';
}

/** Its work is done. */
export function queueToLand(board: Board, entry: IdeaEntry): void {
  board.freeSlot(entry);
  delete entry.reason;
  if (mustBeApproved(board, entry)) askToLand(entry);
  delete entry.mayLand;
  board.set(entry, 'landing');
  const { lane, landing, run } = board.state;
  const first = landing !== undefined && lane[0] === landing ? 1 : 0;
  lane.splice(entry.place ? first : lane.length, 0, entry.card.id);
  // A stopping run asks nobody any more: the work stays on its branch.
  if (entry.approval && run === 'stopping') tellIdea(board, entry, 'stop');
}

/** The idea is already in the landing queue. */
export function letLand(board: Board, entry: IdeaEntry): void {
  delete entry.approval;
  delete entry.reason;
  board.touch(entry);
  board.turns.push({ ...entry });
}

/** It is in the queue, and its landing has not begun. */
const waitsToLand = ({ state, settings }: Board, { card, status, busy, approval }: IdeaEntry): boolean =>
  settings.stepsQueue === true && status === 'landing' && !busy && !approval && state.landing !== card.id;

function holdLanding(board: Board, entry: IdeaEntry): void {
  askToLand(entry);
  board.touch(entry);
  board.turns.push({ ...entry });
}

/** Ideas that are done and wait for an approval to land. */
export const asksToLand = (entry: IdeaEntry | undefined): boolean =>
  entry?.status === 'landing' && entry.approval === true;

/** In semi-auto mode a person decides about every idea that has neither landed nor been abandoned. */
const mayBeAssigned = ({ card, status }: IdeaEntry): boolean =>
  !card.blue && status !== 'landed' && status !== 'skipped' && status !== 'abandoned';

/** No idea runs, and none can start. */
export function nothingLeft({ state, openCount, graph }: Board): boolean {
  if (state.run === 'paused' || state.run === 'pausing' || openCount > 0) return false;
  if (state.run === 'waiting_user') return !state.entries.some(mayBeAssigned);
  return state.run !== 'running' || graph.readyCount === 0;
}
