/**
 * Hints and answers that wait for an idea's next prompt: how many fit.
 * Invariant: an answer to an open question always fits; what does not fit is refused with the reason, never dropped
 * without a word. May import protocol only.
 */
import { MOST_NOTES } from '../protocol/command.js';

export interface Notes {
  count: number;
  /** Characters together. */
  size: number;
}

/** Why no more can be said to the idea now; undefined when there is room. */
export function notesProblem(id: string, waiting: Notes, text: string, most: Notes = MOST_NOTES): string | undefined {
  const then = 'say more once its next prompt has them, or put it into a file of the repository and name that';
  if (waiting.count >= most.count) return `${waiting.count} hints wait for ${id} already: ${then}`;
  if (waiting.size + text.length <= most.size) return undefined;
  return `the hints that wait for ${id} would be longer than ${most.size} characters together: ${then}`;
}

export const sizeOf = (notes: readonly string[] = []): Notes => ({
  count: notes.length,
  size: notes.reduce((sum, note) => sum + note.length, 0),
});
