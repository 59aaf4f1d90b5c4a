/**
 * A run as it was when it ended. What people do to its ideas afterwards changes how they stand now, and not what the run
 * did.
 * Invariant: pure. A run without a recorded end, and one without a change since, is as it is. May import protocol and the
 * files beside it only.
 */
import { MOST_NOT_LANDED, type RunSummary } from '../protocol/run.js';
import type { IdeaStatus } from '../protocol/states.js';
import type { RunStatus } from '../protocol/views.js';
import { count, countsIn, emptyCounts } from './counts.js';
import type { SummaryFile } from './facts.js';
import type { Gone, IdeaModel, RunModel } from './model.js';
import { isOff } from './reverted.js';

/** Before the first change since the end. */
export function keepEnd(idea: IdeaModel): void {
  if (idea.atEnd) return;
  const { forNext: _, lineGone: __, ...then } = idea;
  idea.atEnd = then;
}

/** The run goes on: what it was before is no end. */
export function dropEnd(model: RunModel): void {
  for (const idea of model.ideas.values()) delete idea.atEnd;
}

/** What people said since, and what the next start carries over, stays with the idea. */
export function atEnd(model: RunModel): RunModel {
  if (![...model.ideas.values()].some((idea) => idea.atEnd)) return model;
  const counts = emptyCounts();
  const ideas = new Map<string, IdeaModel>();
  for (const [id, idea] of model.ideas) {
    // Its branch has what it has now.
    const { said, moments, forNext, lineGone, commits } = idea;
    const since = { said, moments, commits, ...(forNext ? { forNext } : {}), ...(lineGone ? { lineGone } : {}) };
    const then = idea.atEnd ? { ...idea.atEnd, ...since } : idea;
    ideas.set(id, then);
    count(counts, then, 1);
  }
  return { ...model, ideas, counts };
}

/**
 * An idea that the run did not touch has no event, and the target may have moved since: the summary tells whether it had
 * landed when the run ended.
 */
export function endedAs(model: RunModel, summary: Pick<SummaryFile, 'notLanded'> | undefined): void {
  if (!summary) return;
  const open = new Map<string, IdeaStatus>(summary.notLanded.map(({ idea, status }) => [idea, status]));
  const whole = open.size < MOST_NOT_LANDED;
  for (const idea of model.ideas.values()) {
    if (idea.group) continue;
    const status = open.get(idea.id);
    const then = idea.atEnd ?? idea;
    const before = status === undefined && whole && then.since === undefined;
    if (status !== undefined && then.landedBefore) change(model, idea, { landedBefore: false, status });
    else if (before && !then.landedBefore) change(model, idea, { landedBefore: true, status: 'landed' });
  }
}

function change(model: RunModel, idea: IdeaModel, to: Pick<IdeaModel, 'landedBefore' | 'status'>): void {
  if (idea.atEnd) {
    Object.assign(idea.atEnd, to);
    idea.landedBefore = to.landedBefore;
    return;
  }
  count(model.counts, idea, -1);
  Object.assign(idea, to);
  count(model.counts, idea, 1);
}

/** A person has said since the run what the next one does with the idea: retries it, or leaves it out. */
export const isDecided = (forNext: { queued?: true; leftOut?: true } | undefined): boolean =>
  forNext?.queued === true || forNext?.leftOut === true;

/** A person has answered since the run, and the next start goes on with it. */
export const isAnswered = ({ answered, forNext, lineGone }: IdeaModel): boolean =>
  answered !== undefined && !forNext?.leftOut && lineGone === undefined;

/* The numbers of a run that is over, the same in every view. */

export interface Outcome {
  landed: number;
  /** Of those, how many had landed before this run. */
  landedBefore: number;
  /** Landed, and no longer on the target now; also what had landed before this run. */
  gone: number;
  /** Neither landed nor left out. */
  open: number;
  /** Left out by a person: skipped or given up. */
  leftOut: number;
}

/** A person has decided about these: they are no failure and wait for nobody. */
const LEFT_OUT: ReadonlySet<IdeaStatus> = new Set(['skipped', 'abandoned']);
export const isLeftOut = (status: IdeaStatus): boolean => LEFT_OUT.has(status);

/** How one idea ended. `gone`: nothing of its landed work is on the target now. */
export interface EndOf {
  status: IdeaStatus;
  landedBefore?: boolean;
  gone?: boolean;
}

/** Every view counts here. */
export function outcome(ends: Iterable<EndOf>): Outcome {
  const sum: Outcome = { landed: 0, landedBefore: 0, gone: 0, open: 0, leftOut: 0 };
  for (const { status, landedBefore, gone } of ends) {
    if (status !== 'landed') {
      if (isLeftOut(status)) sum.leftOut += 1;
      else sum.open += 1;
      continue;
    }
    sum.landed += 1;
    if (landedBefore) sum.landedBefore += 1;
    if (gone) sum.gone += 1;
  }
  return sum;
}

export const outcomeOf = ({ ideas }: RunModel): Outcome =>
  outcome(
    [...ideas.values()].flatMap((idea) => {
      const then = idea.atEnd ?? idea;
      const { status, landedBefore } = then;
      return !countsIn(then) ? [] : [{ status, landedBefore, gone: idea.off !== undefined || isOff(idea) }];
    }),
  );

/** From a summary alone, which does not know what has left the target since. */
export const outcomeOfSummary = ({ landed, landedBefore = 0, notLanded }: EndSummary): Outcome => ({
  ...outcome(notLanded),
  ...{ landed, landedBefore },
});

/** From the counts of an open run. */
export function outcomeOfStatus({ total, counts, landedBefore = 0 }: Counted): Outcome {
  const leftOut = counts.skipped + counts.abandoned;
  return { landed: counts.landed, landedBefore, gone: 0, open: total - counts.landed - leftOut, leftOut };
}

type Counted = Pick<RunStatus, 'total' | 'counts' | 'landedBefore'>;
type EndSummary = Pick<RunSummary, 'landed' | 'landedBefore' | 'notLanded'>;

/** What has changed since the run ended: ideas by what happened to them. */
export interface SinceThen {
  what: string;
  ideas: string[];
}

export function sinceThen({ ideas, order, target, endedAt }: RunModel): SinceThen[] {
  const found = new Map<string, string[]>();
  const add = (what: string, id: string): void => void found.set(what, [...(found.get(what) ?? []), id]);
  for (const id of order) {
    const idea = ideas.get(id);
    if (!idea || idea.group) continue;
    const then = idea.atEnd ?? idea;
    const { told } = idea;
    if (idea.off && then.status === 'landed' && !isOff(then) && !wasBefore(idea.off, endedAt))
      add(`no longer on ${target}`, id);
    if (idea.status === 'landed' && then.status !== 'landed') add(`on ${target} now`, id);
    if (idea.status === 'landed') continue;
    if (idea.atEnd && !idea.off && (told?.verb === 'rollback' || told?.verb === 'reset')) add('rolled back', id);
    if (idea.lineGone) add(`${idea.lineGone.ticked ? 'ticked' : 'no longer'} in ${idea.lineGone.backlog}`, id);
    else if (idea.forNext?.queued) add('queued for the next start', id);
    else if (isAnswered(idea)) add('answered', id);
    else if (idea.forNext?.givenUp) add('given up', id);
    else if (idea.forNext?.leftOut && !idea.forNext.turnedDown && !idea.off) add('left out of the next start', id);
  }
  return [...found].map(([what, ids]) => ({ what, ideas: ids }));
}

/** Somebody took it off while the run was open. Git knows the second only. */
const wasBefore = ({ at }: Gone, end: number | undefined): boolean =>
  at !== undefined && end !== undefined && at + 999 < end;

const MOST_NAMED = 5;

/** `since then: a-1 no longer on main; b-1, c-1 given up` */
export function sinceText(since: readonly SinceThen[]): string | undefined {
  const parts = since.map(({ what, ideas }) => {
    const more = ideas.length > MOST_NAMED ? ` and ${ideas.length - MOST_NAMED} more` : '';
    return `${ideas.slice(0, MOST_NAMED).join(', ')}${more} ${what}`;
  });
  return parts.length === 0 ? undefined : `since then: ${parts.join('; ')}`;
}
