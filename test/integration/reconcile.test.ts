/** What the server says of ideas that the autopilot lost sight of. Features: C6. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createActivities } from '../../src/activities/index.js';
import { workHere } from '../../src/jobs/index.js';
import type { ReconcileResult } from '../../src/protocol/activities.js';
import { ideaWorkflowId } from '../../src/protocol/names.js';
import { quietRuntime } from './rollover-world.js';

/** A workflow that waits, ends, fails or continues as new, as its input says. */
const SOURCE = `
const { condition, continueAsNew, defineSignal, setHandler, ApplicationFailure } = require('@temporalio/workflow');
exports.probe = async (how) => {
  if (how === 'again') return continueAsNew('ends');
  if (how === 'fails') throw ApplicationFailure.nonRetryable('broken');
  if (how === 'waits') await condition(() => false);
  return { idea: 'x', outcome: 'blocked', reason: 'no database here' };
};
`;

describe('reconcileIdeas', () => {
  const project = `rec-${randomUUID().slice(0, 8)}`;
  let connection: Connection;
  let native: NativeConnection;
  let client: Client;
  let worker: Worker;
  let running: Promise<void>;
  let dir: string;

  beforeAll(async () => {
    quietRuntime();
    const { mkdtemp, realpath, symlink, writeFile } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-rec-')));
    await symlink(new URL('../../node_modules', import.meta.url).pathname, join(dir, 'node_modules'));
    await writeFile(join(dir, 'probe.cjs'), SOURCE);
    connection = await Connection.connect({ address: inject('address') });
    native = await NativeConnection.connect({ address: inject('address') });
    client = new Client({ connection });
    worker = await Worker.create({ connection: native, taskQueue: project, workflowsPath: join(dir, 'probe.cjs') });
    running = worker.run();
  }, 120_000);

  afterAll(async () => {
    await client.workflow.getHandle(ideaWorkflowId(project, 'open')).terminate();
    worker.shutdown();
    await running;
    await native.close();
    await connection.close();
    const { rm } = await import('node:fs/promises');
    await rm(dir, { recursive: true, force: true });
  });

  it('tells open, completed, failed, terminated, continued and unknown ones apart', async () => {
    const start = (idea: string, how: string) =>
      client.workflow.start('probe', { taskQueue: project, workflowId: ideaWorkflowId(project, idea), args: [how] });
    await start('open', 'waits');
    const ended = await Promise.all([start('done', 'ends'), start('continued', 'again')]);
    const failed = await start('failed', 'fails');
    const terminated = await start('terminated', 'waits');
    await terminated.terminate('by a test');
    await Promise.all(ended.map((handle) => handle.result()));
    await failed.result().catch(() => {});

    const deps = { root: '/nonexistent', host: 'testhost', env: {}, client: client.workflow };
    const { main } = createActivities(deps, workHere(deps));
    const input = {
      project,
      runId: 'run-1',
      ideas: ['open', 'done', 'continued', 'failed', 'terminated', 'never-started'],
    };
    const found: ReconcileResult[] = await new MockActivityEnvironment().run(main.reconcileIdeas, input);
    const result = { idea: 'x', outcome: 'blocked', reason: 'no database here' };
    expect(found).toEqual([
      { idea: 'open', state: 'open' },
      { idea: 'done', state: 'closed', result },
      { idea: 'continued', state: 'closed', result },
      { idea: 'failed', state: 'closed', result: undefined },
      { idea: 'terminated', state: 'closed', result: undefined },
      { idea: 'never-started', state: 'missing' },
    ]);
  });

  it('an unreachable server is an error and not "missing"', async () => {
    const nowhere = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
    const { workflow } = new Client({ connection: nowhere });
    const deps = { root: '/nonexistent', host: 'testhost', env: {}, client: workflow };
    const { main } = createActivities(deps, workHere(deps));
    const asked = new MockActivityEnvironment().run(main.reconcileIdeas, { project, runId: 'r', ideas: ['open'] });
    await expect(asked).rejects.toThrow();
    await nowhere.close();
  });
});
