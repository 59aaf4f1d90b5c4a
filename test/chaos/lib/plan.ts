/**
 * What goes wrong in an episode, and when. Invariant: a pure function of seed and step, so that a violation can be run
 * again; triggers are places in the run (its event file), not times, as far as a run can be steered that way.
 */

export type Target = 'worker' | 'server' | 'supervisor' | 'launcher' | 'agent';
export type Phase = 'running' | 'iteration' | 'iteration-end' | 'gate' | 'landing' | 'landed' | 'bounced';

export type Shock =
  | { do: 'kill'; targets: Target[]; when: Trigger }
  /** SIGSTOP, and SIGCONT after a while. */
  | { do: 'freeze'; targets: Target[]; when: Trigger; holdMs: number }
  | { do: 'second-worker'; when: Trigger; holdMs: number }
  | { do: 'disk-full'; when: Trigger; holdMs: number }
  | { do: 'pause-resume'; when: Trigger; times: number };

/** The nth event of a kind in the run, then so many milliseconds. */
export interface Trigger {
  phase: Phase;
  nth: number;
  delayMs: number;
}

export interface Episode {
  seed: number;
  step: number;
  ideas: number;
  slots: number;
  /** Ideas that write to the same file, so that landings conflict. */
  shared: number;
  /** Where the user's checkout is: on the target and clean, or on a branch of its own with edits. */
  checkout: 'on-target' | 'elsewhere';
  /** The state folder is a small file system of its own. */
  smallDisk: boolean;
  shocks: Shock[];
}

export interface PlanOptions {
  /** A small file system can be mounted here. */
  canMount: boolean;
  /** Few ideas and shocks, for the part that runs in CI. */
  short?: boolean;
}

/** mulberry32: small, fast, the same everywhere. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PHASES: readonly Phase[] = ['running', 'iteration', 'iteration-end', 'gate', 'landing', 'landed', 'bounced'];
const TARGETS: readonly Target[] = ['worker', 'server', 'supervisor', 'launcher', 'agent'];

export function planEpisode(seed: number, step: number, options: PlanOptions): Episode {
  const next = random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const ideas = options.short ? whole(4, 5) : whole(4, 9);
  const smallDisk = options.canMount && next() < 0.15;
  const trigger = (): Trigger => ({
    phase: pick(PHASES),
    nth: whole(1, Math.max(2, Math.floor(ideas / 2))),
    // Half of the shocks come at the boundary itself, the others somewhere in the phase.
    delayMs: next() < 0.5 ? 0 : whole(1, 400),
  });
  const targets = (): Target[] => {
    // Both at once is what a power cut looks like.
    if (next() < 0.15) return ['supervisor', 'server', 'worker', 'launcher', 'agent'];
    if (next() < 0.15) return ['worker', 'server'];
    return [pick(TARGETS)];
  };
  const shock = (): Shock => {
    const dice = next();
    if (dice < 0.6) return { do: 'kill', targets: targets(), when: trigger() };
    // Longer than the heartbeat time-out now and then: then the frozen one is given up and comes back to life.
    const long = !options.short && next() < 0.15;
    if (dice < 0.82) {
      return { do: 'freeze', targets: [pick(TARGETS)], when: trigger(), holdMs: long ? 26_000 : whole(200, 5000) };
    }
    if (dice < 0.92) return { do: 'second-worker', when: trigger(), holdMs: whole(500, 5000) };
    return { do: 'pause-resume', when: trigger(), times: whole(1, 20) };
  };
  const shocks = Array.from({ length: options.short ? 2 : whole(1, 5) }, shock);
  if (smallDisk) shocks.push({ do: 'disk-full', when: trigger(), holdMs: whole(500, 4000) });
  return {
    seed,
    step,
    ideas,
    slots: whole(2, 4),
    shared: whole(0, 3),
    checkout: pick(['on-target', 'elsewhere'] as const),
    smallDisk,
    shocks,
  };
}

export const describeShock = (shock: Shock): string => {
  const { phase, nth, delayMs } = shock.when;
  const what = 'targets' in shock ? `${shock.do} ${shock.targets.join('+')}` : shock.do;
  const held = 'holdMs' in shock ? ` for ${shock.holdMs} ms` : '';
  return `${what}${held} at ${phase} #${nth}${delayMs > 0 ? ` + ${delayMs} ms` : ''}`;
};
