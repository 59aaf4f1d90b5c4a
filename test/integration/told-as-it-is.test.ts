/** What the server's record says of runs that were cancelled, aborted, or cannot go on. Features: A8 C1 C5 G9. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { RunApi } from '../../src/client/api/run.js';
import { autopilotId, mainQueue, STATUS, TELL } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { dataConverter } from '../../src/server/codec.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function working(...more: string[]): Promise<World> {
  const opened = await World.open(inject('address'), {
    cards: cardsOf('i-1', ...more),
    agent: async (_input, signal) => {
      while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
      signal.throwIfAborted();
      return 'complete';
    },
  });
  world = opened;
  await opened.start({ settings: settings({ slots: 1 }) });
  await until('it to work', async () => opened.working.size === 1);
  return opened;
}

it('C1: a command to a run that was cancelled in the Web UI is answered as it is carried out', async () => {
  const run = await working();
  const { autopilot } = run;
  await autopilot.cancel();
  await until('the run to stop', async () => (await autopilot.query<RunStatus>(STATUS)).state === 'stopping');
  const answer = await autopilot.executeUpdate<{ done: string }, [object]>(TELL, { args: [{ verb: 'abort' }] });
  expect(answer.done).toContain('aborting');
  expect(await run.result()).toMatchObject({ outcome: 'aborted' });
});

it('C1 G9: an aborted run is called aborted in its memo, its attribute and its last event', async () => {
  const { autopilot, client } = await working();
  await autopilot.signal('abort', 'enough');
  await autopilot.result();
  const { memo, searchAttributes } = await client.workflow.getHandle(autopilot.workflowId).describe();
  expect(memo).toMatchObject({ progress: { state: 'aborted' } });
  expect(searchAttributes).toMatchObject({ RalphState: ['aborted'] });
  expect(world?.told.filter(({ kind }) => kind === 'run').at(-1)).toMatchObject({ kind: 'run', state: 'aborted' });
});

it('C3: a hint for an idea that did not start is told to be kept when the run ends', async () => {
  const run = await working('i-2');
  await run.autopilot.signal('hint', 'i-2', 'remember British spelling');
  await run.autopilot.signal('abort');
  await run.autopilot.result();
  expect(run.told.filter((one) => one.kind === 'refused' || one.kind === 'command').slice(-1)).toEqual([
    {
      ...{ kind: 'command', verb: 'hint', idea: 'i-2' },
      done: 'kept for the first prompt in the next run: "remember British spelling"',
    },
  ]);
});

it('A8: a run whose workflow code fails is told as that, with the first line of its error', async () => {
  const project = `fails-${randomUUID().slice(0, 8)}`;
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-fails-')));
  await symlink(new URL('../../node_modules', import.meta.url).pathname, join(dir, 'node_modules'));
  await writeFile(
    join(dir, 'fails.cjs'),
    "exports.autopilot = async () => { throw new TypeError('no such field\\nat x'); };\n",
  );
  const [native, connection] = await Promise.all([
    NativeConnection.connect({ address: inject('address') }),
    Connection.connect({ address: inject('address') }),
  ]);
  const client = new Client({ connection, dataConverter });
  const worker = await Worker.create({
    ...{ connection: native, taskQueue: mainQueue(project), workflowsPath: join(dir, 'fails.cjs') },
  });
  const running = worker.run();
  try {
    const api = new RunApi(client, project);
    await api.start({ project, runId: 'r-1', settings: settings() }, { repo: '/r' });
    const facts = await until('the task to fail', async () => {
      const found = await api.facts();
      return found?.failing ? found : undefined;
    });
    expect(facts).toMatchObject({ open: true, runId: 'r-1', failing: 'no such field' });
  } finally {
    await client.workflow.getHandle(autopilotId(project)).terminate();
    worker.shutdown();
    await running;
    await Promise.all([native.close(), connection.close()]);
    await rm(dir, { recursive: true, force: true });
  }
});
