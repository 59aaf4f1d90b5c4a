import { describe, expect, it } from 'vitest';
import { slotEnvironment } from '../../../src/jobs/command-environment.js';
import { gatePlace } from '../../../src/jobs/gate/places.js';

const open = (): AbortSignal => new AbortController().signal;
/** Everything that can happen by itself has happened. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve();
};

describe('gate.parallel', () => {
  it('lets so many gates run at a time, first come, first served', async () => {
    const begun: number[] = [];
    const places = [1, 2, 3, 4].map(async (n) => {
      const giveBack = await gatePlace('a', 2, open());
      begun.push(n);
      return giveBack;
    });
    await settled();
    expect(begun).toEqual([1, 2]);
    const second = await places[1];
    second?.();
    // Twice is once.
    second?.();
    await settled();
    expect(begun).toEqual([1, 2, 3]);
    (await places[0])?.();
    (await places[2])?.();
    (await places[3])?.();
  });

  it('counts for each project, and not at all where nobody set it', async () => {
    const held = await gatePlace('b', 1, open());
    (await gatePlace('c', 1, open()))();
    (await gatePlace('b', undefined, open()))();
    held();
  });

  it('a gate that is ended while it waits leaves the line', async () => {
    const held = await gatePlace('d', 1, open());
    const ended = new AbortController();
    const waits = gatePlace('d', 1, ended.signal);
    const next = gatePlace('d', 1, open());
    ended.abort(new Error('paused'));
    await expect(waits).rejects.toThrow('paused');
    await expect(gatePlace('d', 1, ended.signal)).rejects.toThrow('paused');
    held();
    (await next)();
    (await gatePlace('d', 1, open()))();
  });

  it('a gate that is ended lets those behind it begin that the number of now allows', async () => {
    const held = await gatePlace('e', 1, open());
    const ended = new AbortController();
    const waits = gatePlace('e', 1, ended.signal);
    // A reload raised the number meanwhile.
    const next = gatePlace('e', 2, open());
    ended.abort(new Error('paused'));
    await expect(waits).rejects.toThrow('paused');
    (await next)();
    held();
  });
});

describe('numbers of ideas', () => {
  it('never meet those of landings, baselines and old tests', () => {
    const slotOf = (agentName: string) => slotEnvironment({ agentName, project: 'p', idea: 'i' });
    expect(
      ['ed-100', 'ed-101', 'ed-102', 'baseline-101', 'base-tests-102'].map((name) => slotOf(name).RALPHCTL_SLOT),
    ).toEqual(['100', '103', '104', '101', '102']);
    expect(slotOf('ed-300').RALPHCTL_PORT_BASE).toBe('50200');
  });
});
