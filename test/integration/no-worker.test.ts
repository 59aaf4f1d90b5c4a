/** Nobody serves the queues of the host that an open run belongs to. Features: B3, D1, G6. */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { quietRuntime, settings, World } from './rollover-world.js';

const SLOW = 120_000;
let world: World;
beforeAll(quietRuntime);
afterEach(() => world?.close());

type Span = { seconds?: unknown; nanos?: number | null } | null | undefined;
const msOf = (span: Span): number => Number(span?.seconds ?? 0) * 1000 + Number(span?.nanos ?? 0) / 1e6;

/** The activities of all workflows of the project, with their time limits in milliseconds. */
async function scheduled() {
  const found: { name: string; queue: string; toClose: number; toStart: number }[] = [];
  for (const { workflowId, runId } of await world.executions()) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { activityTaskScheduledEventAttributes: one } of events ?? []) {
      if (!one) continue;
      const [name, queue] = [one.activityType?.name ?? '', one.taskQueue?.name ?? ''];
      found.push({ name, queue, toClose: msOf(one.scheduleToCloseTimeout), toStart: msOf(one.scheduleToStartTimeout) });
    }
  }
  return found;
}

describe('no worker on the host of a run', () => {
  it(
    'is said in status of the idea that waits; nothing fails or is charged, and all goes on when one comes back',
    async () => {
      let hold: (() => void) | undefined;
      const held = new Promise<void>((resolve) => {
        hold = resolve;
      });
      let toAgent = false;
      world = await World.open(inject('address'), {
        cards: [
          { id: 'a-1', title: 'first' },
          { id: 'a-2', title: 'second' },
        ],
        agent: async ({ idea }) => {
          toAgent = true;
          // Lets the host leave in the middle of a run.
          if (idea === 'a-1') await held;
          return 'complete';
        },
      });
      await world.leaveHost();
      const times = { setupMs: 0, gateMs: 0, untakenMs: 500 };
      await world.start({ settings: settings({ times, ownTrouble: true, slots: 1 }) });
      const status = () => world.autopilot.query<RunStatus, [object]>('status', {});
      const told = await until(
        'the warning',
        async () => {
          const now = await status();
          return now.warnings?.some(({ text }) => text.includes('no worker on testhost')) ? now : undefined;
        },
        SLOW,
      );
      expect(told.warnings).toMatchObject([{ idea: 'a-1', kind: 'worker' }]);
      expect(told.counts.running).toBe(1);
      expect(toAgent).toBe(false);
      await world.comeBack();
      await until('an agent at work', () => Promise.resolve(toAgent), SLOW);
      await until(
        'no warning any more',
        async () => (await status()).warnings?.length === 0 || !(await status()).warnings,
        SLOW,
      );
      hold?.();
      const summary = await world.result();
      expect([summary.landed, summary.notLanded]).toEqual([2, []]);
      expect(world.iterations.get('a-1')).toEqual([1]);

      // None of the activities can hang for ever, and those of a host have a time to be taken in.
      const all = await scheduled();
      expect([...new Set(all.map(({ name }) => name))].sort()).toEqual(
        expect.arrayContaining(['closeRun', 'landIdea', 'openRun', 'prepareIdea', 'runAgent', 'runGate']),
      );
      for (const { name, queue, toClose, toStart } of all) {
        expect(toClose, name).toBeGreaterThan(0);
        if (queue.includes('@')) expect(toStart, name).toBeLessThan(toClose);
      }
    },
    2 * SLOW,
  );

  it(
    'is the reason of a landing that waits, and gone when it has landed',
    async () => {
      world = await World.open(inject('address'), { cards: [{ id: 'a-1', title: 'first' }] });
      const times = { setupMs: 0, gateMs: 0, untakenMs: 500 };
      await world.start({ settings: settings({ times, ownTrouble: true, slots: 1, mode: 'step', stepLanding: true }) });
      const waits = (text: string) =>
        until(
          `the idea to say "${text}"`,
          async () => JSON.stringify(await world.autopilot.query('why', 'a-1')).includes(text),
          SLOW,
        );
      await waits('its next iteration waits');
      await world.autopilot.signal('approve');
      await waits('its landing waits');
      await world.leaveHost();
      await world.autopilot.signal('approve');
      await waits('no worker on testhost');
      await world.comeBack();
      const summary = await world.result();
      expect([summary.landed, summary.notLanded]).toEqual([1, []]);
      expect(JSON.stringify(await world.autopilot.query('why', 'a-1'))).not.toContain('no worker');
    },
    2 * SLOW,
  );

  it(
    'is the reason of an undoing that waits, and what it was before once a worker has answered',
    async () => {
      world = await World.open(inject('address'), {
        cards: [
          { id: 'a-1', title: 'first' },
          { id: 'a-2', title: 'second', dependsOn: ['a-1'] },
        ],
      });
      const times = { setupMs: 0, gateMs: 0, untakenMs: 500 };
      await world.start({ settings: settings({ times, ownTrouble: true, slots: 1, mode: 'step' }) });
      const says = (idea: string, text: string) =>
        until(
          `${idea} to say "${text}"`,
          async () => JSON.stringify(await world.autopilot.query('why', idea)).includes(text),
          SLOW,
        );
      await says('a-1', 'its next iteration waits');
      await world.autopilot.signal('approve');
      await says('a-2', 'its next iteration waits');
      await world.leaveHost();
      await world.autopilot.signal('command', { verb: 'rollback', idea: 'a-1' });
      await says('a-1', 'no worker on testhost');
      await world.comeBack();
      await says('a-1', 'could not be undone: main does not contain it');
      await world.autopilot.signal('approve');
      expect((await world.result()).landed).toBe(2);
    },
    2 * SLOW,
  );
});
