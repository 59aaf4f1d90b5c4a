/**
 * The effect of a command on one idea, for each effect of `table.ts`.
 * Invariant: an idea with an open workflow changes only through that workflow: a message, or its end.
 * May import protocol and decide only.
 */

import { type IdeaVerb, type Intervention, type LimitPatch, MOST_KEPT_NOTES } from '../../protocol/command.js';
import { numberProblem } from '../../protocol/command-numbers.js';
import { many } from '../../protocol/many.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { splitDone } from '../../protocol/split.js';
import { afterPause, planAnswer } from '../run/answers.js';
import type { Board } from '../run/board.js';
import { isActive, letLand, resumeCommand, tellIdea } from '../run/control.js';
import { type Plan, refuse } from '../run/effects.js';
import { splitProblem } from '../run/enqueue.js';
import { requeue } from '../run/git-tasks.js';
import { putFirst, setPoints } from '../run/waiting.js';
import { clip, MAX_REASON } from '../text.js';
import { afterwards, endSays, gitTask, goesOnWith, markOver } from './afterwards.js';
import { addPatch, hintTaken, notesProblem, singleAttempt, sizeOf } from './amendments.js';
import { dependantsIn } from './dependants.js';
import { type Effect, ideaEffect, legalVerbs, refusedFor, situationOf } from './table.js';

export type IdeaIntervention = Intervention & { verb: IdeaVerb };
type Act = (board: Board, entry: IdeaEntry, command: IdeaIntervention) => string;

/** `older`: as a run of an older version did it, for its history. */
export function planIdeaIntervention(board: Board, entry: IdeaEntry, command: IdeaIntervention, older: boolean): Plan {
  if (command.verb === 'answer') return planAnswer(board, entry, command, older);
  const id = entry.card.id;
  const legal = ideaEffect(id, situationOf(entry, board.state.landing), command.verb, refusedFor(entry, board.state));
  if ('refusal' in legal) return refuse(legal.refusal);
  const problem = NEEDS[command.verb]?.(board, entry, command);
  if (problem !== undefined) return refuse(problem);
  return {
    carryOut: () => {
      const reason = command.reason?.trim();
      entry.told = { verb: command.verb, reason: reason ? clip(reason, MAX_REASON) : undefined };
      return EFFECTS[legal.effect](board, entry, command);
    },
  };
}

type Check = (board: Board, entry: IdeaEntry, command: IdeaIntervention) => string | undefined;
/** What a verb needs besides a fitting situation. */
const NEEDS: Partial<Record<IdeaVerb, Check>> = {
  hint: (_board, { card, notes }, { text = '' }) =>
    text.trim() === ''
      ? `hint ${card.id} needs a text: ralphctl hint ${card.id} "…"`
      : notesProblem(card.id, sizeOf(notes), text, MOST_KEPT_NOTES),
  limit: (board, entry, { n }) => {
    const { id, single } = entry.card;
    if (single) return singleAttempt(id, 'effect' in ideaEffect(id, situationOf(entry, board.state.landing), 'retry'));
    return numberProblem('limit', n);
  },
  score: (_board, _entry, { n }) => numberProblem('score', n),
  edit: (_board, _entry, { patch, title, revision }) =>
    patch || title !== undefined || revision !== undefined ? undefined : 'edit changes nothing',
  assign: (board, { card }) => {
    const waits = board.graph.waitsFor(card.id);
    if (waits.length > 0 && !board.graph.foot(card.id))
      return `${card.id} still waits for ${waits.slice(0, 10).join(', ')}`;
    return board.state.assigned?.includes(card.id) ? `${card.id} is already assigned` : undefined;
  },
  resume: (_board, entry) =>
    entry.hold || entry.status === 'paused' || entry.pauseAsked ? undefined : `${entry.card.id} is not paused`,
  split: (board, entry, { cards }) => splitProblem(board, entry, cards),
};

const EFFECTS: Record<Effect, Act> = {
  tell: (board, entry, command) => TELL[command.verb]?.(board, entry, command) ?? '',
  end: (board, entry, command) => {
    entry.after = afterwards(command);
    // A stop waits for the end of the iteration. Commands that discard the iteration do not.
    tellIdea(board, entry, command.verb === 'stop' ? 'stop' : 'abort', reasonArgs(command));
    return endSays(board, entry, entry.after.do);
  },
  hold: (board, entry, { reason }) => {
    entry.hold = true;
    entry.reason = clip(reason ?? 'put on hold by a person', MAX_REASON);
    board.touch(entry);
    return `${entry.card.id} is on hold. Release it: ralphctl resume ${entry.card.id}`;
  },
  release: (board, entry) => {
    delete entry.hold;
    delete entry.takenOff;
    delete entry.reason;
    board.touch(entry);
    return `${entry.card.id} can start again${afterPause(board)}`;
  },
  requeue: (board, entry, { fresh }) => {
    if (fresh) {
      delete entry.skipStep;
      gitTask(board, entry, 'rollback');
      return `${entry.card.id} starts over on ${board.state.target} as it is now: ralphctl first saves its work so far, then drops it`;
    }
    requeue(board, entry);
    return `${entry.card.id} is pending again, with a new iteration count; its work so far is kept${afterPause(board)}`;
  },
  extend: (board, entry, { n = 0 }) => {
    entry.patch = addPatch(entry.patch, { extra: n });
    entry.keepCount = entry.used ?? 0;
    requeue(board, entry, true);
    return `${entry.card.id} is pending again, with ${many(n, 'more iteration')}${afterPause(board)}`;
  },
  mark: (board, entry, command) => {
    markOver(board, entry, command.verb === 'skip' ? 'skipped' : 'abandoned', command.reason);
    return command.verb === 'skip'
      ? `${entry.card.id} is skipped in this run`
      : `${entry.card.id} is abandoned; its branch and worktree are kept`;
  },
  revert: (board, entry) => {
    entry.reverting = true;
    gitTask(board, entry, 'rollback');
    const then = entry.status === 'skipped' || entry.status === 'abandoned' ? `stays ${entry.status}` : 'is pending';
    return `${entry.card.id} is being rolled back: ralphctl saves its work and puts its branch on ${board.state.target}; then it ${then}`;
  },
  undo: (board, entry) => {
    entry.busy = 'undo';
    board.set(entry, 'landing');
    board.state.lane.push(entry.card.id);
    return `${entry.card.id} is in the landing queue, to be taken off ${board.state.target}${dependantsIn(entry.card.id, board.state.entries)}`;
  },
  clean: (board, entry, { force }) => {
    gitTask(board, entry, 'cleanup', force);
    return `the worktree of ${entry.card.id} is being removed; its uncommitted work is saved first`;
  },
  divide: (board, entry, { cards = [] }) => {
    board.divide(entry, cards);
    return splitDone(
      entry.card.id,
      cards.map(({ id }) => id),
    );
  },
  assign: (board, entry) => {
    if (entry.status !== 'pending') requeue(board, entry);
    delete entry.hold;
    delete entry.takenOff;
    board.touch(entry);
    board.state.assigned = [...(board.state.assigned ?? []), entry.card.id];
    return `${entry.card.id} starts in the next free slot${afterPause(board)}`;
  },
  note: (_board, entry, { text = '' }) => {
    entry.notes = [...(entry.notes ?? []), text.trim()];
    const { id } = entry.card;
    const verb = beginsAgain(entry);
    if (verb === undefined) return `${id} gets your text with its first prompt`;
    return `${id} has your text; the first prompt after this has it: ralphctl ${verb} ${id}`;
  },
  patch: (board, entry, command) => {
    edit(board, entry, patchOf(command), command);
    return `changed; it applies when ${entry.card.id} starts${again(entry)}${noMore(entry, command.patch)}`;
  },
  omit: (_board, entry, { reason }) => {
    entry.skipStep = reason === undefined ? {} : { why: clip(reason, MAX_REASON) };
    return `${entry.card.id} skips its current step when it starts${again(entry)}`;
  },
  pass: (board, entry) => {
    letLand(board, entry);
    return `approved: ${entry.card.id} lands next`;
  },
  score: (board, entry, { verb, n = 0 }) => {
    if (verb === 'score') setPoints(board, entry, n);
    else putFirst(board, entry);
    board.touch(entry);
    const { id } = entry.card;
    return verb === 'bump' ? `${id} is ahead of all other ready ideas` : `${id} has ${many(n, 'point')} from you`;
  },
};

/** The command that lets an idea at rest start again, of those that it takes; undefined: it starts by itself. */
function beginsAgain(entry: IdeaEntry): IdeaVerb | undefined {
  // A git task ends by itself.
  const { busy: _, ...rest } = entry;
  const legal = legalVerbs(situationOf(rest, undefined));
  return (['resume', 'unblock', 'retry'] as const).find((verb) => legal.includes(verb));
}

function again(entry: IdeaEntry): string {
  const verb = beginsAgain(entry);
  return verb === undefined ? '' : `: ralphctl ${verb} ${entry.card.id}`;
}

/** Added to what `edit` says. `ralphctl edit` refuses this before it sends; a Temporal signal comes here. */
const noMore = ({ card }: IdeaEntry, patch: LimitPatch | undefined): string =>
  card.single && patch?.maxIterations !== undefined ? `. But ${singleAttempt(card.id, false)}` : '';

/** Messages to an open workflow, by verb. */
const TELL: Partial<Record<IdeaVerb, Act>> = {
  hint: (board, entry, { text = '', seen }) => {
    tellIdea(board, entry, 'hint', [text.trim()]);
    return hintTaken(entry.card.id, seen);
  },
  edit: (board, entry, command) => {
    const patch = patchOf(command);
    edit(board, entry, patch, command);
    tellIdea(board, entry, 'edited', [{ patch, revision: command.revision }]);
    return `changed; it applies from the next iteration of ${entry.card.id} on${noMore(entry, patch)}`;
  },
  limit: (board, entry, command) => {
    const patch = patchOf(command);
    edit(board, entry, patch, command);
    tellIdea(board, entry, 'edited', [{ patch }]);
    return `${entry.card.id} may use ${many(command.n ?? 0, 'more iteration')}`;
  },
  pause: (board, entry) => {
    entry.pauseAsked = true;
    tellIdea(board, entry, 'pause');
    const { id } = entry.card;
    if (entry.approval || entry.status === 'needs-human')
      return `${id} has no running step: it waits for ${entry.approval || entry.approvable ? 'an approval' : 'an answer'}. It pauses before its next step. Resume with: ralphctl resume ${id}`;
    return `${id} pauses after its running step. Resume with: ralphctl resume ${id}`;
  },
  'pause-now': (board, entry) => {
    entry.pauseAsked = true;
    tellIdea(board, entry, 'pauseNow');
    const { id } = entry.card;
    // A stop before it stays.
    if (entry.after?.do === 'hold') return `${id} stops now: ${endsNow(entry)}. ${goesOnWith(board, id)}`;
    return `${id} pauses now: ${endsNow(entry)}. Resume with: ralphctl resume ${id}`;
  },
  'skip-step': (board, entry, command) => {
    tellIdea(board, entry, 'skipStep', reasonArgs(command));
    return `${entry.card.id} skips its current step and continues with the next one; its work so far stays in its worktree`;
  },
  resume: (board, entry) => {
    tellIdea(board, entry, 'resume');
    if (!isActive(board)) entry.alone = true;
    const command = resumeCommand(board.state, board.settings);
    const alone = command === undefined ? '' : `. The run stays paused, and its other ideas with it until: ${command}`;
    return `${entry.card.id} resumes${alone}`;
  },
  approve: (board, entry) => {
    tellIdea(board, entry, 'approve');
    if (entry.approvable) entry.mayLand = true;
    if (entry.approvable) return `approved: ${entry.card.id} lands as it is`;
    return `the next iteration of ${entry.card.id} is approved`;
  },
};

/** What a pause ends at once. The agent may have finished meanwhile, and then its iteration counts. */
const endsNow = ({ gating }: IdeaEntry): string =>
  gating === undefined
    ? 'its work is kept; where its agent still runs, it is ended and its iteration is not charged'
    : 'its agent has ended already, its work is kept, its gate is ended and runs again';

const patchOf = ({ patch, n, verb }: IdeaIntervention): LimitPatch | undefined =>
  verb === 'limit' ? { extra: n ?? 0 } : patch;

function edit(
  board: Board,
  entry: IdeaEntry,
  patch: LimitPatch | undefined,
  { title, revision }: IdeaIntervention,
): void {
  if (patch) entry.patch = addPatch(entry.patch, patch);
  if (revision !== undefined) entry.revision = Math.max(entry.revision ?? 0, revision);
  if (title === undefined) return;
  board.retitle(entry, title);
  // Every view takes the title from its change.
  board.touch(entry);
}

const reasonArgs = ({ reason }: IdeaIntervention): string[] | undefined => (reason ? [reason] : undefined);
