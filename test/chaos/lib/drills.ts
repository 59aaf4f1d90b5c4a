/**
 * The boundaries of a run, one drill each: at every boundary every process gets SIGKILL in turn. What seeds come to now and
 * then comes here for certain (`npm run chaos -- --drills`).
 */
import { ASKED, type Episode, type Phase, type Saying, type Shock, type Target, type Trigger } from './plan.js';
import { POINTS, type PointName } from './points.js';

const EACH: readonly Target[][] = [
  ['worker'],
  ['launcher'],
  ['server'],
  ['supervisor'],
  ['supervisor', 'server', 'worker', 'launcher', 'agent'],
];

interface Drill {
  /** Where the kills come. */
  at: { point: PointName } | { phase: Phase };
  /** What a person says for it to come to that, again and again. */
  say?: { what: Saying; at: Phase };
  more?: Partial<Episode>;
}

function drills(): Record<string, Drill> {
  const all: Record<string, Drill> = {};
  for (const point of Object.keys(POINTS) as PointName[]) {
    const what = ASKED[point];
    const say = what && ({ what, at: what === 'undo' ? 'landed' : 'iteration-end' } as const);
    const onTarget = point === 'landing: fast-forward the checkout';
    all[point] = {
      at: { point },
      ...(say ? { say } : {}),
      ...(onTarget ? { more: { checkout: 'on-target' } } : {}),
    };
  }
  for (const phase of ['running', 'iteration', 'iteration-end', 'gate', 'landing', 'landed'] as const)
    all[`event: ${phase}`] = { at: { phase }, more: { rollAfter: 30 } };
  for (const what of [
    'pause-now',
    'pause-now-idea',
    'stop-idea',
    'skip-fresh',
    'abandon',
    'abort',
    'stop',
    'split',
  ] as const)
    all[`said: ${what}`] = { at: { phase: 'command' }, say: { what, at: 'iteration' } };
  all['said: pause-now, agents ended'] = {
    at: { phase: 'interrupted' },
    say: { what: 'pause-now', at: 'iteration' },
  };
  return all;
}

const ONE_WORD: ReadonlySet<Saying> = new Set(['abort', 'stop', 'split', 'rollback']);

const PLAIN: Episode = {
  ...{ seed: 0, step: 0, ideas: 6, slots: 2, shared: 0, checkout: 'elsewhere', smallDisk: false, shocks: [] },
};

function atBoundary(name: string, drill: Drill): Episode {
  const shocks: Shock[] = [];
  for (const [at, targets] of EACH.entries()) {
    const side = at % 2 === 0 ? 'before' : 'after';
    // Every other event: the one between is often that of the work which the kill has made begin anew.
    const nth = 1 + at * 2;
    const heard = drill.say && ONE_WORD.has(drill.say.what) ? at + 1 : nth;
    const when: Trigger =
      'point' in drill.at ? { point: drill.at.point, side, nth: at + 1 } : { ...drill.at, nth: heard, delayMs: 0 };
    if (drill.say)
      shocks.push({
        do: 'say',
        what: drill.say.what,
        when: on(drill.say.at, drill.say.what === 'undo' ? at + 1 : nth),
      });
    shocks.push({ do: 'kill', targets: [...targets], when });
  }
  // What is said is to come while its idea is at work.
  const slow = drill.say !== undefined && drill.say.what !== 'undo';
  return { ...PLAIN, drill: name, shocks, ...(slow ? { workMs: 4000 } : {}), ...drill.more };
}

const on = (phase: Phase, nth: number, delayMs = 0): Trigger => ({ phase, nth, delayMs });
const HOUR_MS = 3_600_000;
/** Longer than the server waits for a heartbeat. */
const LOST_MS = 25_000;

/** What is no kill: sleeps, workers that come back to life beside another one, clocks that jump. */
const OTHERS: Record<string, Partial<Episode>> = {
  'sleep: moments': {
    shocks: [
      { do: 'suspend', holdMs: 4000, when: on('iteration', 1) },
      { do: 'suspend', holdMs: 4000, when: on('gate', 2) },
      { do: 'suspend', holdMs: 4000, when: { point: 'landing: swap', side: 'after', nth: 2 } },
      { do: 'suspend', holdMs: 4000, when: on('landed', 3) },
    ],
  },
  'sleep: longer than a heartbeat may be late': {
    workMs: 2000,
    shocks: [
      { do: 'suspend', holdMs: LOST_MS, when: on('iteration', 1, 500) },
      { do: 'suspend', holdMs: LOST_MS, when: { point: 'landing: check out the candidate', side: 'after', nth: 1 } },
    ],
  },
  'zombie: worker': {
    workMs: 2000,
    shocks: [
      { do: 'freeze', targets: ['worker', 'launcher'], holdMs: LOST_MS, when: on('iteration', 1, 500) },
      { do: 'second-worker', holdMs: LOST_MS + 5000, when: on('iteration', 1, 500) },
      { do: 'freeze', targets: ['worker', 'launcher'], holdMs: LOST_MS, when: on('landing', 3) },
      { do: 'second-worker', holdMs: LOST_MS + 5000, when: on('landing', 3) },
    ],
  },
  'zombie: launcher': {
    workMs: 2000,
    shocks: [
      { do: 'freeze', targets: ['launcher'], holdMs: LOST_MS, when: on('iteration', 1, 500) },
      { do: 'freeze', targets: ['launcher'], holdMs: LOST_MS, when: on('landing', 2) },
    ],
  },
  'clock: ahead': { shocks: [{ do: 'clock', offsetMs: 30 * HOUR_MS, when: on('iteration', 1) }] },
  'clock: back': { shocks: [{ do: 'clock', offsetMs: -30 * HOUR_MS, when: on('iteration', 1) }] },
  'clock: to and fro': {
    workMs: 1000,
    shocks: [
      { do: 'clock', offsetMs: 3 * HOUR_MS, when: on('iteration', 2) },
      { do: 'clock', offsetMs: -5 * HOUR_MS, when: { point: 'landing: swap', side: 'before', nth: 1 } },
      { do: 'kill', targets: ['worker'], when: on('iteration', 6) },
      { do: 'clock', offsetMs: 50 * HOUR_MS, when: on('gate', 4) },
      { do: 'clock', offsetMs: 0, when: on('landed', 4) },
    ],
  },
};

const AT_BOUNDARIES = drills();

export const DRILLS: readonly string[] = [...Object.keys(AT_BOUNDARIES), ...Object.keys(OTHERS)];

export function planDrill(name: string): Episode {
  const drill = AT_BOUNDARIES[name];
  const other = OTHERS[name];
  if (drill) return atBoundary(name, drill);
  if (other) return { ...PLAIN, drill: name, ...other };
  throw new Error(`there is no drill "${name}"; there are: ${DRILLS.join(', ')}`);
}
