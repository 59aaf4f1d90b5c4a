/**
 * Which changes of a run the tracker is told.
 * Invariant: of an idea only the newest state waits. The claim itself is the idea's; nothing is told of an idea that
 * never started in this run. Pure; may import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { ToldState, TrackedItem, TrackedState } from '../../protocol/tracker.js';
import { clip, MAX_QUESTION } from '../text.js';

/** `turns`: ideas whose status changed, as they were then. */
export function noteTracked(state: AutopilotState, turns: readonly IdeaEntry[]): void {
  state.tracked ??= { items: [], told: {} };
  const { told } = state.tracked;
  for (const entry of turns) {
    const { id, blue } = entry.card;
    if (blue) continue;
    const now = shownAs(entry);
    const before = Object.hasOwn(told, id) ? told[id] : undefined;
    if (now === before) continue;
    // The claim tells that work begins; what never began has nothing to give back.
    const silent = now === 'works' ? before !== 'asks' && !isReview(before) : before === undefined;
    if (now !== 'released' || before !== undefined) told[id] = now;
    if (silent) {
      if (now === 'works') drop(state.tracked, id);
      continue;
    }
    drop(state.tracked, id);
    state.tracked.items.push(itemOf(entry, now));
  }
}

function drop(tracked: NonNullable<AutopilotState['tracked']>, id: string): void {
  if (tracked.items.some(({ idea }) => idea === id)) tracked.items = tracked.items.filter(({ idea }) => idea !== id);
}

function shownAs({ status, review }: IdeaEntry): ToldState {
  switch (status) {
    case 'running':
    case 'paused':
    case 'wants-slot':
      return 'works';
    case 'landing':
      return review?.at === undefined ? 'works' : `review ${review.number}`;
    case 'needs-human':
      return 'asks';
    case 'landed':
      return 'done';
    default:
      return 'released';
  }
}

const isReview = (told: ToldState | undefined): boolean => told?.startsWith('review ') === true;

const itemOf = ({ card, life, reason, commit, review }: IdeaEntry, told: ToldState): TrackedItem => {
  const state = isReview(told) ? 'works' : (told as TrackedState);
  return {
    ...{ idea: card.id, state, life: Math.abs(life) },
    ...(reason && state !== 'works' && state !== 'done' ? { reason: clip(reason, MAX_QUESTION) } : {}),
    ...(commit && state === 'done' ? { commit } : {}),
    ...(review && isReview(told) ? { review: review.url } : {}),
  };
};

/** Takes everything out. */
export const takeTracked = ({ tracked }: AutopilotState): TrackedItem[] => tracked?.items.splice(0) ?? [];

/** Puts items back that nobody took; a newer one stays. */
export function returnTracked({ tracked }: AutopilotState, items: readonly TrackedItem[]): void {
  if (!tracked) return;
  const newer = new Set(tracked.items.map(({ idea }) => idea));
  tracked.items.unshift(...items.filter(({ idea }) => !newer.has(idea)));
}

export const hasTracked = ({ tracked }: AutopilotState): boolean => (tracked?.items.length ?? 0) > 0;
