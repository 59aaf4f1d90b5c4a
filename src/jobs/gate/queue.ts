/**
 * The order in which ideas are expected to land: those that claim to be done, from their gate to their landing.
 * Invariant: a prediction in memory that decides nothing. A wrong or lost one costs a gate at the landing.
 */

/** What would land if everything ahead of it lands first. */
export interface Predicted {
  onto: string;
  commit: string;
  tree: string;
  /** Its files are those of the idea's branch, but for the tick. */
  own: boolean;
}

export interface Member {
  readonly idea: string;
  /** `out`: it is not going to land as it is. */
  state: 'gating' | 'green' | 'landed' | 'out';
  /** Its gate is over. */
  readonly settled: Promise<void>;
  /** Makes its commit on another one; undefined: that conflicts. */
  build: (dir: string, onto: { commit: string; tree: string }) => Promise<Predicted | undefined>;
}

interface Kept extends Member {
  settle: () => void;
  /** Landings behind it that came first. */
  overtaken: number;
}

/** One that does not land after so many others is waiting for something else. */
const MOST_OVERTAKEN = 3;

export class LandingForecast {
  #members: Kept[] = [];

  join(idea: string, build: Member['build']): Member {
    this.leave(idea, false);
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const member: Kept = { idea, state: 'gating', settled, settle, build, overtaken: 0 };
    this.#members.push(member);
    return member;
  }

  /** In the order in which they are expected to land. */
  ahead(of: Member): Member[] {
    const all: readonly Member[] = this.#members;
    return all.slice(0, Math.max(0, all.indexOf(of)));
  }

  /** Its gate is over. */
  settle(member: Member, green: boolean): void {
    if (member.state === 'gating') member.state = green ? 'green' : 'out';
    const kept = this.#members.find((one) => one === member);
    kept?.settle();
    if (member.state === 'out') this.#drop(member);
  }

  /** Its landing is over. */
  leave(idea: string, landed: boolean): void {
    const at = this.#members.findIndex((one) => one.idea === idea);
    const member = this.#members[at];
    if (!member) return;
    member.state = landed ? 'landed' : 'out';
    member.settle();
    this.#drop(member);
    if (!landed) return;
    for (const one of this.#members.slice(0, at)) {
      one.overtaken += 1;
      if (one.state === 'green' && one.overtaken >= MOST_OVERTAKEN) {
        one.state = 'out';
        this.#drop(one);
      }
    }
  }

  #drop(member: Member): void {
    this.#members = this.#members.filter((one) => one !== member);
  }
}

const forecasts = new Map<string, LandingForecast>();

/** Of one target in one run. */
export function forecastOf(commonDir: string, target: string, runId: string): LandingForecast {
  const key = `${commonDir}:${target}:${runId}`;
  const known = forecasts.get(key) ?? new LandingForecast();
  forecasts.set(key, known);
  return known;
}

/*
 * Integration worktrees for gates of what will land, lent one by one.
 */

const lent = new Map<string, Set<number>>();

/** The lowest free number from 1; undefined: all are taken. Give it back with {@link giveBack}. */
export function takePlace(commonDir: string, most: number): number | undefined {
  const taken = lent.get(commonDir) ?? new Set();
  lent.set(commonDir, taken);
  for (let number = 1; number <= most; number++)
    if (!taken.has(number)) {
      taken.add(number);
      return number;
    }
  return undefined;
}

export const giveBack = (commonDir: string, number: number): void => void lent.get(commonDir)?.delete(number);
