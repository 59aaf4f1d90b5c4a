import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../src/process/identity.js';
import { ensureServer } from '../../../src/server/embedded.js';
import { stopServer } from '../../../src/server/stop.js';
import { type ServerEvent, type WatchOptions, watchServer } from '../../../src/server/watch.js';
import { until } from '../../unit/server/program.js';
import { BUILD_MS, cleanUp, freshOptions, provideServer } from './support.js';

const watches: { abort: AbortController; done: Promise<void> }[] = [];

async function watched(overrides: Partial<WatchOptions> = {}) {
  const options = { ...(await freshOptions()), ...overrides };
  const record = await ensureServer(options);
  const events: (ServerEvent & { at: number })[] = [];
  const abort = new AbortController();
  const onEvent = (event: ServerEvent): void => void events.push({ ...event, at: performance.now() });
  watches.push({ abort, done: watchServer({ ...options, onEvent }, abort.signal) });
  const seen = (type: ServerEvent['type'], count = 1) =>
    until(`${count} × ${type}`, () => events.filter((event) => event.type === type)[count - 1], 40_000);
  expect(await seen('watching')).toMatchObject({ record });
  return { options, record, events, seen };
}

beforeAll(provideServer, BUILD_MS);
afterEach(async () => {
  for (const { abort, done } of watches.splice(0)) {
    abort.abort();
    await done;
  }
  await cleanUp();
});

describe('watchServer', () => {
  it('brings a killed server back at its address with its state, again and again', async () => {
    const { record, events, seen } = await watched();
    const connection = await Connection.connect({ address: record.address });
    const client = new Client({ connection });
    await client.workflow.start('any', { taskQueue: 'nobody', workflowId: 'open', args: ['kept'] });

    let pid = record.pid;
    for (let round = 1; round <= 2; round++) {
      process.kill(pid, 'SIGKILL');
      const died = await seen('died', round);
      expect(died).toMatchObject({ why: 'exited', record: { pid } });
      const restarted = await seen('restarted', round);
      if (restarted.type !== 'restarted') throw new Error('unreachable');
      expect(restarted.moved).toBe(false);
      expect(restarted.record.address).toBe(record.address);
      expect(restarted.record.pid).not.toBe(pid);
      pid = restarted.record.pid;
      // The same connection as before: it reconnects by itself.
      const open = await until('the workflow', () =>
        client.workflow
          .getHandle('open')
          .describe()
          .catch(() => undefined),
      );
      expect(open.status.name).toBe('RUNNING');
    }
    expect(events.map(({ type }) => type)).toEqual(['watching', 'died', 'restarted', 'died', 'restarted']);
    await connection.close();
  });

  it('replaces a server that runs and no longer answers', async () => {
    const { record, seen } = await watched();
    process.kill(record.pid, 'SIGSTOP');
    expect(await seen('died')).toMatchObject({ why: 'unresponsive' });
    await seen('restarted');
    expect(await isAlive(record)).toBe(false);
  }, 90_000);

  it('leaves a server stopped that was stopped on purpose, and follows it when it returns', async () => {
    const { options, record, events, seen } = await watched();
    await stopServer(options.root);
    await seen('stopped');
    expect(await isAlive(record)).toBe(false);
    const returned = await ensureServer(options);
    expect(await seen('restarted')).toMatchObject({ record: { pid: returned.pid } });
    expect(events.map(({ type }) => type)).toEqual(['watching', 'stopped', 'restarted']);
  }, 60_000);

  it('reports what keeps it from a restart, backs off, and recovers', async () => {
    const env: Record<string, string | undefined> = { ...process.env };
    const { record, events, seen } = await watched({ env });
    env.RALPHCTL_TEMPORAL_BIN = '/nowhere/temporal';
    process.kill(record.pid, 'SIGKILL');
    await seen('failed', 3);
    const retries = events.flatMap((event) => (event.type === 'failed' ? [event.retryMs] : []));
    expect(retries.slice(0, 3)).toEqual([400, 800, 1600]);
    expect(events.find((event) => event.type === 'failed')).toMatchObject({
      error: { message: expect.stringContaining('/nowhere/temporal') },
    });
    delete env.RALPHCTL_TEMPORAL_BIN;
    await seen('restarted');
  }, 60_000);

  it('survives a listener that throws, and ends at once when told', async () => {
    const options = await freshOptions();
    const record = await ensureServer(options);
    const abort = new AbortController();
    const onEvent = (): void => {
      throw new Error('listener');
    };
    const done = watchServer({ ...options, onEvent }, abort.signal);
    process.kill(record.pid, 'SIGKILL');
    await until('a new server', async () => {
      const again = await ensureServer(options);
      return again.pid !== record.pid;
    });
    const start = performance.now();
    abort.abort();
    await done;
    expect(performance.now() - start).toBeLessThan(5_000);
  }, 60_000);
});
