/**
 * Which commands an idea accepts in which situation (C1 to C5), and their effect: one table.
 * Invariant: a command outside the table is refused, and the refusal lists the legal commands.
 * May import protocol types only.
 */
import { IDEA_VERBS, type IdeaVerb } from '../../protocol/command.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { goesOn, idleFor } from './idle.js';

/** A status, divided where commands differ. */
export const SITUATIONS = [
  'group',
  'pending',
  'held',
  'busy',
  'running',
  'awaits-approval',
  'paused',
  /** Its work is done, and lands once it resumes. */
  'done-paused',
  'needs-human',
  /** A question that an approval answers: the work is done and would land. */
  'asks-approval',
  'wants-slot',
  'ready',
  /** In the landing queue, in mode step. */
  'awaits-landing',
  'landing',
  'landed',
  'blocked',
  'timeout',
  'failed',
  'skipped',
  'abandoned',
] as const;
export type Situation = (typeof SITUATIONS)[number];

/**
 * tell: pass it to the idea's workflow · end: end its workflow first, then do the rest · hold, release: put it on hold,
 * take it off hold · requeue: pending again, new iteration count · extend: pending again, count kept · mark: ended by a
 * person · revert: take its commits off its branch, then pending · undo: revert its landing on the target · clean:
 * remove its worktree · divide: replace it by smaller ideas · assign: start it next · note, patch: keep for its next
 * start · omit: skip a step of its plan at its next start · score: change its place in the queue · pass: let its
 * landing begin
 */
export type Effect =
  | 'tell'
  | 'end'
  | 'hold'
  | 'release'
  | 'requeue'
  | 'extend'
  | 'mark'
  | 'revert'
  | 'undo'
  | 'clean'
  | 'divide'
  | 'assign'
  | 'note'
  | 'patch'
  | 'omit'
  | 'pass'
  | 'score';

type Row = Partial<Record<IdeaVerb, Effect>>;

/** An idea without a workflow: messages wait for its start. */
const KEPT: Row = { edit: 'patch', limit: 'patch', hint: 'note', bump: 'score', score: 'score' };
/** An idea that is not running and can start (again). */
const AT_REST: Row = {
  ...KEPT,
  assign: 'assign',
  rollback: 'revert',
  cleanup: 'clean',
  skip: 'mark',
  'skip-step': 'omit',
  abandon: 'mark',
  split: 'divide',
};
/** An idea whose workflow is open. Only an idea that asks takes an answer. */
const OPEN: Row = {
  edit: 'tell',
  limit: 'tell',
  hint: 'tell',
  pause: 'tell',
  'pause-now': 'tell',
  resume: 'tell',
  stop: 'end',
  'skip-step': 'tell',
  skip: 'end',
  abandon: 'end',
  rollback: 'end',
  split: 'end',
};
const { 'skip-step': _step, ...WHOLE } = OPEN;
const { pause: _pause, 'pause-now': _now, resume: _resume, ...READY } = WHOLE;

export const IDEA_TABLE: Readonly<Record<Situation, Row>> = {
  group: {},
  pending: { ...AT_REST, pause: 'hold', 'pause-now': 'hold', stop: 'hold' },
  held: { ...AT_REST, resume: 'release', retry: 'requeue', unblock: 'release' },
  busy: KEPT,
  running: OPEN,
  'awaits-approval': { ...OPEN, approve: 'tell' },
  paused: OPEN,
  'needs-human': { ...OPEN, answer: 'tell' },
  'asks-approval': { ...WHOLE, answer: 'tell', approve: 'tell' },
  'wants-slot': OPEN,
  'done-paused': { ...READY, resume: 'tell' },
  ready: READY,
  'awaits-landing': { ...READY, approve: 'pass' },
  landing: { edit: 'tell', limit: 'tell', hint: 'tell' },
  landed: { rollback: 'undo' },
  blocked: { ...AT_REST, retry: 'requeue', unblock: 'requeue' },
  timeout: { ...AT_REST, retry: 'requeue', limit: 'extend' },
  failed: { ...AT_REST, retry: 'requeue' },
  skipped: { ...AT_REST, skip: undefined, retry: 'requeue' },
  abandoned: { retry: 'requeue', rollback: 'revert', cleanup: 'clean' },
};

const WITH_WORKFLOW: ReadonlySet<IdeaStatus> = new Set([
  'running',
  'paused',
  'needs-human',
  'wants-slot',
  'landing',
] as const);
/** Whether an idea of this status has an open workflow. */
export const holdsWorkflow = (status: IdeaStatus): boolean => WITH_WORKFLOW.has(status);

/** `landing`: the idea that is landing now, if any. */
export function situationOf(entry: IdeaEntry, landing: string | undefined): Situation {
  if (entry.card.blue) return 'group';
  if (entry.busy) return 'busy';
  switch (entry.status) {
    case 'pending':
      return entry.hold ? 'held' : 'pending';
    case 'paused':
      if (entry.donePaused) return 'done-paused';
      return entry.approval ? 'awaits-approval' : 'paused';
    case 'landing':
      if (landing === entry.card.id) return 'landing';
      return entry.approval ? 'awaits-landing' : 'ready';
    case 'needs-human':
      return entry.approvable ? 'asks-approval' : 'needs-human';
    default:
      return entry.status;
  }
}

export const SITUATION_WORDS: Record<Situation, string> = {
  group: 'is an epic: give the command to its ideas instead',
  pending: 'has not started',
  held: 'is on hold',
  busy: 'has a git task running',
  running: 'is running',
  'awaits-approval': 'waits for an approval',
  paused: 'is paused',
  'done-paused': 'is done and paused: it lands once it resumes',
  'needs-human': 'waits for an answer',
  'asks-approval': 'waits for your approval or your answer',
  'wants-slot': 'waits for a slot',
  ready: 'is done and waits to land',
  'awaits-landing': 'is done and waits for your approval to land',
  landing: 'is landing right now',
  landed: 'has landed',
  blocked: 'is blocked',
  timeout: 'timed out',
  failed: 'failed',
  skipped: 'was skipped',
  abandoned: 'was abandoned',
};

export type IdeaLegality = { effect: Effect } | { refusal: string };

/** `refused`: verbs that are refused for another reason than the situation, and are not offered. */
export function ideaEffect(
  id: string,
  situation: Situation,
  verb: IdeaVerb,
  refused?: (verb: IdeaVerb) => boolean,
): IdeaLegality {
  const effect = IDEA_TABLE[situation][verb];
  if (effect !== undefined) return { effect };
  return { refusal: `${id} ${SITUATION_WORDS[situation]}${possibleNow(situation, refused)}` };
}

/** The end of a refusal. */
export function possibleNow(situation: Situation, refused?: (verb: IdeaVerb) => boolean): string {
  const legal = legalInterventions(situation, refused);
  return legal.length === 0 ? '' : `. Possible now: ${legal.join(', ')}`;
}

export function legalVerbs(situation: Situation): IdeaVerb[] {
  const row = IDEA_TABLE[situation];
  return (Object.keys(row) as IdeaVerb[]).filter((verb) => row[verb] !== undefined).sort();
}

/** Legal verbs as a person types them. */
export const legalInterventions = (
  situation: Situation,
  refused: (verb: IdeaVerb) => boolean = () => false,
): string[] =>
  legalVerbs(situation)
    .filter((verb) => !refused(verb))
    .map((verb) => TYPED[verb] ?? verb);

/** Verbs that an idea of this shape refuses in every state. */
export const unfit =
  ({ single, plan }: { single?: true; plan?: true }) =>
  (verb: IdeaVerb): boolean =>
    (verb === 'limit' && single === true) || (verb === 'skip-step' && plan !== true);

/** Verbs that fit the situation but that the run or the idea refuses in its present state. */
export function refusedFor(entry: IdeaEntry, { run, mode = 'autopilot' }: AutopilotState): (verb: IdeaVerb) => boolean {
  if (run === 'stopping' || run === 'completed') return () => true;
  return (verb) =>
    (verb === 'resume' && !goesOn(entry)) ||
    (verb === 'assign' && mode !== 'semi-auto') ||
    idleFor(entry, verb, run) !== undefined ||
    unfit(entry.card)(verb);
}

const TYPED: Partial<Record<IdeaVerb, string>> = { 'pause-now': 'pause --now', 'skip-step': 'skip --step' };

export const isIdeaVerb = (verb: string): verb is IdeaVerb => IDEA_VERBS.some((one) => one === verb);
