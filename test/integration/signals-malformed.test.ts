/**
 * Signals and updates that nobody of ours sends: anything, under every name, as the Web UI and `temporal workflow signal` can send it.
 * Features: C1 C5 D4 G9.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { FAILURE } from '../../src/protocol/failures.js';
import { ENQUEUE, IDEA_STATUS, IDEAS, ideaWorkflowId, SET_SLOTS, STATUS, TELL, WHY } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const INTERNAL = {
  run: ['ideaReport', 'answerTaken', 'command'],
  idea: ['edited', 'setStep', 'slotGranted', 'useAgent', 'verdict', 'resync'],
};

interface Defined {
  name: string;
  description?: string;
}
interface Offered {
  definition: { signalDefinitions: Defined[]; updateDefinitions: Defined[]; queryDefinitions: Defined[] };
}
const offered = async (id: string): Promise<Offered['definition']> =>
  (await world.client.workflow.getHandle(id).query<Offered>('__temporal_workflow_metadata')).definition;
/** The SDK has queries of its own. */
const own = (all: Defined[]): string[] =>
  all
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('__'))
    .sort();

/** The stage of an update until which the server waits. */
const COMPLETED = 3;

/** What a payload may be that no client of ours sends. */
const RAW: { metadata: Record<string, Uint8Array>; data: Uint8Array }[] = [
  { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{not json') },
  { metadata: { encoding: Buffer.from('no/such') }, data: Buffer.from('x') },
  { metadata: {}, data: Buffer.from('x') },
  { metadata: { encoding: Buffer.from('binary/ralphctl-deflate') }, data: Buffer.from('not deflated') },
];
/** As large as the server takes, and as a program without our codec sends it. */
const HUGE = {
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(randomBytes(1_350_000).toString('base64'))),
};
const VALUES: unknown[][] = [
  [],
  [null],
  [true],
  [7],
  [-1.5],
  [''],
  ['x'.repeat(100_000)],
  [[]],
  [[null, 'x']],
  [{}],
  [{ kind: 'ready' }],
  [{ kind: 'reopen', agentName: 5, reopen: null, feedback: 'x' }],
  [{ idea: 'i-1', life: 1, seq: 'x', kind: 'ready' }],
  [{ idea: {}, verb: [], text: 5, reason: {}, n: '3', cards: 5, patch: { maxIterations: 'x' }, mode: 5, id: {} }],
  [{ choice: 'x', patch: [], ceilings: 5, revision: 'x', parent: 7, text: [] }],
  [{ verb: 'split', idea: 'i-1', cards: [null] }],
  [{}, {}],
  ['i-1', {}],
];

async function sendRaw(workflowId: string, signalName: string, payload: (typeof RAW)[number]): Promise<void> {
  await world.client.connection.workflowService.signalWorkflowExecution({
    ...{ namespace: 'default', workflowExecution: { workflowId }, signalName, identity: 'test' },
    input: { payloads: [payload] },
  });
}

/** Why it is refused; empty where it is not. */
async function updateRaw(workflowId: string, name: string, payload: (typeof RAW)[number]): Promise<string> {
  const { outcome } = await world.client.connection.workflowService.updateWorkflowExecution({
    ...{ namespace: 'default', workflowExecution: { workflowId }, waitPolicy: { lifecycleStage: COMPLETED } },
    request: { meta: { updateId: randomUUID(), identity: 'test' }, input: { name, args: { payloads: [payload] } } },
  });
  return outcome?.failure?.message ?? '';
}

/** Workflow tasks that failed, in all executions of the project. */
async function failedTasks(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { workflowId, runId } of await world.executions()) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const failed = event.workflowTaskFailedEventAttributes;
      // A signal that came while the task was at work is no failure of ours: the server has it done again.
      if (failed?.failure && failed.failure.message !== 'UnhandledCommand') found.push(failed.failure);
    }
  }
  return found;
}

/** Agents of i-1 and i-2 work until they are told to finish. */
async function twoAtWork(): Promise<() => void> {
  let go = false;
  world = await World.open(inject('address'), {
    cards: cardsOf('i-1', 'i-2'),
    agent: async (_input, signal) => {
      while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return 'complete';
    },
  });
  await world.start();
  await until('both at work', async () => world.working.size === 2);
  return () => {
    go = true;
  };
}

describe('signals that make no sense', () => {
  it('C1 G9: change nothing, whatever their name: the run goes on and lands, and no workflow task fails', async () => {
    const finish = await twoAtWork();
    const run = world.autopilot.workflowId;
    const idea = ideaWorkflowId(world.project, 'i-1');

    // Each of these names stopped a workflow for good before its payload was read.
    const targets: [string, string[]][] = [
      [run, [...INTERNAL.run, 'hint', 'answer', 'split', 'edit', 'noSuchSignal']],
      [idea, [...INTERNAL.idea, 'hint', 'answer', 'warn', 'noSuchSignal']],
    ];
    for (const [workflowId, names] of targets) {
      const handle = world.client.workflow.getHandle(workflowId);
      for (const name of names) {
        for (const args of VALUES) await handle.signal(name, ...args);
        for (const payload of RAW) await sendRaw(workflowId, name, payload);
      }
    }
    const status = await world.autopilot.query<RunStatus>(STATUS);
    expect(status).toMatchObject({ state: 'running', counts: { running: 2 } });
    finish();
    expect((await world.result()).landed).toBe(2);
    expect(world.wrongs).toEqual([]);
    expect(await failedTasks()).toEqual([]);
  });

  it('D4 G9: updates that make no sense are refused in words, whatever their name; the run goes on and lands', async () => {
    const finish = await twoAtWork();
    const run = world.autopilot;
    const accepted: unknown[] = [];
    const refused = new Set<string>();
    for (const name of [TELL, ENQUEUE, SET_SLOTS]) {
      for (const args of VALUES)
        await run.executeUpdate<unknown, [unknown, ...unknown[]]>(name, { args: args as [unknown] }).then(
          (done) => accepted.push([name, args, done]),
          (error: WorkflowUpdateFailedError) => {
            expect(error, `${name} ${JSON.stringify(args).slice(0, 200)}`).toBeInstanceOf(WorkflowUpdateFailedError);
            expect(error.cause, `${name} ${JSON.stringify(args).slice(0, 200)}`).toMatchObject({
              type: FAILURE.refused,
            });
            refused.add(name);
          },
        );
      for (const payload of RAW) expect(await updateRaw(run.workflowId, name, payload), name).toMatch(/\w+/);
    }
    // Among them is one number of slots.
    expect(accepted).toEqual([[SET_SLOTS, [7], 7]]);
    expect([...refused]).toEqual([TELL, ENQUEUE, SET_SLOTS]);
    const status = await run.query<RunStatus>(STATUS);
    expect(status).toMatchObject({ state: 'running', counts: { running: 2 } });
    finish();
    expect((await world.result()).landed).toBe(2);
    expect(world.wrongs).toEqual([]);
    expect(await failedTasks()).toEqual([]);
  });

  it('C1: texts as large as the server takes are refused by name, and neither kept nor passed on', async () => {
    let go = false;
    const prompts: string[] = [];
    world = await World.open(inject('address'), {
      cards: cardsOf('i-1', 'i-2'),
      agent: async ({ notes }, signal) => {
        prompts.push(...notes);
        while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
        signal.throwIfAborted();
        return 'complete';
      },
    });
    await world.start();
    await until('both at work', async () => world.working.size === 2);
    for (const workflowId of [world.autopilot.workflowId, ideaWorkflowId(world.project, 'i-1')]) {
      for (const name of ['hint', 'answer', 'stop', 'noSuchSignal']) await sendRaw(workflowId, name, HUGE);
    }
    expect(await world.autopilot.query<RunStatus>(STATUS)).toMatchObject({ state: 'running', counts: { running: 2 } });
    go = true;
    expect((await world.result()).landed).toBe(2);
    expect(prompts).toEqual([]);
  });

  it('C1: so many of them that the server ends the workflow of an idea fail that idea alone; retry lands it', async () => {
    const finish = await twoAtWork();
    const counts = async () => (await world.autopilot.query<RunStatus>(STATUS)).counts;
    // The server takes no more of them once it has ended the workflow.
    const idea = ideaWorkflowId(world.project, 'i-1');
    const sent = Array.from({ length: 40 }, () => sendRaw(idea, 'hint', HUGE));
    await Promise.allSettled(sent);
    await until('it to fail', async () => (await counts()).failed === 1);
    expect((await world.client.workflow.getHandle(idea).describe()).status.name).toBe('TERMINATED');
    expect(await counts()).toMatchObject({ failed: 1, running: 1 });
    await until('its agent to end', async () => !world.working.has('i-1'));
    await world.autopilot.signal('retry', 'i-1');
    await until('it to work again', async () => world.working.size === 2);
    finish();
    expect((await world.result()).landed).toBe(2);
    expect(world.wrongs).toEqual([]);
  });

  it('G9: the list of the Web UI has what people may send, described, and nothing else', async () => {
    let go = false;
    world = await World.open(inject('address'), {
      cards: cardsOf('i-1'),
      agent: async (_input, signal) => {
        while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
        return 'complete';
      },
    });
    await world.start();
    await until('it to work', async () => world.working.size === 1);
    const run = await offered(world.autopilot.workflowId);
    const idea = await offered(ideaWorkflowId(world.project, 'i-1'));
    const [ofRun, ofIdea] = [run.signalDefinitions, idea.signalDefinitions];
    for (const { signalDefinitions, updateDefinitions, queryDefinitions } of [run, idea])
      for (const { name, description } of [...signalDefinitions, ...updateDefinitions, ...queryDefinitions])
        expect(description, name).toMatch(/\w+ .*/);
    expect(own(run.updateDefinitions)).toEqual([ENQUEUE, SET_SLOTS, TELL].sort());
    expect(own(run.queryDefinitions)).toEqual([IDEAS, STATUS, WHY].sort());
    expect(own(idea.queryDefinitions)).toEqual([IDEA_STATUS]);
    expect(ofRun.map(({ name }) => name)).toEqual(expect.arrayContaining(['pause', 'skip', 'answer', 'retryLimit']));
    const forIdea = ['abort', 'answer', 'approve', 'hint', 'pause', 'pauseNow', 'resume', 'skipStep', 'stop', 'warn'];
    expect(ofIdea.map(({ name }) => name).sort()).toEqual(forIdea);
    for (const name of INTERNAL.run) expect(ofRun.map((one) => one.name)).not.toContain(name);
    go = true;
    expect((await world.result()).landed).toBe(1);
  });
});
