/**
 * The note of a landing about a checkout that it left behind: its words, and what is left of a reason once the checkout is
 * level. A reason is kept as text, so the words are known here only.
 * Invariant: reads only.
 */
import { checkoutsBehind } from './behind.js';
import { describeObstacle, type Obstacle } from './checkout-update.js';
import { laggingCheckouts } from './lagging.js';

const STAYS = '; its files stay as they were while ';
const FIX = 'run: ralphctl sync';

export function checkoutNote(obstacle: Obstacle, checkout: string, target: string): string {
  const { problem, first } = describeObstacle(obstacle, checkout);
  return `${problem}${STAYS}${target} moved on. Before you commit there${first ? `, ${first}, then` : ','} ${FIX}`;
}

const LANDED = 'landed work changes ';
const ROLLED_BACK = 'the rollback changes ';

/** The same of a rollback, which took the landed work off. */
export const noteOfRollback = (note: string): string => note.replaceAll(LANDED, ROLLED_BACK);

/** About checkouts that took old files along to something else. */
export async function switchedNotes(repo: string, target: string, tip: string): Promise<string[]> {
  const lagging = await laggingCheckouts(repo, target, tip);
  return lagging.flatMap(({ elsewhere, path }) =>
    elsewhere ? [checkoutNote({ kind: 'switched', ...elsewhere }, path, target)] : [],
  );
}

const PROBLEM =
  'the branch is checked out in |a switch to |a [\\w -]+ is in progress in |a conflict in |landed work changes |the rollback changes |untracked |the index of |the folder of the locked worktree |git did not update the files of ';
/** Of earlier versions, too. A long reason is cut at its end. */
const NOTES = new RegExp(`(?:${PROBLEM})(?:(?!${STAYS}).)*${STAYS}.*?(?:${FIX}|…$|$)\\.?\\s*`, 'gs');

/** The reason as it holds now. Undefined: nothing of it does. */
export async function withoutDoneNote(reason: string, repo: string, target: string): Promise<string | undefined> {
  const without = reason.replaceAll(NOTES, '').trim();
  if (without === reason.trim()) return reason;
  // Without an answer of git, the record counts.
  const behind = await checkoutsBehind(repo, target).catch(() => [reason]);
  return behind.length === 0 ? without || undefined : reason;
}
