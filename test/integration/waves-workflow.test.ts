/**
 * Waves in the real workflows on the real server: they continue as new, are paused, stopped and lose their worker, and
 * every idea of every wave is worked on once. Features: E1 E2 A1 C1.
 */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.js';
import { ABORT, PAUSE, RESUME, STATUS, STOP } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import type { PlanWaveInput } from '../../src/protocol/waves.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World, type WorldOptions } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const open = async (options: Omit<WorldOptions, 'cards'>): Promise<World> => {
  world = await World.open(inject('address'), { cards: [], ...options });
  return world;
};
const status = (): Promise<RunStatus> => world.autopilot.query<RunStatus>(STATUS);
const waves = (state: string) =>
  world.told.filter(
    (event): event is Extract<RunEvent, { kind: 'wave' }> => event.kind === 'wave' && event.state === state,
  );

/** Two ideas for each wave, named after it. */
const pairs = (asked: PlanWaveInput[]) => (input: PlanWaveInput) => {
  asked.push(input);
  return Promise.resolve(cardsOf(`w${input.wave}-a`, `w${input.wave}-b`));
};

describe('E1 a run with waves', () => {
  it('continues as new again and again, and works on every idea of three waves once, one after another', async () => {
    const asked: PlanWaveInput[] = [];
    await open({
      plan: pairs(asked),
      agent: ({ iteration }) => Promise.resolve(iteration < 3 ? 'progress' : 'complete'),
    });
    await world.start({ settings: settings({ slots: 1, waves: { maxWaves: 3, batchSize: 2 } }), maxHistory: 60 });
    const summary = await world.result();
    const all = [1, 2, 3].flatMap((n) => [`w${n}-a`, `w${n}-b`]);
    expect([...world.landed].sort()).toEqual(all);
    expect([...world.prepared.values()]).toEqual(all.map(() => 1));
    expect([world.most, world.wrongs]).toEqual([1, []]);
    expect(summary).toMatchObject({ outcome: 'completed', landed: 6, notLanded: [] });
    expect(summary.status.waves).toMatchObject({ wave: 3, of: 3, phase: 'over', end: 'max-waves' });
    expect(summary.status.waves?.done.map(({ wave, passed }) => [wave, passed])).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
    // Each plan knows what the run has already.
    expect(asked.map(({ wave, most, known }) => [wave, most, known.length])).toEqual([
      [1, 2, 0],
      [2, 2, 2],
      [3, 2, 4],
    ]);
    expect((await world.executions()).filter(({ type }) => type === 'autopilot').length).toBeGreaterThan(1);
  });

  it('E2 ends after two waves without a success, and plans no third one', async () => {
    const asked: PlanWaveInput[] = [];
    await open({ plan: pairs(asked), agent: () => Promise.resolve('failed') });
    await world.start({ settings: settings({ slots: 2, maxRetries: 0, waves: { maxWaves: 9, batchSize: 2 } }) });
    const summary = await world.result();
    expect(asked.map(({ wave }) => wave)).toEqual([1, 2]);
    expect(summary.status.waves).toMatchObject({ end: 'no-success', phase: 'over' });
    expect(waves('ended').map(({ passed, failed, attempted }) => [passed, failed, attempted])).toEqual([
      [0, 2, 2],
      [0, 2, 2],
    ]);
  });

  it('holds between waves while it is paused, asks where waves.confirm is set, and stops in the middle of one', async () => {
    const asked: PlanWaveInput[] = [];
    let hold = false;
    await open({
      plan: pairs(asked),
      agent: async (_, signal) => {
        if (!hold) return 'complete';
        await until('the stop', async () => (await status()).state === 'stopping' || signal.aborted, 60_000);
        return 'progress';
      },
    });
    await world.start({ settings: settings({ slots: 1, waves: { maxWaves: 5, batchSize: 2, confirm: true } }) });
    const asks = await until('the question', async () => {
      const now = await status();
      return now.state === 'paused' && now;
    });
    expect(asks.why).toContain('wave 1 of 5 is over: 2 of 2 passed. Another wave? ralphctl resume');
    expect([asked.length, asks.waves?.phase]).toEqual([1, 'between']);
    // A pause of a person on top changes nothing.
    await world.autopilot.signal(PAUSE);
    hold = true;
    await world.autopilot.signal(RESUME);
    await until('an agent at work', async () => world.working.size > 0, 60_000);
    await world.autopilot.signal(STOP);
    const summary = await world.result();
    expect(summary.outcome).toBe('stopped');
    expect([asked.length, waves('ended').length]).toEqual([2, 2]);
    expect([...world.landed].sort()).toEqual(['w1-a', 'w1-b']);
  });

  it('B4 stops and aborts while the source of a wave hangs, without another try', async () => {
    const asked: PlanWaveInput[] = [];
    await open({
      plan: async (input, signal) => {
        asked.push(input);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        return [];
      },
    });
    for (const [verb, outcome] of [
      [STOP, 'stopped'],
      [ABORT, 'aborted'],
    ] as const) {
      await world.start({ settings: settings({ slots: 1, waves: { maxWaves: 2, batchSize: 1 } }) });
      await until('the plan', async () => asked.length > 0, 60_000);
      await world.autopilot.signal(verb);
      expect(await world.result()).toMatchObject({ outcome, landed: 0 });
      expect([asked.splice(0).length, waves('waits')]).toEqual([1, []]);
    }
  });

  it('loses its workers while a wave is planned: the plan is asked for again, and nothing is doubled', async () => {
    const asked: PlanWaveInput[] = [];
    let lose = true;
    await open({
      plan: (input) => {
        asked.push(input);
        if (lose && input.wave === 2) return Promise.reject(new Error('the job process ended'));
        return Promise.resolve(cardsOf(`w${input.wave}-a`));
      },
    });
    await world.start({ settings: settings({ slots: 1, waves: { maxWaves: 2, batchSize: 1 } }) });
    await until('a failed plan', async () => asked.filter(({ wave }) => wave === 2).length > 0, 60_000);
    await world.comeBack();
    lose = false;
    const summary = await world.result();
    expect(summary).toMatchObject({ outcome: 'completed', landed: 2 });
    expect([...world.prepared.values()]).toEqual([1, 1]);
    expect(waves('began').map(({ wave }) => wave)).toEqual([1, 2]);
  });
});
