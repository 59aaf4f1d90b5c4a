/**
 * Payloads that nobody of ours sends, drawn by chance: a message between the workflows that says nothing changes nothing.
 * Features: C1 C5 G9.
 */
import fc from 'fast-check';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import {
  isAgentEnded,
  isConfigured,
  isEdited,
  isGranted,
  isReport,
  isResync,
  isStep,
  isUseAgent,
  isVerdict,
} from '../../src/decide/messages/between.js';
import { isCommandLike } from '../../src/decide/messages/said.js';
import { AGENT_ENDED, IDEA_STATUS, ideaWorkflowId, STATUS } from '../../src/protocol/names.js';
import type { IdeaView, RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const OF_IDEA: Record<string, (value: unknown) => boolean> = {
  ...{ edited: isEdited, configured: isConfigured, setStep: isStep, slotGranted: isGranted },
  ...{ useAgent: isUseAgent, verdict: isVerdict, resync: isResync },
};
const OF_RUN: Record<string, (value: unknown) => boolean> = {
  ...{ ideaReport: isReport, agentEnded: isAgentEnded, command: isCommandLike },
};

const FIELDS = [
  ...['choice', 'agent', 'probe', 'kind', 'idea', 'life', 'seq', 'iterations', 'agentName', 'patch', 'revision'],
  ...['ceilings', 'runId', 'config', 'settings', 'limits', 'parent', 'reopen', 'feedback', 'commit', 'verb', 'text'],
  ...['parked', 'run', 'after', '__proto__', 'constructor', 'toString', 'length'],
];
const payload = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(...FIELDS),
    fc.oneof(fc.jsonValue(), fc.constantFrom(true, 1, 'i-1', 'landed', 'ready')),
  ),
);

/** In the form of `useAgent`, but without its meaning. */
const SILENT = [{}, { agent: 'codex' }, { choice: undefined }, { unknown: { choice: 'x' } }];

it('C1 G9: whatever is sent as a message between the workflows, no task fails and nothing changes but by a message', async () => {
  let go = false;
  const cards = cardsOf('i-1', 'i-2');
  world = await World.open(inject('address'), {
    cards,
    agent: async ({ iteration }, signal) => {
      while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return iteration < 3 ? 'progress' : 'complete';
    },
  });
  await world.start();
  await until('both at work', async () => world.working.size === 2);
  const idea = world.client.workflow.getHandle(ideaWorkflowId(world.project, 'i-1'));
  const view = () => idea.query<IdeaView>(IDEA_STATUS);
  const status = async () => (await world.autopilot.query<RunStatus>(STATUS)).counts;
  const before = [await view(), await status()];
  let refusals = 0;
  for (const [handle, checks] of [
    [idea, OF_IDEA],
    [world.autopilot, OF_RUN],
  ] as const) {
    for (const [name, check] of Object.entries(checks)) {
      const drawn = fc.sample(payload, { seed: 10, numRuns: 80 });
      // What is a message is taken for one.
      const odd = drawn.filter((one) => !check(JSON.parse(JSON.stringify(one))));
      for (const value of odd) await handle.signal(name, value);
      if (name === 'useAgent') refusals += odd.length;
    }
  }
  // Says neither which agent, nor that there is none.
  for (const value of SILENT) await idea.signal('useAgent', value);
  expect([await view(), await status()]).toEqual(before);
  go = true;
  expect((await world.result()).landed).toBe(2);
  // It kept its slot: one that is told to wait for an agent gives it back, and is prepared anew with the next.
  expect(world.prepared.get('i-1')).toBe(1);
  const refused = world.told.filter((event) => event.kind === 'refused' && event.verb === 'useAgent');
  expect(refused).toHaveLength(refusals + SILENT.length);
  expect(world.wrongs).toEqual([]);
  for (const { workflowId, runId } of await world.executions()) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const failed = (events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.failure ?? []);
    // A signal that came while the task was at work is no failure of ours.
    expect(failed.filter(({ message }) => message !== 'UnhandledCommand')).toEqual([]);
  }
});

it('A1: the end of an agent of an earlier run takes no slot, although its idea has the same numbers', async () => {
  let go = false;
  world = await World.open(inject('address'), {
    cards: cardsOf('i-1', 'i-2'),
    agent: async (_, signal) => {
      while (!go && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return 'complete';
    },
  });
  await world.start({ settings: settings({ slots: 1, gatesBeside: 0, settlesBeside: true }) });
  await until('one at work', async () => world.working.size === 1);
  const running = async () => (await world.autopilot.query<RunStatus>(STATUS)).counts.running;
  const said = { idea: [...world.working.keys()][0], life: 1, after: 0 };
  await world.autopilot.signal(AGENT_ENDED, { ...said, run: 'run-0' });
  expect(await running()).toBe(1);
  await world.autopilot.signal(AGENT_ENDED, { ...said, run: 'run-1' });
  await until('the next one at work', async () => world.working.size === 2);
  go = true;
  expect((await world.result()).landed).toBe(2);
});
