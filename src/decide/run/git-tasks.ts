/**
 * Git tasks: work on an idea's commits or worktree that a person asked for, and what follows from the result.
 * Invariant: the idea does not start during its git task. A failed git task loses nothing, and the idea stays on hold.
 * May import protocol and decide only.
 */

import type { CleanupResult, RollbackResult, StashResult } from '../../protocol/git-work.js';
import { many } from '../../protocol/many.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { clipReason } from '../text.js';
import type { Board } from './board.js';

export type GitTaskResult =
  | { task: 'rollback'; result: RollbackResult }
  | { task: 'cleanup'; result: CleanupResult }
  | { task: 'stash'; result: StashResult }
  | { task: 'rollback' | 'cleanup' | 'stash'; problem: string };

export function gitTaskDone(board: Board, idea: string, outcome: GitTaskResult): void {
  const entry = board.graph.entry(idea);
  if (!entry) return;
  delete entry.busy;
  const done =
    'problem' in outcome ? `${outcome.task} of ${idea} failed: ${outcome.problem}` : words(board, entry, outcome);
  board.told.push({ verb: outcome.task, idea, done });
  if (outcome.task === 'rollback') {
    const { reverting } = entry;
    delete entry.reverting;
    if ('problem' in outcome) entry.hold = true;
    else if (reverting && board.rules('rollback-is-no-retry')) rolledBack(board, entry);
    else requeue(board, entry);
  }
  // An abort asks of every idea whether there is something to save.
  if (changed(outcome)) entry.reason = clipReason(done);
  board.touch(entry);
}

export const noWorktree = (idea: string): string => `${idea} has no worktree, so there is nothing to remove`;

function changed(outcome: GitTaskResult): boolean {
  if ('problem' in outcome) return true;
  if (outcome.task === 'stash') return outcome.result.saved !== undefined;
  return outcome.task !== 'cleanup' || !outcome.result.none;
}

/** It starts anew, unless a person has left it out: then only a retry takes it in again. */
function rolledBack(board: Board, entry: IdeaEntry): void {
  if (entry.status === 'skipped' || entry.status === 'abandoned') return;
  const { retries } = entry;
  requeue(board, entry);
  entry.retries = retries;
}

function words(
  board: Board,
  { card: { id: idea }, told }: IdeaEntry,
  outcome: Exclude<GitTaskResult, { problem: string }>,
): string {
  const { saved } = outcome.result;
  const kept = saved ? `; saved as ${saved}` : '';
  switch (outcome.task) {
    case 'rollback': {
      const { commits } = outcome.result;
      // What a person asked for: a retry that begins again, or a rollback.
      const what = told?.verb === 'retry' ? `begins again on ${board.state.target}` : 'was rolled back';
      return `${idea} ${what}: ${many(commits, 'commit')} taken off its branch${kept}`;
    }
    case 'cleanup': {
      const { removed, none, note } = outcome.result;
      if (none) return `${noWorktree(idea)}${note ? `. ${note}` : ''}`;
      return `the worktree of ${idea} ${removed ? 'was removed' : 'was kept'}${note ? `: ${note}` : ''}${kept}`;
    }
    case 'stash':
      return saved ? `the changes of ${idea} are saved as ${saved}` : `${idea} had no uncommitted changes`;
  }
}

/* Starts an ended idea again (C2, C3, C4). May import protocol and decide only. */

/** `counted`: continues the iteration count. */
export function requeue(board: Board, entry: IdeaEntry, counted = false): void {
  entry.retries += 1;
  delete entry.hold;
  delete entry.takenOff;
  delete entry.reason;
  delete entry.commit;
  if (!counted) delete entry.keepCount;
  if (board.settings.delivery?.mode === 'pr') entry.anew = true;
  board.set(entry, 'pending');
}
