/**
 * Gate 4, duplicates: of open work, of recently closed work, and of other reports in the same triage. Of those reports
 * the one with the highest score stays.
 * Invariant: the order of the reports does not change the result. An index selects the pairs to compare, so the cost
 * stays far below all pairs.
 */
import type { KnownWork } from '../../protocol/triage.js';
import { type Alike, alike, SAME } from './alike.js';
import { weightOfConcept } from './concepts.js';
import type { Features } from './features.js';
import type { Slices } from './slices.js';

export interface Candidate {
  id: string;
  score: number;
  created: string;
  features: Features;
  /** A person accepted it, so it stays even as a duplicate. */
  stays: boolean;
}

export interface KnownFeatures {
  work: KnownWork;
  features: Features;
}

export interface Repeats {
  of: string;
  kind: 'open' | 'closed' | 'held' | 'report';
  alike: Alike;
}

/** Duplicate reports, by id. */
export function* duplicates(
  reports: readonly Candidate[],
  known: readonly KnownFeatures[],
): Slices<Map<string, Repeats>> {
  const weight = weigher([...reports, ...known].map(({ features }) => features));
  const index = new Index(weight);
  for (const { work, features } of [...known].sort((a, b) => compare(a.work.id, b.work.id)))
    index.add({ id: work.id, kind: work.state, created: work.created, features });
  const found = new Map<string, Repeats>();
  for (const report of [...reports].sort(byRank)) {
    yield;
    const nearest = report.stays ? undefined : index.nearest(report.features, report.created);
    if (nearest) found.set(report.id, nearest);
    else index.add({ id: report.id, kind: 'report', features: report.features });
  }
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts the report that stays first: accepted, then higher score, then older, then by id. */
const byRank = (a: Candidate, b: Candidate): number =>
  Number(b.stays) - Number(a.stays) || b.score - a.score || compare(a.created, b.created) || compare(a.id, b.id);

const LEAST_FOR_SHARES = 20;

/** A concept in a fifth of all reports, such as the name of the program, gets a low weight. */
function weigher(all: readonly Features[]): (concept: string) => number {
  const counts = new Map<string, number>();
  for (const { concepts } of all) for (const one of concepts) counts.set(one, (counts.get(one) ?? 0) + 1);
  const frequent = (concept: string): boolean =>
    all.length >= LEAST_FOR_SHARES && (counts.get(concept) ?? 0) > all.length / 5;
  return (concept) => (frequent(concept) ? 0.2 : weightOfConcept(concept));
}

interface Entry {
  id: string;
  kind: Repeats['kind'];
  /** Of closed work, where it is known: ISO time. */
  created?: string | undefined;
  features: Features;
}

/** Compares entries that share an error or enough concepts, the likeliest first, up to this many. */
const MOST_COMPARED = 50;

class Index {
  readonly #entries: Entry[] = [];
  readonly #byTerm = new Map<string, number[]>();

  constructor(private readonly weight: (concept: string) => number) {}

  add(entry: Entry): void {
    const at = this.#entries.push(entry) - 1;
    for (const term of terms(entry.features)) {
      const list = this.#byTerm.get(term);
      if (list) list.push(at);
      else this.#byTerm.set(term, [at]);
    }
  }

  /** `created`: of the report that asks; empty: unknown. */
  nearest(features: Features, created: string): Repeats | undefined {
    const shared = new Map<number, number>();
    for (const term of terms(features)) {
      const weight = term.startsWith('!') ? 5 : this.weight(term);
      for (const at of this.#byTerm.get(term) ?? []) shared.set(at, (shared.get(at) ?? 0) + weight);
    }
    const likely = [...shared]
      .filter(([, weight]) => weight >= 1.2)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, MOST_COMPARED);
    let best: Repeats | undefined;
    for (const [at] of likely) {
      const entry = this.#entries[at];
      if (!entry || isLater(entry.created, created)) continue;
      const found = alike(features, entry.features, this.weight);
      if (found.likeness < SAME) continue;
      if (!best || found.likeness > best.alike.likeness) best = { of: entry.id, kind: entry.kind, alike: found };
    }
    return best;
  }
}

const isLater = (one = '', than: string): boolean => Date.parse(one) > Date.parse(than);

const terms = ({ errors, concepts }: Features): string[] => [...[...errors].map((error) => `!${error}`), ...concepts];
