/** Time limits of activities, by the configuration. Features: B3, D1. */
import { describe, expect, it } from 'vitest';
import { agentTimes, gitTimes } from '../../../../src/decide/idea/activity-times.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WORK = ['prepare', 'gate', 'land', 'git-task'] as const;

describe('activities', () => {
  it('end after what the configuration allows their commands, with room to spare', () => {
    const times = { setupMs: 10 * MINUTE, gateMs: 3 * HOUR };
    const of = (work: (typeof WORK)[number]) => gitTimes(work, { times }).startToCloseTimeout;
    expect(of('prepare')).toBeGreaterThan(10 * MINUTE);
    expect(of('prepare')).toBeLessThan(HOUR);
    // Once more when it is red, and the same on the base.
    expect(of('gate')).toBeGreaterThan(4 * 3 * HOUR);
    expect(of('land')).toBeGreaterThan(5 * of('gate'));
    expect(of('git-task')).toBeLessThan(HOUR);
    expect(agentTimes(30 * MINUTE, { times }).startToCloseTimeout).toBe(35 * MINUTE);
  });

  it('give a gate the time of those that it waits for, where several are gated ahead', () => {
    const times = { setupMs: 10 * MINUTE, gateMs: HOUR };
    const alone = gitTimes('gate', { times }).startToCloseTimeout;
    const of = (ahead: number) => gitTimes('gate', { times: { ...times, ahead } }).startToCloseTimeout;
    // The worst case: each is red with what is ahead of it, is gated again without that, and then in its own worktree.
    const worst = (place: number): number => (place === 0 ? 0 : worst(place - 1) + 3 * (2 * 10 * MINUTE + 6 * HOUR));
    for (const ahead of [2, 4, 16]) expect(of(ahead)).toBeGreaterThan(worst(ahead));
    expect(of(4)).toBeGreaterThan(of(2));
    for (const work of ['prepare', 'land', 'git-task'] as const)
      expect(gitTimes(work, { times: { ...times, ahead: 4 } })).toEqual(gitTimes(work, { times }));
    expect(gitTimes('gate', { times }).startToCloseTimeout).toBe(alone);
  });

  it('have an end with all their tries, and a time to be taken in that grows', () => {
    const times = { setupMs: 0, gateMs: 20 * MINUTE };
    for (const work of WORK) {
      const [first, later] = [gitTimes(work, { times }), gitTimes(work, { times }, 99)];
      expect(first.scheduleToCloseTimeout).toBeGreaterThanOrEqual(6 * first.startToCloseTimeout);
      expect(first.scheduleToStartTimeout).toBe(5 * MINUTE);
      expect(later.scheduleToStartTimeout).toBe(HOUR);
    }
    expect(agentTimes(MINUTE, { times }).scheduleToCloseTimeout).toBe(11 * MINUTE);
  });

  it('of runs of 0.1 stay as they were', () => {
    for (const work of WORK) expect(gitTimes(work, {})).toEqual({ startToCloseTimeout: 4 * HOUR });
    expect(agentTimes(MINUTE, {})).toEqual({ startToCloseTimeout: 6 * MINUTE });
  });
});
