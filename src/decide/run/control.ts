/**
 * Pause, resume, stop and the like for the whole run (A5, A6, A7, C1), and the rules that pull these levers themselves.
 * Invariant: the state changes as `run-table.ts` says and in no other way; only `pause --now` and `abort` interrupt.
 * May import protocol and decide only.
 */
import type { RunMode } from '../../protocol/command.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
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

/** Accounts and budgets, as far as commands look at them. */
export function moneyFacts(
  { limits, budget }: AutopilotState,
  settings: RunSettings,
): Pick<RunFacts, 'limited' | 'budgeted' | 'usedUp' | 'still'> {
  const over = budget && settings.budget && overBudget(budget, settings.budget);
  return {
    limited: (limits?.gates.length ?? 0) > 0,
    budgeted: budget !== undefined,
    ...(limits?.still ? { still: true as const } : {}),
    ...(over && over.scope !== 'idea' ? { usedUp: true as const } : {}),
  };
}

/** Moves the run on; false, and nothing happens, where the event is not legal. */
function moved(board: Board, event: RunEvent): boolean {
  const next = runTransition(runFacts(board), event);
  if ('refusal' in next) return false;
  board.state.run = next.to;
  return true;
}

/** `now`: agents are interrupted; what they did is saved, and not charged. */
export function pauseRun(board: Board, why?: string, now = false): void {
  if (!moved(board, now ? 'PAUSE_NOW' : 'PAUSE')) return;
  say(board, why);
  tellAll(board, now ? 'pauseNow' : 'pause');
}

/** In a run that goes on already, ideas that were paused one by one go on too. */
export function resumeRun(board: Board): void {
  const wentOn = isActive(board);
  if (!moved(board, 'RESUME')) return;
  if (!wentOn) goOn(board);
  else for (const entry of board.openIdeas()) if (holds(entry)) tellIdea(board, entry, 'resume');
}

/** A person has looked at the failures that paused the run. */
export function reviewRun(board: Board): void {
  if (moved(board, 'REVIEW')) goOn(board);
}

/** With a stop: what is finished still lands. */
const DRAIN = [{ drain: true }];

export function stopRun(board: Board, why?: string): void {
  if (!moved(board, 'STOP')) return;
  say(board, why);
  board.state.waiting = [];
  for (const entry of board.openIdeas()) {
    // One whose landing bounced waits for a verdict that will not come any more.
    if (entry.status !== 'landing') tellIdea(board, entry, 'stop', entry.bounce ? undefined : DRAIN);
  }
  for (const entry of board.openIdeas()) if (asksToLand(entry)) tellIdea(board, entry, 'stop');
}

/** Ends everything at once, finished work that has not landed included. */
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

/** What was to be taken off the target and has not begun stays landed. */
function dropUndos(board: Board): void {
  const { state, graph } = board;
  const queued = state.lane.filter((id) => id !== state.landing && graph.entry(id)?.busy === 'undo');
  state.lane = state.lane.filter((id) => !queued.includes(id));
  for (const id of queued) {
    const entry = graph.entry(id);
    if (!entry) continue;
    delete entry.busy;
    entry.reason = 'not taken off the target: the run was aborted before';
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
  if (wasStep) for (const entry of board.openIdeas()) if (asksToLand(entry)) letLand(board, entry);
  for (const entry of board.openIdeas()) tellIdea(board, entry, 'setStep', [mode === 'step']);
}

export function approveAll(board: Board): void {
  for (const entry of board.openIdeas()) {
    if (asksToLand(entry)) letLand(board, entry);
    else if (entry.approval) tellIdea(board, entry, 'approve');
  }
}

/**
 * Brings one idea into line with the run, whatever it was told before. `drain`: its work may be finished and has not been
 * tried to land yet.
 */
export function tellRunState(board: Board, entry: IdeaEntry, drain = false): void {
  const { run, aborting } = board.state;
  if (run === 'stopping' && aborting) tellIdea(board, entry, 'abort');
  else if (run === 'stopping') tellIdea(board, entry, 'stop', drain ? DRAIN : undefined);
  else tellIdea(board, entry, isActive(board) ? 'resume' : 'pause');
}

/** Ideas go on, and new ones may begin. */
export const isActive = ({ state }: Board): boolean => state.run === 'running' || state.run === 'waiting_user';

/** Books a failed idea; too many in a row pause the run until a review, or one stops it where the strategy says so. */
export function countFailure(board: Board, entry: IdeaEntry): void {
  const { state, settings } = board;
  state.failuresInARow += 1;
  if (settings.errorStrategy === 'abort') {
    stopRun(board, `${entry.card.id} failed, and errors.strategy is abort`);
  } else if (settings.errorThreshold > 0 && state.failuresInARow >= settings.errorThreshold) {
    const wentOn = isActive(board);
    if (!moved(board, 'ERROR_THRESHOLD')) return;
    state.review = true;
    const ideas = state.failuresInARow === 1 ? 'idea' : 'ideas';
    say(
      board,
      `${state.failuresInARow} ${ideas} failed one after another; look at them, then go on with: ralphctl review`,
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
    // Finished work keeps its place in the lane; a bounced idea is told when it comes out.
    if (entry.status !== 'landing') tellIdea(board, entry, signal);
  }
}

export function tellIdea(board: Board, entry: IdeaEntry, signal: ChildSignal, args?: unknown[]): void {
  if (signal === 'resume') delete entry.pauseAsked;
  board.outbox.push({ do: 'tell', idea: entry.card.id, signal, ...(args ? { args } : {}) });
}

function say(board: Board, why: string | undefined): void {
  if (why === undefined) delete board.state.why;
  else board.state.why = why;
}

/*
 * Mode step (A6): everything that changes something waits for a person's yes: each iteration, and then the landing.
 * Invariant: one yes is for one step; a yes to a gate that asks is one to the landing that it asks about.
 * May import protocol and decide only.
 */

export const mustBeApproved = ({ state, settings }: Board, { mayLand }: IdeaEntry): boolean =>
  settings.stepLanding === true && state.mode === 'step' && !mayLand;

export function askToLand(entry: IdeaEntry): void {
  entry.approval = true;
  entry.reason = 'done and green: its landing waits for an approval';
}

/** The idea is in the lane already. */
export function letLand(board: Board, entry: IdeaEntry): void {
  delete entry.approval;
  delete entry.reason;
  board.touch(entry);
}

/** Ideas that are done and wait for a yes to land. */
export const asksToLand = ({ status, approval }: IdeaEntry): boolean => status === 'landing' && approval === true;
