/** The numbers that `limit` and `score` take. The terminal and the run refuse the same ones. */
import type { Verb } from './command.js';

/** Most iterations that one `limit` adds. */
export const MOST_GRANTED = 10_000;
/** Most points that a person adds to a score, or takes from it. */
export const MOST_POINTS = 1_000_000;

/** Why the number of a `limit` or a `score` does not count; undefined where it does, and for every other verb. */
export function numberProblem(verb: Verb, n: number | undefined): string | undefined {
  if (verb === 'limit' && !(Number.isInteger(n) && Number(n) >= 1 && Number(n) <= MOST_GRANTED))
    return `limit takes iterations to add: 1 to ${MOST_GRANTED}`;
  if (verb === 'score' && !(Number.isInteger(n) && Math.abs(Number(n)) <= MOST_POINTS))
    return `score takes a whole number from -${MOST_POINTS} to ${MOST_POINTS}`;
  return undefined;
}
