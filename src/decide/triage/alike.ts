/** Compares two reports for the same bug by error signature, component and symptom. Titles alone never decide. */
import { isPart, weightOfConcept } from './concepts.js';
import type { Features } from './features.js';

export interface Alike {
  /** 0 to 1; `SAME` or more means a duplicate. */
  likeness: number;
  /** The shared evidence, for the reason text. */
  by: 'error' | 'symptom';
  shared: string[];
}

export const SAME = 0.5;

export function alike(a: Features, b: Features, weight: (concept: string) => number = weightOfConcept): Alike {
  const words = likeness(a.concepts, b.concepts, weight);
  const shared = common(a.concepts, b.concepts);
  const places = common(a.places, b.places);
  const errors = common(a.errors, b.errors);
  const frames = common(a.frames, b.frames);
  const elsewhere = (a.frames.size > 0 && b.frames.size > 0 && frames.length === 0) || conflict(a.places, b.places);
  const messages = errors.filter(isMessage);
  if (messages.length > 0 && !elsewhere) {
    const near = frames.length > 0 || places.length > 0 || words >= 0.12 || messages.some((one) => one.length >= 45);
    if (near) return { likeness: Math.max(0.9, words), by: 'error', shared: messages };
  }
  // Different bugs of one page share its parts; duplicates also share the symptom.
  const symptom = shared.filter((one) => !isPart(one)).reduce((sum, one) => sum + weight(one), 0);
  const partsOnly = symptom < 0.8 ? 0.5 : 1;
  // Each report names an error, and the errors differ.
  const named = (one: Features): boolean => [...one.errors].some(isMessage);
  const apart = named(a) && named(b) && messages.length === 0 ? 0.6 : 1;
  const bonus = Math.min(0.2, places.length * 0.06 + (words >= 0.25 ? errors.length * 0.2 : 0));
  return { likeness: Math.min(1, (words + bonus) * apart * partsOnly * (elsewhere ? 0.6 : 1)), by: 'symptom', shared };
}

/** Long enough to be more than a code or the name of an exception. */
const isMessage = (error: string): boolean => error.length >= 20;

const common = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((one) => b.has(one));

/** Whether both name routes or files but share none. */
function conflict(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const routes = (places: ReadonlySet<string>): string[] => [...places].filter((place) => place.startsWith('/'));
  const [mine, other] = [routes(a), routes(b)];
  return mine.length > 0 && other.length > 0 && !mine.some((place) => other.includes(place));
}

/** The fraction of the smaller set that both share, reduced for small sets. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>, weight: (concept: string) => number): number {
  const sum = (concepts: Iterable<string>): number => {
    let total = 0;
    for (const concept of concepts) total += weight(concept);
    return total;
  };
  const shared = sum(common(a, b));
  const [small, large] = [sum(a), sum(b)].sort((x, y) => x - y) as [number, number];
  if (small === 0) return 0;
  const contained = shared / small;
  const both = (2 * shared) / (small + large);
  const enough = Math.min(1, shared / 3.5);
  return ((contained + both) / 2) * enough;
}
