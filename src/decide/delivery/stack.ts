/**
 * Pull requests on top of each other (`landing.stack`): what an idea that began on another one's pull request lands on.
 * Invariant: it lands on the target only once the one below has landed, or is out and a person was asked. When the commit
 * below it changes, it lands again on top of that. Pure; may import protocol and decide only.
 */
import type { LandResult } from '../../protocol/git-work.js';
import type { Below } from '../../protocol/review.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus, ReadyWork } from '../../protocol/states.js';
import type { Board } from '../run/board.js';
import { tellIdea } from '../run/control.js';
import type { Graph } from '../scheduler/graph.js';
import { isInReview } from '../scheduler/stack.js';
import { clip, MAX_QUESTION } from '../text.js';

export type Footing =
  | { kind: 'target' }
  | { kind: 'on'; below: Below }
  | { kind: 'wait' }
  /** The one below is out. */
  | { kind: 'ask' };

/** They come back with a command of a person only. */
const OUT: ReadonlySet<IdeaStatus> = new Set(['skipped', 'abandoned', 'failed', 'blocked', 'timeout']);

export function footingOf(graph: Graph, { below }: Pick<IdeaEntry, 'below'>): Footing {
  const lower = below && graph.entry(below.idea);
  if (!below || !lower || graph.isDone(below.idea)) return { kind: 'target' };
  if (OUT.has(lower.status)) return { kind: below.alone ? 'target' : 'ask' };
  if (below.waits || !isInReview(lower) || !lower.review) return { kind: 'wait' };
  const { number, candidate } = lower.review;
  return { kind: 'on', below: { idea: below.idea, number, commit: candidate } };
}

/** The one below has neither landed nor ended: a merge of this one is no landing yet. */
export const belowIsOpen = (graph: Graph, entry: IdeaEntry): boolean => {
  const { kind } = footingOf(graph, entry);
  return kind === 'on' || kind === 'wait';
};

export const mayLand = (graph: Graph, entry: IdeaEntry): boolean => {
  const { kind } = footingOf(graph, entry);
  return kind === 'on' || kind === 'target';
};

/** The open pull request on which it starts. */
export function stepOn(graph: Graph, entry: IdeaEntry): void {
  const lower = graph.foot(entry.card.id);
  delete entry.below;
  if (!lower?.review) return;
  const { number, candidate } = lower.review;
  entry.below = { idea: lower.card.id, number, commit: candidate };
}

/** `, on top of pull request 4 (a)` */
export const onTopOf = (below: Below | undefined): string =>
  below ? `, on top of pull request ${below.number} (${below.idea})` : '';

/**
 * Before anything begins. Queues ideas in review to land again where what they stand on has changed. Returns those that
 * ask a person.
 */
export function restack(board: Board): { entry: IdeaEntry; question: string }[] {
  if (board.settings.delivery?.mode !== 'pr') return [];
  const asking: { entry: IdeaEntry; question: string }[] = [];
  for (const entry of board.openIdeas()) {
    const { card, below, status, review } = entry;
    if (!below || status !== 'landing' || entry.after || entry.approval || board.state.landing === card.id) continue;
    const open = isInReview(entry);
    if (open && review?.busy) continue;
    const footing = footingOf(board.graph, entry);
    if (footing.kind === 'ask' && board.state.run !== 'stopping') {
      if (open && review && !below.looked) {
        // Somebody may have merged it all the same.
        review.at = 0;
        entry.below = { ...below, looked: true };
        continue;
      }
      if (open && below.unheard) continue;
      asking.push({ entry, question: outQuestion(board, entry, below) });
      const { idea, number, commit } = below;
      entry.below = { idea, number, commit, alone: true };
      delete review?.at;
    } else if (open && (footing.kind === 'target' || (footing.kind === 'on' && footing.below.commit !== review?.onto)))
      landAgain(board, entry, footing);
    else if (!open && (footing.kind === 'wait' || footing.kind === 'ask')) waitBelow(board, entry, below);
  }
  return asking;
}

function landAgain(board: Board, entry: IdeaEntry, footing: Footing): void {
  const { review, below } = entry;
  if (!review || !below) return;
  delete review.at;
  entry.work = review.work;
  board.state.lane.push(entry.card.id);
  const what = footing.kind === 'target' ? 'was merged' : 'has new commits';
  entry.reason = `lands again: pull request ${below.number} (${below.idea}) below it ${what}`;
  board.touch(entry);
}

function waitBelow(board: Board, entry: IdeaEntry, { idea, number, waits }: NonNullable<IdeaEntry['below']>): void {
  // What is below it stays open when the run stops: so does its work, on its branch.
  if (board.state.run === 'stopping') {
    if (!board.state.lane.includes(entry.card.id)) return;
    board.state.lane = board.state.lane.filter((id) => id !== entry.card.id);
    tellIdea(board, entry, 'stop');
    return;
  }
  const until = waits === 'empty' ? ', on top of which it changes nothing' : ', on top of which it stands';
  const reason = `done; it waits for pull request ${number} (${idea})${until}`;
  if (entry.reason === reason) return;
  entry.reason = reason;
  board.touch(entry);
}

function outQuestion(board: Board, { card, review }: IdeaEntry, { idea, number }: Below): string {
  const lower = board.graph.entry(idea);
  const how = lower?.reason ? `: ${lower.reason}` : '';
  const own = review ? ` Its own pull request, ${review.number}, stays open.` : '';
  const question = `It stands on pull request ${number} of ${idea}, which is ${lower?.status ?? 'gone'}${how}.${own} To bring ${idea} back: ralphctl retry ${idea}. To leave this one out, too: ralphctl skip ${card.id}. Reply with anything to have it go onto ${board.state.target} without ${idea}.`;
  return clip(question, MAX_QUESTION);
}

/** It cannot go on top of the one below as things are. */
export function waitForBelow(
  board: Board,
  entry: IdeaEntry,
  { why, work }: Extract<LandResult, { kind: 'waits-below' }> & { work: ReadyWork },
): void {
  entry.work = work;
  board.state.lane.push(entry.card.id);
  if (!entry.below) return;
  entry.below = { ...entry.below, waits: why };
  const lower = board.graph.entry(entry.below.idea)?.review;
  // Its end is news that nobody has read yet.
  if (why === 'moved' && lower?.at !== undefined) lower.at = 0;
  board.touch(entry);
}

/** A look before a question: without news, a person would be asked about what may be merged. */
export function noteHeard(board: Board, entry: IdeaEntry, heard: boolean): void {
  const { below } = entry;
  if (!below?.looked) return;
  const { unheard: _, ...rest } = below;
  if (heard) entry.below = rest;
  else if (!below.alone && footingOf(board.graph, entry).kind === 'ask' && board.rules('looks-must-reach'))
    entry.below = { ...rest, unheard: true };
}

/** There is news of the one below, or none after all. */
export function lookedBelow(board: Board, idea: string): void {
  for (const { below } of board.openIdeas()) if (below?.idea === idea && below.waits === 'moved') delete below.waits;
}
