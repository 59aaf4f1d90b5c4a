/**
 * Which reports a wave takes (E1, E4): T1 and T2 by score, then T3; a small backlog by score alone.
 * Invariant: pure. Takes none twice, none that the run has, and none before what it depends on. May import protocol and
 * decide only.
 */
import type { Tier } from '../../protocol/triage.js';
import { inOrder } from '../triage/tier.js';

export interface Candidate {
  id: string;
  tier: Tier;
  score: number;
  dependsOn: readonly string[];
}

export interface Chosen<T> {
  taken: T[];
  /** Candidates that a later wave can take. */
  left: number;
}

/**
 * `known`: ideas that the run has. `done`: ideas that have landed. A dependency that is neither here nor a candidate is
 * nobody's: it holds nothing up.
 */
export function chooseWave<T extends Candidate>(
  candidates: readonly T[],
  { most, known, done }: { most: number; known: ReadonlySet<string>; done: ReadonlySet<string> },
): Chosen<T> {
  const open = inOrder(candidates.filter(({ id }) => !known.has(id) && !done.has(id)));
  const ids = new Set(open.map(({ id }) => id));
  const taken = new Map<string, T>();
  const waits = ({ dependsOn }: T): boolean =>
    dependsOn.some((id) => !done.has(id) && !taken.has(id) && (ids.has(id) || known.has(id)));
  while (taken.size < most) {
    const next = open.find((one) => !taken.has(one.id) && !waits(one));
    if (!next) break;
    taken.set(next.id, next);
  }
  return { taken: [...taken.values()], left: ids.size - taken.size };
}
