/**
 * The note of a landing about a checkout that it left behind: its words, and what is left of a reason once the checkout is
 * level. A reason is kept as text, so the words are known here only.
 * Invariant: reads only.
 */
import { checkoutsBehind } from './behind.js';
import { describeObstacle, type Obstacle } from './checkout-update.js';

const STAYS = '; its files stay as they were while ';
const FIX = 'run: ralphctl sync';

export function checkoutNote(obstacle: Obstacle, checkout: string, target: string): string {
  const { problem, first } = describeObstacle(obstacle, checkout);
  return `${problem}${STAYS}${target} moved on. Before you commit there${first ? `, ${first}, then` : ','} ${FIX}`;
}

const PROBLEM =
  'the branch is checked out in |a [\\w -]+ is in progress in |a conflict in |landed work changes |untracked |the index of |the folder of the locked worktree |git did not update the files of ';
/** A long reason is cut at its end. */
const NOTE = new RegExp(`(?:${PROBLEM})(?:(?!${STAYS}).)*${STAYS}.*?(?:${FIX}|…$|$)\\.?\\s*`, 's');

const hasCheckoutNote = (reason: string): boolean => NOTE.test(reason);

/** The reason as it holds now. Undefined: nothing of it does. */
export async function withoutDoneNote(reason: string, repo: string, target: string): Promise<string | undefined> {
  if (!hasCheckoutNote(reason)) return reason;
  // Without an answer of git, the record counts.
  const behind = await checkoutsBehind(repo, target).catch(() => [reason]);
  return behind.length === 0 ? reason.replace(NOTE, '').trim() || undefined : reason;
}
