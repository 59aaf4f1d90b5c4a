/**
 * Reports of idea workflows, and their ends.
 * Invariant: a report of another generation, an old report, and a report that does not fit the idea's status change
 * nothing. So neither the order nor the number of deliveries matters.
 * May import protocol and decide only.
 */

import type { BudgetReached } from '../../protocol/budget.js';
import type { IdeaReport } from '../../protocol/idea-run.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { addStumbled, isOwn, noteWork, takeOwnTrouble } from '../accounts/own-trouble.js';
import { reachedText, runQuestion } from '../budget/amounts.js';
import { isStale, spend } from '../budget/run.js';
import { followUp } from '../idea/afterwards.js';
import { clip, clipReason, MAX_QUESTION, MAX_REASON } from '../text.js';
import { keepNumber, noteGating } from './beside.js';
import type { Board } from './board.js';
import { countFailure, pauseRun, tellRunState } from './control.js';
import type { Ending, LandingQueue } from './landing-queue.js';
import { staysPaused } from './paused-work.js';
import { forgetPlace } from './places.js';
import { leaveWaiting, queueForSlot } from './waiting.js';

/**
 * An earlier run started the child, which has not reported yet. Its first report names its generation. The generation
 * that was reserved for it is stored as a negative number, so that no number is used twice.
 */
export const isAdopted = (entry: IdeaEntry): boolean => entry.life < 0;

export function takeReport(board: Board, landingQueue: LandingQueue, report: IdeaReport, now: number): void {
  const entry = board.graph.entry(report.idea);
  if (!entry || !board.isOpen(report.idea)) return;
  if (isAdopted(entry)) entry.life = report.life;
  if (report.life !== entry.life || report.seq <= entry.seq) return;
  entry.seq = report.seq;
  entry.iterations = report.iterations;
  if (report.course) entry.course = { ...report.course, at: now };
  if (report.worked) noteWork(board, entry, report.worked);
  if (report.kind === 'closed') {
    const { outcome = 'failed', reason, notes } = report;
    // For its next start, in this run or a later one.
    if (notes) entry.notes = [...(entry.notes ?? []), ...notes];
    endChild(board, landingQueue, entry, { outcome, reason });
    return;
  }
  if (report.kind === 'spent' && report.spent && board.state.budget) spend(board.state.budget, report.spent);
  // An agent has ended: its use is known, and some of the reserved budget may be free again.
  if (report.kind !== 'warnings' && !report.reached) delete board.state.budget?.inUse;
  if (report.kind === 'warnings') takeWarnings(entry, report);
  if (report.kind !== 'spent' && report.kind !== 'warnings' && report.kind !== 'resumed') board.noReturn(entry);
  if (entry.status === 'landing') return;
  const wanted = entry.approval === true;
  if (report.kind !== 'approval') delete entry.approval;
  if (report.kind !== 'spent' && report.kind !== 'warnings') delete entry.approvable;
  if (report.kind !== 'spent' && report.kind !== 'warnings' && report.kind !== 'ready') delete entry.mayLand;
  switch (report.kind) {
    case 'ready':
      takeReady(board, landingQueue, entry, report);
      return;
    case 'needs-human':
      leaveWaiting(board, report.idea);
      board.freeSlot(entry);
      delete entry.suspect;
      entry.reason = clip(report.reason ?? 'it asks for a person', MAX_QUESTION);
      if (report.approvable) entry.approvable = true;
      board.set(entry, 'needs-human');
      return;
    case 'wants-slot':
      // Its question is answered.
      if (entry.status === 'needs-human') delete entry.reason;
      queueForSlot(board, entry, true);
      return;
    case 'gating':
      if (entry.slot === undefined) return;
      board.set(entry, 'running');
      noteGating(board, entry, now);
      return;
    case 'parked':
      takeParked(board, entry, report, now);
      return;
    case 'probing':
      board.breakers?.begun(report.idea, now);
      return;
    case 'spent':
    case 'warnings':
      return;
    case 'recovered':
      delete entry.probe;
      board.breakers?.recovered(report.idea);
      return;
    case 'paused':
      if (entry.slot === undefined) return;
      delete entry.pauseAsked;
      board.gateOver(entry);
      if (report.beside) keepNumber(board, entry);
      rests(board, entry, wanted);
      return;
    case 'approval':
      if (entry.slot === undefined) return;
      board.gateOver(entry);
      entry.approval = true;
      entry.reason = WANTS_APPROVAL;
      rests(board, entry, wanted);
      return;
    case 'resumed':
      if (entry.slot === undefined) return;
      delete entry.reason;
      board.gateOver(entry);
      board.set(entry, 'running');
      return;
  }
}

const WANTS_APPROVAL = 'its next iteration waits for an approval';

/** Whether it waits for an approval or for a resume is news, though its status is the same: views name the command. */
function rests(board: Board, entry: IdeaEntry, wanted: boolean): void {
  const wants = entry.approval === true;
  if (wanted && !wants && entry.reason === WANTS_APPROVAL) delete entry.reason;
  const told = entry.status === 'paused';
  board.set(entry, 'paused');
  if (told && wanted !== wants) board.touch(entry);
}

function takeWarnings(entry: IdeaEntry, { warnings = [] }: IdeaReport): void {
  if (warnings.length > 0) entry.warnings = warnings;
  else delete entry.warnings;
}

/** The idea released its slot: its run could not work, all its agents are unavailable, or it wants another agent. */
function takeParked(board: Board, entry: IdeaEntry, report: IdeaReport, now: number): void {
  const { breakers } = board;
  const { trouble, passed, reached, lost } = report;
  if (lost) entry.suspect = now;
  if (passed) entry.passed = [...(entry.passed ?? []).filter((agent) => agent !== passed), passed];
  if (trouble && isOwn(board, entry, trouble, now)) {
    takeOwnTrouble(board, entry, trouble, now);
    return;
  }
  if (trouble) addStumbled(board, trouble, breakers?.trouble(entry.card.id, trouble, now));
  const why = breakers?.why(breakers.agentsOf(entry)) || trouble?.message;
  if (why) entry.reason = clipReason(why);
  else if (lost) entry.reason = lostText(lost);
  queueForSlot(board, entry);
  if (reached) takeReached(board, entry, reached);
}

const lostText = (lost: number): string =>
  `its worker was lost ${lost} times in a row while it ran; it now runs apart from other ideas that lose their worker`;

/** It hit the budget of run or day. The autopilot adds the use that its own books do not show yet. */
function takeReached(board: Board, entry: IdeaEntry, reached: BudgetReached): void {
  const { state, settings } = board;
  if (!state.budget || !settings.budget || isStale(reached, state.budget, settings.budget)) return;
  entry.reason = clip(reachedText(reached), MAX_REASON);
  delete entry.alone;
  if (reached.shared) {
    state.budget.inUse = true;
    return;
  }
  state.budget.paused = reached.scope;
  pauseRun(board, runQuestion(reached));
}

function takeReady(board: Board, landingQueue: LandingQueue, entry: IdeaEntry, report: IdeaReport): void {
  // The autopilot is ending it, and the message has not arrived yet.
  if (entry.after) return;
  leaveWaiting(board, report.idea);
  if (report.work) entry.work = report.work;
  if (staysPaused(board, entry)) return;
  landingQueue.join(entry);
  // A pause may have come after its last iteration. A bounced landing must not leave it paused for ever.
  const { run } = board.state;
  if (run === 'pausing' || run === 'paused') board.outbox.push({ do: 'tell', idea: report.idea, signal: 'resume' });
}

/** A child workflow has ended, however the autopilot learned it. Repeats change nothing. */
export function endChild(board: Board, landingQueue: LandingQueue, entry: IdeaEntry, ending: Ending): void {
  const idea = entry.card.id;
  if (!board.isOpen(idea)) return;
  delete board.state.budget?.inUse;
  if (landingQueue.isLanding(idea)) {
    landingQueue.childEndedMeanwhile(ending);
    return;
  }
  const { outcome, reason } = ending;
  landingQueue.leave(idea);
  leaveWaiting(board, idea);
  board.answers.ended(entry);
  // Nobody can answer it any more, and the run's state stays small.
  if (entry.course) delete entry.course.answer;
  board.dropMessages(idea);
  board.freeSlot(entry);
  delete entry.work;
  delete entry.bounce;
  forgetPlace(entry);
  delete entry.approval;
  delete entry.approvable;
  delete entry.mayLand;
  delete entry.pauseAsked;
  delete entry.donePaused;
  delete entry.alone;
  delete entry.warnings;
  delete entry.passed;
  delete entry.trouble;
  delete entry.suspect;
  delete entry.notBefore;
  delete entry.review;
  delete entry.below;
  if (reason === undefined) delete entry.reason;
  else entry.reason = clipReason(reason);
  board.foldIterations(entry);
  const { after } = entry;
  delete entry.after;
  if (after) {
    // An idea that was stopped on its own page brings its reason with its end.
    followUp(board, entry, after.do === 'hold' ? { ...after, reason: after.reason ?? reason } : after);
    return;
  }
  if (board.state.aborting && outcome === 'stopped') {
    // B4: a person's stop makes the idea pending again and saves its changes.
    entry.busy = 'stash';
    board.outbox.push({ do: 'git-task', idea, task: 'stash' });
  }
  if (outcome === 'stopped') board.set(entry, 'pending');
  // Only a landing by this run counts as landed.
  else board.set(entry, outcome === 'landed' ? 'failed' : outcome);
  if (entry.status === 'failed') countFailure(board, entry);
}

/**
 * An earlier run started the idea's workflow, which is still open. The autopilot sends it the state of the run and asks
 * for a report.
 */
export function adopt(board: Board, entry: IdeaEntry): void {
  if (!board.isOpen(entry.card.id)) return;
  entry.life = -Math.abs(entry.life);
  tellRunState(board, entry, true);
}
