/**
 * What `ralphctl triage` judges of the reports of a tracker.
 * Invariant: the same reports as the waves of a run, compared with the same work. Pure.
 */
import { keptBack } from '../../decide/triage/kept-back.js';
import type { BugReport, KnownWork } from '../../protocol/triage.js';
import type { TrackedReports } from './source.js';

export interface ToJudge {
  reports: BugReport[];
  known: KnownWork[];
  /** Open reports that no run takes. */
  leftOut: { id: string; title: string; why: string }[];
}

const NOW = { open: 'it is under way', closed: 'it has landed', held: 'a label keeps it back' } as const;

/** `known`: ideas of this project that run or have landed. */
export function toJudge(
  all: readonly BugReport[],
  { ideas, leftOut, held }: Pick<TrackedReports, 'ideas' | 'leftOut' | 'held'>,
  known: readonly KnownWork[],
): ToJudge {
  const states = new Map(known.map(({ id, state }) => [id, state]));
  const taken = new Set<string>();
  const over: ToJudge['leftOut'] = [];
  for (const { id, title, origin } of ideas) {
    if (!origin) continue;
    const state = states.get(id);
    if (state === undefined) taken.add(origin.ref);
    else over.push({ id: origin.ref, title, why: `${NOW[state]} as ${id}` });
  }
  const kept = keptBack(all, new Set(held), (id) => ideas.some(({ origin }) => origin?.ref === id));
  return {
    reports: all.filter(({ id, state }) => state === 'closed' || taken.has(id)),
    known: [...known, ...kept],
    leftOut: [...leftOut.map(({ ref: id, title, why }) => ({ id, title, why })), ...over],
  };
}
