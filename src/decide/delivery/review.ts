/**
 * Ideas in review: when to look at their pull requests, and what follows from a look (`landing.mode: pr`).
 * Invariant: an idea in review holds no slot and is not in the landing queue. One look at a time for each idea. Its agent
 * gets it back a limited number of times, then a person is asked.
 * Pure; may import protocol and decide only.
 */
import { closedPullText } from '../../protocol/closed-pull.js';
import type { ClosedPull, LandResult } from '../../protocol/git-work.js';
import type { LookResult, ReviewState } from '../../protocol/review.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { ReadyWork } from '../../protocol/states.js';
import type { Board } from '../run/board.js';
import { tellIdea } from '../run/control.js';
import { queueForSlot } from '../run/waiting.js';
import { clip, clipReason, MAX_QUESTION, MAX_REASON } from '../text.js';
import { belowIsOpen, lookedBelow, noteHeard, onTopOf } from './stack.js';

/** ms */
const LONGEST_WAIT = 5 * 60_000;
const LONGEST_FORGE_WAIT = 15 * 60_000;
const MOST_SEEN = 300;
/** A remote shows a merge within seconds. With the default of `pollSeconds` these looks take 20 minutes or more. */
const MOST_MISSING = 8;

const holdsStill = ({ state }: Board): boolean =>
  state.aborting === true || state.run === 'paused' || state.run === 'pausing' || state.run === 'stopping';

const inReview = (board: Board): { entry: IdeaEntry; review: ReviewState }[] =>
  board.settings.delivery?.mode !== 'pr'
    ? []
    : board.openIdeas().flatMap((entry) => (entry.review?.at === undefined ? [] : [{ entry, review: entry.review }]));

/** Its pull request is open; the first look follows at once. */
export function beginReview(
  board: Board,
  entry: IdeaEntry,
  { pull }: Extract<LandResult, { kind: 'in-review' }>,
  work: NonNullable<IdeaEntry['work']>,
): void {
  delete entry.anew;
  delete entry.green;
  const { seen = [], apart, rest } = entry.review ?? {};
  const kept = { ...(apart === undefined ? {} : { apart }), ...(rest ? { rest } : {}) };
  entry.review = { ...pull, work, at: 0, quiet: 0, seen, ...kept };
  if (pull.below) entry.below = pull.below;
  else delete entry.below;
  entry.reason = reasonOf(entry.review);
  lookedBelow(board, entry.card.id);
  board.touch(entry);
  // Its status stays `landing`, so nothing else turns.
  if (board.settings.tracker && board.rules('review-is-told')) board.turns.push({ ...entry });
  // A stopping run looks at no pull request: nothing else would end the idea.
  if (board.state.run === 'stopping' && board.rules('review-hears-stop')) tellIdea(board, entry, 'stop');
}

const reasonOf = ({ url, below }: ReviewState): string => `in review: ${url}${onTopOf(below)}`;

/** The looks that begin now. */
export function beginLooks(board: Board, now: number): { do: 'look'; idea: string }[] {
  if (holdsStill(board)) return [];
  return inReview(board).flatMap(({ entry, review }) => {
    if (review.busy || (review.at ?? 0) > now) return [];
    review.busy = true;
    return [{ do: 'look', idea: entry.card.id }];
  });
}

/** Times of the next looks, epoch ms. */
export const lookTimes = (board: Board): (number | undefined)[] =>
  holdsStill(board) ? [] : inReview(board).map(({ review }) => (review.busy ? undefined : review.at));

/** Stays first in the landing queue, and no other landing begins: the forge is down for all. */
export function waitForForge(
  board: Board,
  entry: IdeaEntry,
  { why, at, green, work }: Extract<LandResult, { kind: 'forge-waits' }> & { work: ReadyWork },
  now: number,
): void {
  const { state, settings } = board;
  const tries = (state.forge?.tries ?? 0) + 1;
  const first = settings.delivery?.retryMs ?? 30_000;
  const wait = Math.min(LONGEST_FORGE_WAIT, first * 2 ** Math.min(tries - 1, 20));
  const next = Math.max(now + 1000, at === undefined ? now + wait : at + 1000);
  state.forge = { tries, at: next };
  entry.work = work;
  if (green) entry.green = green;
  const clock = new Date(next).toISOString().slice(11, 19);
  entry.reason = clipReason(`its pull request waits: ${why}; next try at ${clock} UTC`);
  board.touch(entry);
  // A stopping run waits for no forge: the work stays on its branch.
  if (state.run === 'stopping') tellIdea(board, entry, 'stop');
}

/** When landings begin again, epoch ms. */
export const forgeWakesAt = ({ state }: Board): number | undefined =>
  state.forge && state.lane.length > 0 && !state.aborting && state.run !== 'paused' && state.run !== 'pausing'
    ? state.forge.at
    : undefined;

/** Somebody closed its pull request. */
export function skipClosed(board: Board, { card: { id } }: IdeaEntry, pull: ClosedPull): void {
  const reason = closedPullText(pull);
  board.outbox.push({
    do: 'verdict',
    idea: id,
    verdict: { kind: 'close', outcome: 'skipped', reason: clip(reason, MAX_REASON) },
  });
}

/** What the landing queue does with the idea. */
export type AfterLook =
  | { do: 'wait' }
  | { do: 'landed'; commit: string; note: string }
  /** Back into the landing queue. */
  | { do: 'land' }
  | { do: 'ask'; question: string };

export function endLook(board: Board, entry: IdeaEntry, result: LookResult, now: number): AfterLook {
  const { review } = entry;
  if (!review || entry.status !== 'landing') return { do: 'wait' };
  delete review.busy;
  if (result.kind === 'open' && !result.merged) lookedBelow(board, entry.card.id);
  noteHeard(board, entry, result.kind !== 'unreachable' && !(result.kind === 'open' && result.merged));
  if (result.kind === 'merged' && belowIsOpen(board.graph, entry))
    return endLook(board, entry, { kind: 'behind', why: mergedEarly(entry) }, now);
  const gone = missing(board, entry.card.id, review, result);
  if (gone !== undefined) return { do: 'ask', question: gone };
  switch (result.kind) {
    case 'open':
    case 'behind':
    case 'unreachable': {
      const first = board.settings.delivery?.pollMs ?? 30_000;
      const wait = now + Math.min(LONGEST_WAIT, first * 1.5 ** Math.min(review.quiet, 20));
      // A forge that limits requests counts those that it refuses.
      review.at = result.kind === 'unreachable' && result.at !== undefined ? Math.max(wait, result.at + 1000) : wait;
      review.quiet += 1;
      const why = clip(`${reasonOf(review)}${more(result, board.settings.delivery?.to)}`, MAX_REASON);
      if (entry.reason !== why) {
        entry.reason = why;
        board.touch(entry);
      }
      return { do: 'wait' };
    }
    case 'merged': {
      const by = result.by === undefined ? '' : ` by ${result.by}`;
      return {
        do: 'landed',
        commit: result.commit,
        note: `pull request ${review.number} was merged${by}${result.note ? `. ${result.note}` : ''}`,
      };
    }
    case 'closed':
      delete review.at;
      if (board.settings.delivery?.stack) board.touch(entry);
      skipClosed(board, entry, { ...review, ...result });
      return { do: 'wait' };
    case 'apart':
      delete review.at;
      if (stoodOnTheSame(board, entry, review))
        return tooOften(board, entry, 'it conflicts with its base, although it landed again on top of it');
      return again(board, entry, review);
    case 'astray':
      delete review.at;
      // Nobody has turned it down.
      entry.anew = true;
      entry.reason = clipReason(`lands again: ${result.why}`);
      return again(board, entry, review);
    case 'back':
      return giveBack(board, entry, review, result);
  }
}

/** What to ask where a merged one does not come to the remote: somebody set its branch back. */
function missing(board: Board, idea: string, review: ReviewState, result: LookResult): string | undefined {
  if (result.kind === 'unreachable') return undefined;
  if (result.kind !== 'open' || !result.merged) {
    delete review.missing;
    return undefined;
  }
  review.missing = (review.missing ?? 0) + 1;
  if (review.missing < MOST_MISSING || !board.rules('merged-must-arrive')) return undefined;
  delete review.at;
  delete review.missing;
  const { url } = review;
  const to = board.settings.delivery?.to ?? 'the remote';
  return clip(
    `Pull request ${review.number} is merged, and ${to} has not had its commit in ${MOST_MISSING} looks: ${url}. Somebody may have taken it off there. Reply with anything: the agent looks at it once more, and it lands with another pull request where ${to} still lacks it. To leave it out: ralphctl skip ${idea}`,
    MAX_QUESTION,
  );
}

function again(board: Board, entry: IdeaEntry, { work }: ReviewState): AfterLook {
  entry.work = work;
  // What depends on it does not start on it now.
  if (board.settings.delivery?.stack) board.touch(entry);
  return { do: 'land' };
}

const mergedEarly = ({ below }: IdeaEntry): string =>
  `it is merged, and has landed once pull request ${below?.number} (${below?.idea}) below it has`;

/** `to`: the branch on the remote. */
function more(result: Extract<LookResult, { kind: 'open' | 'behind' | 'unreachable' }>, to = 'the remote'): string {
  // The remote shows it a moment later, or somebody took it off there again.
  if (result.kind === 'open') return result.merged ? `; it is merged, and has landed once ${to} has its commit` : '';
  return result.kind === 'behind' ? `; ${result.why}` : `; the forge cannot be asked (${result.why})`;
}

/** It landed again on a target that had not moved, more often than its agent may get it back. */
function stoodOnTheSame(board: Board, entry: IdeaEntry, review: ReviewState): boolean {
  const again = review.apart === review.onto;
  review.apart = review.onto;
  if (!again || !board.rules('apart-is-a-round')) return false;
  entry.rounds += 1;
  return entry.rounds > board.settings.maxLandingRounds;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function giveBack(
  board: Board,
  entry: IdeaEntry,
  review: ReviewState,
  { about, what, tail, seen, rest }: Extract<LookResult, { kind: 'back' }>,
): AfterLook {
  delete review.at;
  review.seen = [...review.seen, ...seen].slice(-MOST_SEEN);
  // The rest of one long review is no further round.
  const goesOn = review.rest === true && about === 'comments';
  delete review.rest;
  if (rest) review.rest = true;
  if (!goesOn) entry.rounds += 1;
  board.state.totals.bounces += 1;
  const { onto, candidate, url } = review;
  entry.bounce = {
    reopen: { kind: 'red', onto, candidate },
    feedback: { kind: 'review', about, what, tail, url },
  };
  if (entry.rounds <= board.settings.maxLandingRounds) {
    queueForSlot(board, entry);
    return { do: 'wait' };
  }
  const cause = about === 'checks' ? `checks are red (${what})` : `${what} asked for changes`;
  return tooOften(board, entry, `${cause}, and the agent has had it back`);
}

/** Advice of a person gives new rounds. */
function tooOften(board: Board, entry: IdeaEntry, cause: string): AfterLook {
  const { review } = entry;
  entry.rounds = 0;
  const rounds = times(board.settings.maxLandingRounds);
  const question = `In review, ${cause} ${rounds}: ${review?.url}. Reply with advice for the next try.`;
  return { do: 'ask', question: clip(question, MAX_QUESTION) };
}
