/**
 * What goes wrong in an episode, and when. Invariant: a pure function of seed and step, so that a violation can be run
 * again; triggers are places in the run (its event file, its git commands), not times, as far as a run can be steered so.
 */
import { POINTS, type PointName, type Side } from './points.js';

export type Target = 'worker' | 'server' | 'supervisor' | 'launcher' | 'agent';
export const TARGETS: readonly Target[] = ['worker', 'server', 'supervisor', 'launcher', 'agent'];
export const PHASES = [
  'running',
  'iteration',
  'iteration-end',
  'gate',
  'landing',
  'landed',
  'bounced',
  'command',
  'interrupted',
] as const;
export type Phase = (typeof PHASES)[number];

/** What a person says in the middle of it all; every one of them ends, by and by, with all ideas landed. */
export const SAYINGS = [
  'pause-now',
  'pause-now-idea',
  'rollback',
  'undo',
  'stop-idea',
  'skip-fresh',
  'skip-cleanup',
  'abandon',
  'abort',
  'stop',
  'split',
] as const;
export type Saying = (typeof SAYINGS)[number];

export type Shock =
  | { do: 'kill'; targets: Target[]; when: Trigger }
  /** SIGSTOP, and SIGCONT after a while. */
  | { do: 'freeze'; targets: Target[]; when: Trigger; holdMs: number }
  /** Every process of ralphctl and of its agents at once, as when the machine sleeps. */
  | { do: 'suspend'; when: Trigger; holdMs: number }
  | { do: 'second-worker'; when: Trigger; holdMs: number }
  | { do: 'disk-full'; when: Trigger; holdMs: number }
  | { do: 'pause-resume'; when: Trigger; times: number }
  | { do: 'say'; what: Saying; when: Trigger }
  /** The wall clock of every Node process jumps to so much off the true time. */
  | { do: 'clock'; when: Trigger; offsetMs: number };

/** The nth event of a kind in the run, then so many milliseconds; or the nth git command of a kind, which waits for it. */
export type Trigger = { phase: Phase; nth: number; delayMs: number } | { point: PointName; side: Side; nth: number };

export interface Episode {
  /** Its name, where it is none of the seeded ones. */
  drill?: string;
  seed: number;
  step: number;
  ideas: number;
  slots: number;
  /** Ideas that write to the same file, so that landings conflict. */
  shared: number;
  /** How long each agent works; 200 ms when absent. */
  workMs?: number;
  /** Where the user's checkout is: on the target and clean, or on a branch of its own with edits. */
  checkout: 'on-target' | 'elsewhere';
  /** The state folder is a small file system of its own. */
  smallDisk: boolean;
  /** The server asks workflows to continue as new after so many events, instead of thousands. */
  rollAfter?: number;
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

const HOUR_MS = 3_600_000;
/** `split` replaces an idea for good, which a later start would not know: only where nothing ends the run. */
const ANYTIME = SAYINGS.filter((what) => what !== 'split');

/** Places that a run comes to only when a person says so. */
export const ASKED: Partial<Record<PointName, Saying>> = {
  'undo: swap': 'undo',
  'rollback: branch back': 'rollback',
  'rollback: clean': 'rollback',
  'cleanup: remove the worktree': 'skip-cleanup',
  save: 'rollback',
};

export function planEpisode(seed: number, step: number, options: PlanOptions): Episode {
  const next = random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const ideas = options.short ? whole(4, 5) : whole(4, 9);
  const smallDisk = options.canMount && next() < 0.15;
  const trigger = (): Trigger => {
    const nth = whole(1, Math.max(2, Math.floor(ideas / 2)));
    if (next() < 0.35) return { point: pick(Object.keys(POINTS) as PointName[]), side: pick(['before', 'after']), nth };
    // Half of the others come at the boundary itself, the rest somewhere in the phase.
    return { phase: pick(PHASES), nth, delayMs: next() < 0.5 ? 0 : whole(1, 400) };
  };
  const targets = (): Target[] => {
    // All at once is what a power cut looks like.
    if (next() < 0.15) return ['supervisor', 'server', 'worker', 'launcher', 'agent'];
    if (next() < 0.15) return ['worker', 'server'];
    return [pick(TARGETS)];
  };
  const shock = (): Shock => {
    const dice = next();
    if (dice < 0.5) return { do: 'kill', targets: targets(), when: trigger() };
    // Longer than the heartbeat time-out now and then: then the frozen one is given up and comes back to life.
    const long = !options.short && next() < 0.15;
    const holdMs = long ? 26_000 : whole(200, 5000);
    if (dice < 0.65) return { do: 'freeze', targets: [pick(TARGETS)], when: trigger(), holdMs };
    if (dice < 0.71) return { do: 'suspend', when: trigger(), holdMs };
    if (dice < 0.78) return { do: 'second-worker', when: trigger(), holdMs: whole(500, 5000) };
    if (dice < 0.84) return { do: 'clock', when: trigger(), offsetMs: whole(-30, 30) * HOUR_MS };
    if (dice < 0.94) return { do: 'say', what: pick(ANYTIME), when: trigger() };
    return { do: 'pause-resume', when: trigger(), times: whole(1, 20) };
  };
  const shocks = Array.from({ length: options.short ? 2 : whole(1, 5) }, shock);
  // What nobody asks for is never come to.
  const asked = shocks.flatMap(({ when }): Saying[] => {
    const what = 'point' in when ? ASKED[when.point] : undefined;
    return what === undefined ? [] : [what];
  });
  for (const what of asked)
    shocks.push({ do: 'say', what, when: { phase: 'iteration-end', nth: whole(1, 3), delayMs: 0 } });
  if (smallDisk) shocks.push({ do: 'disk-full', when: trigger(), holdMs: whole(500, 4000) });
  const rolls = next() < 0.3;
  return {
    ...{ seed, step, ideas, slots: whole(2, 4), shared: whole(0, 3) },
    checkout: pick(['on-target', 'elsewhere'] as const),
    smallDisk,
    ...(rolls ? { rollAfter: whole(30, 60) } : {}),
    workMs: pick([200, 200, 1500, 3000]),
    shocks,
  };
}

const describeTrigger = (when: Trigger): string =>
  'point' in when
    ? `${when.side} "${when.point}" #${when.nth}`
    : `at ${when.phase} #${when.nth}${when.delayMs > 0 ? ` + ${when.delayMs} ms` : ''}`;

export const describeShock = (shock: Shock): string => {
  const more = 'targets' in shock ? ` ${shock.targets.join('+')}` : 'what' in shock ? ` ${shock.what}` : '';
  const held = 'holdMs' in shock ? ` for ${shock.holdMs} ms` : '';
  const off = 'offsetMs' in shock ? ` to ${shock.offsetMs / HOUR_MS} h off` : '';
  return `${shock.do}${more}${held}${off} ${describeTrigger(shock.when)}`;
};
