/**
 * Places in the landing queue: an idea that came back from a conflict keeps its place while its agent works on it. What
 * touches the same files lands after it, so that it does not meet the same conflict on yet another tip.
 * Invariant: bounded. A place ends after a time, and with the work of its idea; of two ideas with places, the older place
 * goes first, so no two wait for each other. May import protocol and decide only.
 */
import type { Bounced, KeptPlace, LandResult } from '../../protocol/git-work.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus, ReadyWork } from '../../protocol/states.js';
import { clip, MAX_REASON } from '../text.js';
import type { Board } from './board.js';

/** The longest that finished work waits behind one conflict. */
export const PLACE_MS = 30 * 60_000;

/** They are part of the workflow's state and of a landing's input. */
const MOST_FILES = 50;
const MOST_PLACES = 20;
const MOST_NAMED = 3;

/** Rounds in a row that end on another tip than the one the agent got. Then such a round counts like any other. */
const MOST_MOVED = 6;

/** Its work goes on. An idea that waits for a person holds up nobody. */
const AT_WORK: ReadonlySet<IdeaStatus> = new Set(['running', 'wants-slot', 'landing']);

/** Whether a failed landing is one of the rounds that its agent has. Notes the tip that the agent gets now. */
export function isRound(board: Board, entry: IdeaEntry, { onto }: Bounced): boolean {
  const { given, moved = 0 } = entry;
  entry.given = onto;
  const other = given !== undefined && given !== onto && moved < MOST_MOVED;
  if (!other || board.settings.maxLandingRounds === 0 || !board.rules('places-are-kept')) {
    delete entry.moved;
    return true;
  }
  entry.moved = moved + 1;
  return false;
}

/** `now`: epoch ms. */
export function keepPlace({ settings, rules }: Board, entry: IdeaEntry, result: Bounced, now: number): void {
  delete entry.place;
  if (result.kind !== 'conflict' || result.files.length === 0) return;
  // With pull requests, people and the forge merge in their own order.
  if (settings.delivery?.mode === 'pr' || !rules('places-are-kept')) return;
  entry.place = { files: result.files.slice(0, MOST_FILES), until: now + PLACE_MS };
}

function holds({ rules }: Board, entry: IdeaEntry | undefined, now: number): boolean {
  if (!entry?.place || entry.place.until <= now || !AT_WORK.has(entry.status) || entry.after) return false;
  // It may take all its iterations and get nowhere.
  return !(entry.warnings?.some(({ kind }) => kind === 'stuck') && rules('stuck-holds-nobody'));
}

/** Its landing is over, or nobody works on it any more. */
export function forgetPlace(entry: IdeaEntry): void {
  delete entry.given;
  delete entry.moved;
  delete entry.place;
  delete entry.behind;
}

/** The places that this idea's landing respects. */
export function placesBefore(board: Board, entry: IdeaEntry, now: number): { places?: KeptPlace[] } {
  const own = holds(board, entry, now) ? entry.place?.until : undefined;
  const kept = board
    .openIdeas()
    .filter((one) => one !== entry && holds(board, one, now) && (own === undefined || (one.place?.until ?? 0) < own))
    .slice(0, MOST_PLACES)
    .map(({ card, place }) => ({ idea: card.id, files: place?.files ?? [] }));
  return kept.length > 0 ? { places: kept } : {};
}

/** Its landing has met the place of another idea. */
export function waitBehind(
  board: Board,
  entry: IdeaEntry,
  { behind, files, work }: Extract<LandResult, { kind: 'waits-place' }> & { work: ReadyWork },
): void {
  entry.work = work;
  entry.behind = behind;
  const named = files.slice(0, MOST_NAMED).join(', ');
  entry.reason = clip(
    `done; it lands after ${behind}, which came back from a conflict in ${named || 'the same files'}`,
    MAX_REASON,
  );
  board.state.lane.unshift(entry.card.id);
  board.touch(entry);
}

/** Whether it still waits; otherwise its wait ends here. */
export function waitsBehind(board: Board, entry: IdeaEntry, now: number): boolean {
  if (entry.behind === undefined) return false;
  if (holds(board, board.graph.entry(entry.behind), now)) return true;
  delete entry.behind;
  delete entry.reason;
  board.touch(entry);
  return false;
}

/** When the first wait ends by itself, epoch ms. */
export function placesEnd({ state, graph }: Board): (number | undefined)[] {
  return state.lane.map((id) => {
    const behind = graph.entry(id)?.behind;
    return behind === undefined ? undefined : graph.entry(behind)?.place?.until;
  });
}
