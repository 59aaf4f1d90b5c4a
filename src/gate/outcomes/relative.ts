/**
 * Takes the place of a worktree out of what a command printed, so that a test has one name in every worktree.
 * Invariant: takes time linear in the text.
 */
import { realpath } from 'node:fs/promises';
import { literal } from '../../protocol/pattern.js';

/** Makes paths in the worktree relative to it. Programs name it as they were told, or by its real path. */
export async function relativeTo(worktree: string): Promise<(text: string) => string> {
  const real = await realpath(worktree).catch(() => worktree);
  // One may end with the other.
  const places = [...new Set([real, worktree])].sort((a, b) => b.length - a.length);
  const here = new RegExp(`(?:${places.map(literal).join('|')})(?:(/)|(?![\\w.-]))`, 'g');
  return (text) => text.replace(here, (_all, slash?: string) => (slash ? '' : '.'));
}
