/**
 * Many ideas on many slots through the real server, with continue-as-new forced often: nothing is lost or done twice, and
 * histories stay within the budget of docs/architecture.md. `npm run test:full` takes three hundred ideas on a hundred
 * slots; the ten thousand are `npm run bench:scale`.
 * Features: A1 C1.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { autopilotId, ideaWorkflowId } from '../../src/protocol/names.js';
import type { RunSummary } from '../../src/protocol/run.js';
import { type ExecutionSize, executionSizes, sum } from '../support/history-size.js';
import { quietRuntime, settings, World } from './rollover-world.js';

const LARGE = process.env.RALPHCTL_TEST_FULL !== undefined;
const IDEAS = LARGE ? 300 : 80;
const SLOTS = LARGE ? 100 : 30;
/** Events after which the autopilot continues as new. */
const MAX_HISTORY = LARGE ? 1500 : 400;
/** Agent runs of every tenth idea; the others take one. */
const LONG = 6;
const ids = Array.from({ length: IDEAS }, (_, at) => `i-${at}`);
const isLong = (id: string): boolean => Number(id.slice(2)) % 10 === 0;

describe(`${IDEAS} ideas, ${SLOTS} slots`, () => {
  let world: World;
  let summary: RunSummary;
  let parent: ExecutionSize[];

  beforeAll(async () => {
    quietRuntime();
    world = await World.open(inject('address'), {
      cards: ids.map((id) => ({ id, title: `Do ${id} as the roadmap says`, tags: ['quick-win'] })),
      capacity: SLOTS,
      agent: async ({ idea, iteration }) => (isLong(idea) && iteration < LONG ? 'progress' : 'complete'),
    });
    await world.start({ settings: settings({ slots: SLOTS }), maxHistory: MAX_HISTORY });
    const { runId } = await world.autopilot.describe();
    summary = await world.result();
    parent = await executionSizes(world.client, autopilotId(world.project), runId);
  }, 600_000);
  afterAll(() => world?.close());

  it('lands every idea once, over several runs of the autopilot', () => {
    expect(summary.notLanded).toEqual([]);
    expect([...world.landed].sort()).toEqual([...ids].sort());
    expect(world.wrongs).toEqual([]);
    for (const id of ids) expect(world.iterations.get(id), id).toHaveLength(isLong(id) ? LONG : 1);
    expect(parent.length).toBeGreaterThan(2);
  });

  it('costs the autopilot 34 events an idea at most, and carries little', () => {
    expect(sum(parent.map((run) => run.events)) / IDEAS).toBeLessThan(34);
    for (const run of parent.slice(0, -1)) expect(run.carried).toBeLessThan(64 * 1024);
  });

  it('costs an idea 14 events and 8 KB for a further iteration at most', async () => {
    const sizes = await Promise.all(
      ['i-0', 'i-10', 'i-1', 'i-11'].map(async (id) => {
        const workflowId = ideaWorkflowId(world.project, id);
        const { raw } = await world.client.workflow.getHandle(workflowId).describe();
        const runs = await executionSizes(world.client, workflowId, raw.workflowExecutionInfo?.firstRunId ?? '');
        return { events: sum(runs.map((run) => run.events)), bytes: sum(runs.map((run) => run.bytes)) };
      }),
    );
    const [long1, long2, short1, short2] = sizes as [Size, Size, Size, Size];
    const further = (of: keyof Size): number => (long1[of] + long2[of] - short1[of] - short2[of]) / (2 * (LONG - 1));
    expect(further('events')).toBeLessThanOrEqual(14);
    expect(further('bytes')).toBeLessThan(8 * 1024);
  });
});

interface Size {
  events: number;
  bytes: number;
}
