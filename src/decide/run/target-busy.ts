/**
 * Landings wait while a person's merge, rebase or the like holds the target: its end is theirs, and a move of the branch
 * meanwhile would make it fail, or make it take landed work off.
 * Invariant: bounded. After a time the ideas ask the person, and in a stopping run they end at once.
 * May import protocol and decide only.
 */
import type { LandResult } from '../../protocol/git-work.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { ReadyWork } from '../../protocol/states.js';
import { LONGEST_WARNING, type WarningLine } from '../../protocol/warnings.js';
import { clip, MAX_QUESTION, MAX_REASON } from '../text.js';
import type { Board } from './board.js';
import { tellIdea } from './control.js';

/** ms */
const FIRST_WAIT = 2000;
const LONGEST_WAIT = 30_000;
const WAITS = 'done; its landing waits: ';
/** Then a person is asked. */
export const ASK_AFTER = 60 * 60_000;

/** `now`: epoch ms. Undefined: it waits or ends; otherwise what to ask. */
export function waitForTarget(
  board: Board,
  entry: IdeaEntry,
  { why, work }: Extract<LandResult, { kind: 'target-busy' }> & { work: ReadyWork },
  now: number,
): string | undefined {
  const { state } = board;
  const { tries, since } = state.targetBusy ?? { tries: 0, since: now };
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(tries, 20));
  const asks = now - since >= ASK_AFTER;
  const ends = state.run === 'stopping';
  // The next one in the queue hears the same at once.
  state.targetBusy = { tries: tries + 1, since, at: asks || ends ? 0 : now + wait, why: clip(why, MAX_REASON) };
  if (asks && !ends)
    return clip(`The work is done, but its landing waits: ${why} Then reply with anything to land it.`, MAX_QUESTION);
  entry.work = work;
  // Told once.
  const reason = clip(`${WAITS}${why}`, MAX_REASON);
  if (entry.reason !== reason) {
    entry.reason = reason;
    board.touch(entry);
  }
  // A stopping run waits for nobody: the work stays on its branch.
  if (ends) tellIdea(board, entry, 'stop', [{ reason: clip(why, MAX_REASON) }]);
  else state.lane.unshift(entry.card.id);
  return undefined;
}

/** Whether a landing begins with a look of its own: its end says that the target is free, long before that of a gate. */
export const lookFirst = ({ targetBusy }: AutopilotState): { look?: true } => (targetBusy ? { look: true } : {});

/** The target is free: nothing says any more that a landing waits for it. `entry`: the idea that lands now. */
export function goOnFree(board: Board, entry: IdeaEntry, work: ReadyWork | undefined): void {
  const { state, graph } = board;
  delete state.targetBusy;
  if (work) {
    entry.work = work;
    state.lane.unshift(entry.card.id);
  }
  for (const id of state.lane) {
    const waiting = graph.entry(id);
    if (!waiting?.reason?.startsWith(WAITS)) continue;
    delete waiting.reason;
    board.touch(waiting);
  }
}

/** When the next look is due, epoch ms. */
export const targetLookAt = ({ state }: Board): number | undefined =>
  state.targetBusy && state.lane.length > 0 && !state.aborting && state.run !== 'paused' && state.run !== 'pausing'
    ? state.targetBusy.at || undefined
    : undefined;

export function targetWarning({ targetBusy, target, lane }: AutopilotState): WarningLine | undefined {
  if (!targetBusy || lane.length === 0) return undefined;
  const { why, since } = targetBusy;
  return { kind: 'target', text: clip(`nothing lands on ${target} now. ${why}`, LONGEST_WARNING), since };
}
