/**
 * The boundaries of a run, one drill each: at every boundary every process gets SIGKILL in turn. What seeds come to now and
 * then comes here for certain (`npm run chaos -- --drills`).
 */
import type { Episode, Phase, Saying, Shock, Target, Trigger } from './plan.js';
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

const SAID: Partial<Record<PointName, Drill['say']>> = {
  'undo: swap': { what: 'undo', at: 'landed' },
  'rollback: branch back': { what: 'rollback', at: 'iteration-end' },
  'rollback: clean': { what: 'rollback', at: 'iteration-end' },
  'cleanup: remove the worktree': { what: 'skip-cleanup', at: 'iteration-end' },
  save: { what: 'rollback', at: 'iteration-end' },
};

function drills(): Record<string, Drill> {
  const all: Record<string, Drill> = {};
  for (const point of Object.keys(POINTS) as PointName[]) {
    const say = SAID[point];
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

export const DRILLS = drills();

export function planDrill(name: string): Episode {
  const drill = DRILLS[name];
  if (!drill) throw new Error(`there is no drill "${name}"; there are: ${Object.keys(DRILLS).join(', ')}`);
  const shocks: Shock[] = [];
  for (const [at, targets] of EACH.entries()) {
    const side = at % 2 === 0 ? 'before' : 'after';
    // Every other event: the one between is often that of the work which the kill has made begin anew.
    const nth = 1 + at * 2;
    const heard = drill.say && ONE_WORD.has(drill.say.what) ? at + 1 : nth;
    const when: Trigger =
      'point' in drill.at ? { point: drill.at.point, side, nth: at + 1 } : { ...drill.at, nth: heard, delayMs: 0 };
    if (drill.say) shocks.push({ do: 'say', what: drill.say.what, when: { phase: drill.say.at, nth, delayMs: 0 } });
    shocks.push({ do: 'kill', targets: [...targets], when });
  }
  return {
    ...{
      drill: name,
      seed: 0,
      step: 0,
      ideas: 6,
      slots: 2,
      shared: 0,
      checkout: 'elsewhere',
      smallDisk: false,
      shocks,
    },
    // What is said is to come while its idea is at work.
    ...(drill.say && drill.say.what !== 'undo' ? { workMs: 4000 } : {}),
    ...drill.more,
  };
}
