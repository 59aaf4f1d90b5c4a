/** The answer about a landing that failed for the machine queues finished work to land again, without an agent run. Features: C5 D1. */
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { type FailureType, WorkError } from '../../src/jobs/job.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { ANSWER, ideaWorkflowId, STATUS } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const landsAfter = async (type: FailureType): Promise<number[]> => {
  let tries = 0;
  world = await World.open(inject('address'), {
    cards: cardsOf('a-1'),
    land: async () => {
      tries += 1;
      if (tries === 1) throw new WorkError('the disk of /repo is read-only (EROFS)', type);
      return undefined;
    },
  });
  await world.start();
  await until('the question', async () => {
    const status = await world.autopilot.query<RunStatus>(STATUS);
    return status.attention.some(({ reason }) => reason?.startsWith('Landing failed: the disk'));
  });
  await world.client.workflow.getHandle(ideaWorkflowId(world.project, 'a-1')).signal(ANSWER, 'it is writable');
  await world.result();
  expect([world.landed, tries]).toEqual([['a-1'], 2]);
  return world.iterations.get('a-1') ?? [];
};

it('C5 D1: no agent runs again for work that a disk kept from landing', async () => {
  expect(await landsAfter(FAILURE.machine)).toEqual([1]);
}, 120_000);

it('C5 D1: about the repository the answer is for the agent', async () => {
  expect(await landsAfter(FAILURE.repository)).toEqual([1, 2]);
}, 120_000);
