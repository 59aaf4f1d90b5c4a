/**
 * Pause, resume and stop of the whole run (A5, C1), and the rules that pull these levers themselves (A7).
 * Invariant: `stopping` never goes back; nobody is interrupted: ideas are told, and act at their next boundary.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../protocol/run.js';
import type { Board } from './board.js';

export function pauseRun(board: Board, why?: string): void {
  const { state } = board;
  if (state.run !== 'running') return;
  state.run = 'pausing';
  say(board, why);
  tellAll(board, 'pause');
}

/** In a run that goes on already, ideas that were paused one by one go on too. */
export function resumeRun(board: Board): void {
  const { state } = board;
  if (state.run === 'running') {
    for (const entry of board.openIdeas()) if (entry.status === 'paused') tell(board, entry, 'resume');
    return;
  }
  if (state.run !== 'paused' && state.run !== 'pausing') return;
  state.run = 'running';
  delete state.why;
  state.failuresInARow = 0;
  tellAll(board, 'resume');
}

export function stopRun(board: Board, why?: string): void {
  const { state } = board;
  if (state.run === 'stopping' || state.run === 'completed') return;
  state.run = 'stopping';
  say(board, why);
  state.waiting = [];
  tellAll(board, 'stop');
}

/** Brings one idea into line with the run, whatever it was told before. */
export function tellRunState(board: Board, entry: IdeaEntry): void {
  const { run } = board.state;
  if (run === 'stopping') tell(board, entry, 'stop');
  else tell(board, entry, run === 'running' ? 'resume' : 'pause');
}

/** Books a failed idea; too many in a row pause the run, or one stops it where the strategy says so. */
export function countFailure(board: Board, entry: IdeaEntry): void {
  const { state, settings } = board;
  state.failuresInARow += 1;
  if (settings.errorStrategy === 'abort') {
    stopRun(board, `${entry.card.id} failed, and errors.strategy is abort`);
  } else if (settings.errorThreshold > 0 && state.failuresInARow >= settings.errorThreshold) {
    const ideas = state.failuresInARow === 1 ? 'idea' : 'ideas';
    pauseRun(board, `${state.failuresInARow} ${ideas} failed one after another; look at them, then resume`);
  }
}

function tellAll(board: Board, signal: 'pause' | 'resume' | 'stop'): void {
  for (const entry of board.openIdeas()) {
    // Finished work keeps its place in the lane; a bounced idea is told when it comes out.
    if (entry.status !== 'landing') tell(board, entry, signal);
  }
}

function tell(board: Board, entry: IdeaEntry, signal: 'pause' | 'resume' | 'stop'): void {
  board.outbox.push({ do: 'tell', idea: entry.card.id, signal });
}

function say(board: Board, why: string | undefined): void {
  if (why === undefined) delete board.state.why;
  else board.state.why = why;
}
