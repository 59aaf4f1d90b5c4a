/** A run in which people are asked, one whose workflow fails, and one that was terminated: each is told as that. Features: A8 C1 C5 G9. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { RunApi } from '../../src/client/api/run.js';
import { projectDir } from '../../src/config/paths.js';
import { identityOf } from '../../src/process/identity.js';
import { autopilotId, mainQueue } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { dataConverter } from '../../src/server/codec.js';
import { workerRecordPath, writeWorkerRecord } from '../../src/worker/record.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { quietRuntime, settings } from './rollover-world.js';

const SLOW = 120_000;
beforeAll(quietRuntime);
let box: Sandbox | undefined;
afterEach(() => box?.dispose());

async function repository(): Promise<Sandbox> {
  const ask = [
    { signal: 'NEEDS_HUMAN: which colour?' },
    { do: [{ write: { path: 'a', text: 'a' } }], signal: 'COMPLETE' },
  ];
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'ask-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
    '.ralph-script.yaml': yaml({ ideas: { 'ask-1': ask } }),
  });
  return box;
}

const projectOf = async ({ run }: Sandbox): Promise<string> => String((await run('status', '--json')).json[0]?.project);

it(
  'G9: a run in which only a person is asked waits for you, in status, memo, attribute and details, until the answer',
  async () => {
    const { run } = await repository();
    const started = await run('start');
    expect([started.code, started.stdout]).toEqual([4, expect.stringContaining('waits for you')]);
    const project = await projectOf(box as Sandbox);
    const connection = await Connection.connect({ address: inject('address') });
    try {
      const client = new Client({ connection, dataConverter });
      const handle = client.workflow.getHandle(autopilotId(project));
      expect((await run('status')).stdout).toMatch(/^run \S+: waits for you, 0\/1 landed on main/);
      // The clock of a workflow without events stands still.
      const before = Date.now();
      const live = (await run('status', '--json')).json[0]?.status as RunStatus | undefined;
      expect(live?.statistics.runtimeMs).toBeGreaterThanOrEqual(before - Number(live?.statistics.startedAt));
      const { memo, searchAttributes } = await handle.describe();
      expect(memo).toMatchObject({ progress: { state: 'waits for you', asking: 1 } });
      expect(searchAttributes).toMatchObject({ RalphState: ['waits for you'] });
      expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringMatching(/^\*\*waits for you\*\* since [^·]+ · 0 of 1 landed/),
      });
      // Said again, it changes nothing.
      const resumed = await run('resume');
      expect([resumed.code, resumed.stderr]).toEqual([7, expect.stringContaining('the run is already running')]);
      expect(resumed.stderr).not.toMatch(/Possible now: .*resume/);
      expect((await run('answer', 'ask-1', 'green')).code).toBe(0);
      await handle.result();
      expect((await handle.describe()).searchAttributes).toMatchObject({ RalphState: ['completed'] });
    } finally {
      await connection.close();
    }
  },
  SLOW,
);

it(
  'A8: after a terminated run status shows no summary, though the run before it left one',
  async () => {
    const { run } = await repository();
    await run('start');
    expect((await run('abort')).code).toBe(0);
    await until('the first run to end', async () => (await run('status')).stdout.includes('last run: aborted'), SLOW);
    expect((await run('status')).stdout).toContain('0 landed, 1 did not land');
    const second = await run('start', '--detach');
    expect(second.code, second.stderr).toBe(0);
    const project = await projectOf(box as Sandbox);
    const connection = await Connection.connect({ address: inject('address') });
    try {
      const { workflow } = new Client({ connection, dataConverter });
      await workflow.getHandle(autopilotId(project)).terminate('a test');
      const { stdout } = await run('status');
      expect(stdout).toContain('last run: terminated');
      // What its own files hold is shown as that, and not as a summary.
      const counts = stdout.split('\n').filter((line) => /\d+ landed, \d+ did not land/.test(line));
      expect(counts).toEqual(['  as last recorded: 0 landed, 1 did not land']);
      expect(stdout).not.toContain('last run: aborted');
      for await (const { workflowId } of workflow.list({
        query: `RalphProject = '${project}' AND ExecutionStatus = 'Running'`,
      }))
        await workflow.getHandle(workflowId).terminate('a test');
    } finally {
      await connection.close();
    }
  },
  SLOW,
);

it(
  'A8 C1 D2: status, stop and doctor say of a run whose workflow fails that it fails, with its first error line and log',
  async () => {
    const { run, env } = await repository();
    // Of an external server it is not known who polls, so that no worker of ours is needed.
    env.TEMPORAL_ADDRESS = inject('address');
    const project = await projectOf(box as Sandbox);
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-fails-')));
    await symlink(new URL('../../node_modules', import.meta.url).pathname, join(dir, 'node_modules'));
    await writeFile(
      join(dir, 'fails.cjs'),
      "exports.autopilot = async () => { throw new TypeError('no such field\\nx'); };\n",
    );
    const address = inject('address');
    const [native, connection] = await Promise.all([
      NativeConnection.connect({ address }),
      Connection.connect({ address }),
    ]);
    const client = new Client({ connection, dataConverter });
    const worker = await Worker.create({
      ...{ connection: native, taskQueue: mainQueue(project), workflowsPath: join(dir, 'fails.cjs') },
    });
    const running = worker.run();
    const api = new RunApi(client, project);
    const root = inject('stateRoot');
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      await api.start({ project, runId: `r-${randomUUID()}`, settings: settings() }, { repo: '/r' });
      await until('the task to fail', async () => (await api.facts())?.failing);
      const told = [
        'the workflow of the run fails, so nothing moves: no such field',
        `  the worker's log has the whole error: ${projectDir(root, project)}/logs`,
        '  after an update or a fix: ralphctl worker --stop, then ralphctl start',
      ];
      // A worker of this host: without one, status says that alone.
      const keeper = (await identityOf(other.pid ?? 0)) ?? expect.fail('it has ended');
      await mkdir(projectDir(root, project), { recursive: true });
      await writeWorkerRecord(root, project, { keeper, buildId: 'b', startedAt: '' });
      const { stdout } = await run('status');
      expect(stdout.split('\n').slice(0, told.length)).toEqual(told);
      await rm(workerRecordPath(root, project));
      const stopped = await run('stop');
      expect([stopped.code, stopped.stdout]).toEqual([5, expect.stringMatching(/^queued: stop\. /)]);
      expect(stopped.stdout.split('\n').slice(1, 4)).toEqual(told.map((line) => `  ${line.trim()}`));
      const looked = await run('doctor', '--quick');
      expect([looked.code, looked.stdout]).toEqual([2, expect.stringMatching(/✗ open run .*no such field/)]);
      expect(looked.stdout).toContain(`the worker's log has the whole error: ${projectDir(root, project)}/logs`);
      expect(looked.stdout).not.toContain('ready to start');
    } finally {
      other.kill('SIGKILL');
      await client.workflow.getHandle(autopilotId(project)).terminate();
      worker.shutdown();
      await running;
      await Promise.all([native.close(), connection.close()]);
      await rm(dir, { recursive: true, force: true });
    }
  },
  SLOW,
);
