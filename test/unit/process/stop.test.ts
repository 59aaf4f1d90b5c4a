/** The clocks of a run, with hands that the test moves. */
import { describe, expect, it } from 'vitest';
import { StopWatch } from '../../../src/process/stop.js';
import { until } from './helpers.js';

/** Real timers look at these hands: `looks` counts how often. */
function hands() {
  const now = { running: 1000, wall: 1_000_000_000, looks: 0 };
  const clock = {
    running: () => {
      now.looks++;
      return now.running;
    },
    wall: () => now.wall,
  };
  const looked = async (): Promise<void> => {
    const before = now.looks;
    // A look reads the clock at most three times.
    await until(() => (now.looks > before + 6 ? true : undefined));
  };
  return { now, clock, looked };
}

describe('the idle clock', () => {
  it('does not take the sleep of the machine for silence, whatever the length (C5)', async () => {
    const { now, clock, looked } = hands();
    const watch = new StopWatch({ timeoutMs: 1e9, idleMs: 160 }, clock);
    watch.start();
    now.running += 150;
    now.wall += 150 + 8 * 3_600_000;
    await looked();
    now.running += 20;
    now.wall += 20;
    await looked();
    expect(watch.reason).toBeUndefined();
    now.running += 150;
    now.wall += 150;
    expect(await watch.stopped).toBe('idle');
  });

  it('does not take its own standstill for silence', async () => {
    const { now, clock, looked } = hands();
    const watch = new StopWatch({ timeoutMs: 1e9, idleMs: 160 }, clock);
    watch.start();
    now.running += 60_000;
    now.wall += 60_000;
    await looked();
    expect(watch.reason).toBeUndefined();
    watch.close();
  });

  it('asks for signs of life, with the time since when there was none, and begins anew when there are', async () => {
    const { now, clock } = hands();
    const watch = new StopWatch({ timeoutMs: 1e9, idleMs: 160 }, clock);
    const asked: number[] = [];
    let begun = 0;
    watch.probe = {
      begin: () => {
        begun++;
      },
      busy: (since) => {
        asked.push(since);
        return asked.length < 2;
      },
    };
    watch.start();
    now.running += 100;
    now.wall += 100;
    await until(() => (begun === 1 ? true : undefined));
    now.running += 60;
    now.wall += 60;
    await until(() => (asked.length === 1 ? true : undefined));
    expect(watch.reason).toBeUndefined();
    now.running += 160;
    now.wall += 160;
    expect(await watch.stopped).toBe('idle');
    expect(asked).toEqual([1_000_000_000, 1_000_000_160]);
  });

  it('goes on while the run only waits, and from the first word of work anew', async () => {
    const { now, clock, looked } = hands();
    const watch = new StopWatch({ timeoutMs: 1e9, idleMs: 160 }, clock);
    watch.start();
    watch.waiting(true);
    now.running += 100;
    watch.touch();
    now.running += 50;
    watch.waiting(false);
    now.running += 100;
    await looked();
    expect(watch.reason).toBeUndefined();
    watch.waiting(true);
    watch.touch();
    now.running += 60;
    expect(await watch.stopped).toBe('idle');
  });

  it('a probe that fails is no sign of life', async () => {
    const { now, clock } = hands();
    const watch = new StopWatch({ timeoutMs: 1e9, idleMs: 160 }, clock);
    watch.probe = { begin: () => Promise.reject(new Error('x')), busy: () => Promise.reject(new Error('y')) };
    watch.start();
    now.running += 100;
    now.running += 70;
    expect(await watch.stopped).toBe('idle');
  });
});
