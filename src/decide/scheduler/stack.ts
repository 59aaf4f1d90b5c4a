/**
 * Which open pull request an idea may start on (`landing.stack`).
 * Invariant: a branch has one history below it. So an idea starts on one pull request, and only if that contains all that
 * the idea still waits for; while two that are apart are open, it waits until one of them has landed.
 * May import protocol only.
 */
import type { IdeaEntry } from '../../protocol/run.js';

/** Pull requests on top of each other: each change of a lower one lands all above it again. */
export const MOST_STACKED = 5;

type EntryOf = (id: string) => IdeaEntry | undefined;

/** Its pull request is open. */
export const isInReview = ({ status, review }: IdeaEntry): boolean => status === 'landing' && review?.at !== undefined;

/** The ideas whose pull requests it stands on, the nearest first. */
export function chainBelow(entry: IdeaEntry, of: EntryOf): IdeaEntry[] {
  const chain: IdeaEntry[] = [];
  for (let at = lowerOf(entry, of); at && !chain.includes(at); at = lowerOf(at, of)) chain.push(at);
  return chain;
}

function lowerOf({ below }: IdeaEntry, of: EntryOf): IdeaEntry | undefined {
  const lower = below && of(below.idea);
  return lower?.status === 'landed' ? undefined : lower;
}

/** The idea on whose pull request one may start that waits for these; undefined: none. */
export function footOf(waits: readonly string[], of: EntryOf): IdeaEntry | undefined {
  for (const id of waits) {
    const top = of(id);
    if (!top) return undefined;
    const chain = chainBelow(top, of);
    if (!waits.every((one) => one === id || chain.some(({ card }) => card.id === one))) continue;
    const settled = [top, ...chain].every((one) => isInReview(one) && !one.after);
    return settled && chain.length + 2 <= MOST_STACKED ? top : undefined;
  }
  return undefined;
}

/** Why one that waits for these cannot start on a pull request yet; undefined: none of them is in review. */
export function whyNoFoot(waits: readonly string[], of: EntryOf): string | undefined {
  const open = waits.filter((id) => {
    const entry = of(id);
    return entry !== undefined && isInReview(entry);
  });
  if (open.length === 0 || footOf(waits, of)) return undefined;
  if (open.length < waits.length) return undefined;
  const tops = open.map(of).filter((one) => one !== undefined);
  const deep = tops.some((one) => chainBelow(one, of).length + 2 > MOST_STACKED);
  return deep
    ? `${MOST_STACKED} pull requests on top of each other are the most; one of them has to be merged first`
    : `it can be on top of one pull request only; all but one of them have to be merged first`;
}
