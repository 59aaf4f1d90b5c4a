/** The branch that ideas land on in a random world: one landing at a time, some of which do not go through. */
import type { Autopilot } from '../../../src/decide/run/autopilot.js';
import type { KeptPlace } from '../../../src/protocol/git-work.js';
import { conflictResult, landedResult } from './support.js';

/** After so many bounces an idea lands, so that every world comes to an end. */
const MOST_BOUNCES = 6;

export class Target {
  /** Ideas that have landed, in order. */
  readonly landings: string[] = [];
  /** Ideas whose landing has begun, since they were last at work. */
  readonly tried = new Set<string>();
  landing: string | undefined;
  readonly #random: (below: number) => number;
  readonly #bounces = new Map<string, number>();
  /** What becomes of the landing under way. Every copy of the autopilot has to hear the same. */
  #fate = 0;
  /** It touches the files of this place. */
  #behind: KeptPlace | undefined;
  /** Landings that waited behind a place. */
  waits = 0;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  begin(idea: string, places: readonly KeptPlace[]): void {
    if (this.landing !== undefined) throw new Error(`${idea} lands while ${this.landing} does`);
    this.landing = idea;
    this.tried.add(idea);
    this.#behind = this.#random(2) === 0 ? places[this.#random(places.length || 1)] : undefined;
    this.#fate = (this.#bounces.get(idea) ?? 0) < MOST_BOUNCES ? this.#random(6) : 5;
  }

  finish(pilot: Autopilot, idea: string): void {
    if (this.#behind) {
      const { idea: behind, files } = this.#behind;
      pilot.landed(idea, { kind: 'waits-place', behind, files, durationMs: 1 });
    } else if (this.#fate < 2) pilot.landed(idea, conflictResult());
    else if (this.#fate === 2) pilot.landingFailed(idea, 'disk full');
    else pilot.landed(idea, landedResult());
  }

  /** Books the landing once everybody has heard of it. */
  over(): void {
    const idea = this.landing ?? '';
    this.landing = undefined;
    if (this.#behind) this.waits += 1;
    else if (this.#fate > 2) this.landings.push(idea);
    else this.#bounces.set(idea, (this.#bounces.get(idea) ?? 0) + 1);
  }
}
