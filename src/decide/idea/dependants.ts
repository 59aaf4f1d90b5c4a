/**
 * Who depends on a landed idea that a person takes off its target, and what becomes of them. For commands and for the
 * question before them.
 * Invariant: pure. Names those that depend on the idea or on an epic above it, by themselves or through an epic above them.
 * May import protocol types only.
 */
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus } from '../../protocol/states.js';

export interface Dependant {
  id: string;
  dependsOn: readonly string[];
  parent?: string | undefined;
  /** An epic: its ideas stand for it. */
  group: boolean;
  status: IdeaStatus;
  /** No start runs it before a retry. */
  leftOut?: boolean | undefined;
}

/** Their work has begun: it is not undone. */
const WORKS: ReadonlySet<IdeaStatus> = new Set(['running', 'paused', 'needs-human', 'wants-slot', 'landing']);
const OUT: ReadonlySet<IdeaStatus> = new Set(['skipped', 'abandoned']);

/** `; b-1 depends on it and stays landed; c-1 waits until a-1 lands again`, or nothing. `over`: no run is open. */
export function dependantsText(idea: string, ideas: readonly Dependant[], { over = false } = {}): string {
  const found = dependantsOf(idea, ideas).filter(({ status, leftOut }) => !OUT.has(status) && !leftOut);
  const landed = found.filter(({ status }) => status === 'landed');
  const working = over ? [] : found.filter(({ status }) => WORKS.has(status));
  const waiting = found.filter((one) => !landed.includes(one) && !working.includes(one));
  return [
    said(landed, 'depends on it and stays landed', 'depend on it and stay landed'),
    said(working, 'depends on it and goes on', 'depend on it and go on'),
    said(waiting, `waits until ${idea} lands again`, `wait until ${idea} lands again`),
  ].join('');
}

type Link = Pick<Dependant, 'id' | 'dependsOn' | 'parent' | 'group'>;

/** An idea and the epics above it. */
function climb<L extends Link>(ideas: readonly L[]): (id: string | undefined) => L[] {
  const byId = new Map(ideas.map((one) => [one.id, one]));
  return (id) => {
    const all = new Set<L>();
    for (let at = byId.get(id ?? ''); at && !all.has(at); at = byId.get(at.parent ?? '')) all.add(at);
    return [...all];
  };
}

function dependantsOf(idea: string, ideas: readonly Dependant[]): Dependant[] {
  const upFrom = climb(ideas);
  // An epic is done when all its ideas are.
  const undone = new Set(upFrom(idea).map(({ id }) => id));
  return ideas.filter(
    ({ id, group }) =>
      !group && id !== idea && upFrom(id).some(({ dependsOn }) => dependsOn.some((one) => undone.has(one))),
  );
}

/** Landed ideas that need this one, by what they depend on. */
export const landedDependants = (idea: string, ideas: readonly Dependant[]): string[] =>
  dependantsOf(idea, ideas).flatMap(({ id, status }) => (status === 'landed' ? [id] : []));

/** `: b-1, c-1`, or nothing. */
export function namedFirst(ids: readonly string[]): string {
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return ids.length === 0 ? '' : `: ${ids.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** In an open run. */
export const dependantsIn = (idea: string, entries: readonly IdeaEntry[]): string =>
  dependantsText(idea, entries.map(asDependant));

export const landedDependantsIn = (idea: string, entries: readonly IdeaEntry[]): string[] =>
  landedDependants(idea, entries.map(asDependant));

const asDependant = ({ card: { id, dependsOn = [], parent, blue }, status }: IdeaEntry): Dependant => {
  return { id, dependsOn, parent, group: blue === true, status };
};

const MOST_NAMED = 5;

function said(some: readonly Dependant[], one: string, many: string): string {
  if (some.length === 0) return '';
  const more = some.length > MOST_NAMED ? ` and ${some.length - MOST_NAMED} more` : '';
  const names = some
    .slice(0, MOST_NAMED)
    .map(({ id }) => id)
    .join(', ');
  return `; ${names}${more} ${some.length === 1 ? one : many}`;
}
