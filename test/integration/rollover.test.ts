/**
 * Both workflows continue as new over and over while ideas run, land, bounce, fail and are paused: nothing is started
 * twice, nothing is lost. Features: A1 C1 C6.
 */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { LandResult } from '../../src/protocol/activities.js';
import type { IdeaCard } from '../../src/protocol/idea.js';
import { autopilotId, ideaWorkflowId, PAUSE, RESUME, STATUS } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/run.js';
import { until } from '../support/program.js';
import { quietRuntime, settings, World, type WorldOptions, workflowCode } from './rollover-world.js';

beforeAll(async () => {
  quietRuntime();
  await workflowCode();
}, 120_000);

let world: World;
afterEach(() => world?.close());

const open = async (options: WorldOptions): Promise<World> => {
  world = await World.open(inject('address'), options);
  return world;
};
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `r-${i + 1}`);
const cards = (ids: string[]): IdeaCard[] => ids.map((id) => ({ id, title: `Do ${id}` }));
const status = (): Promise<RunStatus> => world.autopilot.query<RunStatus>(STATUS);
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

describe('continue-as-new', () => {
  it('sixty ideas and two hundred pause and resume signals: each lands once, none starts twice, no slot is lost', async () => {
    const first = names(54);
    const last = Array.from({ length: 6 }, (_, i) => `last-${i + 1}`);
    const bounced = new Set<string>();
    const failed = new Set<string>();
    let gate = (): void => {};
    const together = new Promise<void>((resolve) => {
      gate = resolve;
    });
    await open({
      cards: [...cards(first), ...last.map((id) => ({ id, title: id, dependsOn: first }))],
      agent: async ({ idea, iteration }, signal) => {
        if (last.includes(idea)) {
          // All six slots must still be there at the end: nobody goes on before six are at work at once.
          if (last.every((id) => world.working.has(id))) gate();
          await Promise.race([together, aborted(signal)]);
          return 'complete';
        }
        const n = Number(idea.slice(2));
        if (n % 10 === 5 && !failed.has(idea)) {
          failed.add(idea);
          return 'failed';
        }
        return iteration <= n % 8 ? 'progress' : 'complete';
      },
      land: async ({ idea }): Promise<LandResult | undefined> => {
        if (!/[37]$/.test(idea) || idea.startsWith('last') || bounced.has(idea)) return undefined;
        bounced.add(idea);
        return { kind: 'conflict', onto: 'tip', files: ['a'], detail: '', durationMs: 1 };
      },
    });
    await world.start({ maxHistory: 60 });
    let sent = 0;
    const signals = (async () => {
      for (; sent < 200; sent += 2) {
        await world.autopilot.signal(PAUSE, 'for a moment');
        await world.autopilot.signal(RESUME);
      }
    })();
    const summary = await world.result();
    await signals.catch(() => {});
    expect(summary.notLanded).toEqual([]);
    expect(summary.landed).toBe(60);
    expect(sent, 'signals while it ran').toBe(200);
    expect(world.wrongs).toEqual([]);
    expect([...world.landed].sort()).toEqual([...first, ...last].sort());
    expect(world.most).toBe(6);
    for (const id of [...first, ...last]) {
      expect(world.prepared.get(id), `${id} was prepared`).toBe(1);
      const done = world.iterations.get(id) ?? [];
      // Bounced ones get one more; no iteration is ever done again.
      expect(done, id).toEqual(done.map((_, i) => i + 1));
    }
    expect(bounced.size).toBe(11);
    const all = await world.executions();
    const runs = (id: string) => all.filter(({ workflowId }) => workflowId === id);
    expect(runs(autopilotId(world.project)).length, 'runs of the autopilot').toBeGreaterThan(5);
    for (const id of [...first, ...last]) {
      const mine = runs(ideaWorkflowId(world.project, id));
      expect(new Set(mine.map(({ raw }) => raw.firstRunId)).size, `${id} was started`).toBe(1);
      expect(mine.map((run) => run.status.name).filter((name) => name !== 'CONTINUED_AS_NEW')).toEqual(['COMPLETED']);
    }
    const ideaRuns = all.length - runs(autopilotId(world.project)).length;
    expect(ideaRuns, 'runs of ideas').toBeGreaterThan(70);
  }, 240_000);
});
