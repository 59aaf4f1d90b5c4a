/**
 * Assigns each idea to one of the five parts of the run's bar.
 * Invariant: each idea counts in exactly one part, but for groups and for what is only ticked. May import protocol types only.
 */
import type { IdeaStatus } from '../protocol/states.js';
import type { Counts, IdeaModel, RunModel } from './model.js';

export type Part = 'landed' | 'landing' | 'working' | 'needYou' | 'todo' | 'skipped' | 'takenOff';

const PART: Readonly<Record<IdeaStatus, Part>> = {
  pending: 'todo',
  running: 'working',
  paused: 'todo',
  'needs-human': 'needYou',
  'wants-slot': 'todo',
  landing: 'landing',
  landed: 'landed',
  blocked: 'needYou',
  timeout: 'needYou',
  failed: 'needYou',
  skipped: 'skipped',
  abandoned: 'skipped',
};

/** What a person did after the run, by a command or in the backlog, overrides the status. */
export function partOf({
  status,
  approval,
  forNext,
  off,
  lineGone,
}: Pick<IdeaModel, 'status' | 'forNext' | 'off' | 'lineGone'> & { approval?: boolean }): Part {
  if (status === 'landed') return 'landed';
  // No start runs it.
  if (lineGone) return off ? 'takenOff' : 'skipped';
  // A person left it at that.
  if (forNext?.leftOut) return off && !forNext.givenUp ? 'takenOff' : 'skipped';
  if (forNext?.queued) return 'todo';
  // No start runs it until a person has decided.
  if (off) return off.stays ? 'needYou' : 'todo';
  return approval ? 'needYou' : PART[status];
}

export const emptyCounts = (): Counts => ({
  total: 0,
  landed: 0,
  landing: 0,
  working: 0,
  needYou: 0,
  todo: 0,
  skipped: 0,
  takenOff: 0,
});

/** What is only ticked has not landed on this target, and is nothing to do either. The rule of the run (`isCounted`). */
export const countsIn = ({ group, landedBefore, onlyTicked }: IdeaModel): boolean =>
  !group && !(landedBefore && onlyTicked);

/** Adds (`by` 1) or removes (`by` -1) an idea. */
export function count(counts: Counts, idea: IdeaModel, by: 1 | -1): void {
  if (!countsIn(idea)) return;
  counts.total += by;
  counts[partOf(idea)] += by;
}

/** These are only ticked, of those that had landed before. */
export function takeTicked(model: RunModel, ticked: ReadonlySet<string>): void {
  for (const idea of model.ideas.values()) {
    count(model.counts, idea, -1);
    if (ticked.has(idea.id)) idea.onlyTicked = true;
    else delete idea.onlyTicked;
    count(model.counts, idea, 1);
  }
}

/** An epic has landed when all of its ideas have. An idea that no backlog contains blocks nothing. */
export function hasLanded(ideas: ReadonlyMap<string, IdeaModel>, id: string, seen = new Set<string>()): boolean {
  const idea = ideas.get(id);
  if (!idea || seen.has(id)) return true;
  seen.add(id);
  return idea.group ? idea.children.every((one) => hasLanded(ideas, one, seen)) : idea.status === 'landed';
}

/** Progress of a group over all levels: done of total. */
export function groupProgress(ideas: ReadonlyMap<string, IdeaModel>, id: string): { done: number; total: number } {
  const seen = new Set<string>();
  const open = [id];
  const sum = { done: 0, total: 0 };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const child of ideas.get(next)?.children ?? []) {
      const idea = ideas.get(child);
      if (idea?.group) open.push(child);
      else if (idea) {
        sum.total += 1;
        if (idea.status === 'landed') sum.done += 1;
      }
    }
  }
  return sum;
}
