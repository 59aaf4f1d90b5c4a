/** A run that stops while ideas come to their end: what is finished lands. Features: C1 C6 D1. */
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { ideaWorkflowId, STATUS } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const cards = cardsOf('i-1', 'i-2', 'i-3', 'i-4', 'i-5');
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const status = (): Promise<RunStatus> => world.autopilot.query<RunStatus>(STATUS);

/** i-1 is landing and its gate takes its time; the other three are at work. */
async function midway(go: { work: boolean; land: boolean }): Promise<void> {
  world = await World.open(inject('address'), {
    cards,
    agent: async ({ idea }, signal) => {
      while (idea !== 'i-1' && !go.work && !signal.aborted) await pause();
      signal.throwIfAborted();
      return idea === 'i-4' ? 'progress' : 'complete';
    },
    land: async () => {
      while (!go.land) await pause();
      return undefined;
    },
  });
  // The fifth idea never gets a slot: i-1 gives its own back only as the run stops.
  await world.start({ settings: settings({ slots: 4, maxWaiting: 1 }) });
  await until('the landing, and three at work', async () => {
    return (await status()).landing === 'i-1' && ['i-2', 'i-3', 'i-4'].every((id) => world.working.has(id));
  });
}

it('C6: ideas that become ready while the run stops and another lands are landed, too', async () => {
  const go = { work: false, land: false };
  await midway(go);
  await world.autopilot.signal('stop', 'enough');
  await until('the run to stop', async () => (await status()).state === 'stopping');
  go.work = true;
  await until('both in the lane', async () => (await status()).lane.length === 3);
  go.land = true;
  const summary = await world.result();
  expect(world.landed).toEqual(expect.arrayContaining(['i-1', 'i-2', 'i-3']));
  expect(summary).toMatchObject({ outcome: 'stopped', landed: 3 });
  // What was not finished is where it was.
  expect(summary.notLanded.find(({ idea }) => idea === 'i-4')).toMatchObject({ status: 'pending' });
});

it('C6: one that a person stops by itself does not land, whatever the run does', async () => {
  const go = { work: false, land: false };
  await midway(go);
  await world.autopilot.signal('stop', 'enough');
  await until('the run to stop', async () => (await status()).state === 'stopping');
  await world.client.workflow.getHandle(ideaWorkflowId(world.project, 'i-2')).signal('stop', 'not this one');
  go.work = true;
  await until('one in the lane', async () => (await status()).lane.includes('i-3'));
  go.land = true;
  const summary = await world.result();
  expect([...world.landed].sort()).toEqual(['i-1', 'i-3']);
  expect(summary.landed).toBe(2);
  // It never asks for a landing, which could come before its end.
  const asked = world.told.flatMap((event) => (event.kind === 'idea' && event.status === 'landing' ? event.idea : []));
  expect([...new Set(asked)].sort()).toEqual(['i-1', 'i-3']);
});
