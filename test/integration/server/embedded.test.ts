import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cacheRoot, serverDir } from '../../../src/config/paths.js';
import { isAlive } from '../../../src/process/identity.js';
import { readDatabaseNote } from '../../../src/server/database.js';
import { ensureServer } from '../../../src/server/embedded.js';
import {
  databaseNotePath,
  databasePath,
  HOST,
  recordPath,
  removeFile,
  serverLogPath,
} from '../../../src/server/files.js';
import { findServers } from '../../../src/server/find.js';
import { isServing } from '../../../src/server/health.js';
import { serverStatus, stopServer } from '../../../src/server/stop.js';
import { bundle, run, until } from '../../unit/server/program.js';
import { BUILD_MS, cleanUp, freshOptions, provideServer } from './support.js';

beforeAll(provideServer, BUILD_MS);
afterEach(cleanUp);

const SOURCE = `
import { ensureServer } from './src/server/embedded.js';
const [, , root, cacheRoot] = process.argv;
const onProgress = (line) => console.error(line);
const record = await ensureServer({ root, cacheRoot, env: process.env, onProgress, ports: { grpc: 0, ui: 0 } });
console.log(JSON.stringify(record));
`;

describe('ensureServer', () => {
  it('starts a prepared server, finds it again, and stops it', async () => {
    const options = await freshOptions();
    const record = await ensureServer(options);
    expect(await isServing(record.address, 2_000)).toBe(true);
    expect(record.address).toBe(`${HOST}:${record.ports.grpc}`);
    expect((await fetch(record.uiUrl)).status).toBe(200);

    const connection = await Connection.connect({ address: record.address });
    const { config } = await connection.workflowService.describeNamespace({ namespace: record.namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
    const attributes = await connection.operatorService.listSearchAttributes({ namespace: record.namespace });
    expect(attributes.customAttributes).toMatchObject({
      RalphProject: 2,
      RalphState: 2,
      RalphIdea: 2,
      RalphIteration: 3,
    });
    await connection.close();

    expect(await ensureServer(options)).toEqual(record);
    const status = await serverStatus(options.root);
    expect(status).toMatchObject({ state: 'running', healthy: true, record });
    expect(status.dbBytes).toBeGreaterThan(100_000);
    expect(status.uptimeMs).toBeGreaterThan(0);

    expect(await stopServer(options.root)).toBe(true);
    expect(await isAlive(record)).toBe(false);
    expect(await isServing(record.address, 500)).toBe(false);
    expect(await serverStatus(options.root)).toMatchObject({ state: 'stopped', healthy: false });
    expect(await stopServer(options.root)).toBe(false);
    expect((await ensureServer(options)).ports.grpc).toBe(record.ports.grpc);
  });

  it('answers in milliseconds when the server runs', async () => {
    const options = await freshOptions();
    await ensureServer(options);
    // The best of many: the machine may be busy, the code may not be slow.
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 300 && best >= 20; tries++) {
      const start = performance.now();
      await ensureServer(options);
      best = Math.min(best, performance.now() - start);
    }
    expect(best).toBeLessThan(20);
  });

  it('ends with one server when ten processes ask at once', async () => {
    const { root } = await freshOptions();
    const program = await bundle(join(root, 'program'), 'ensure', SOURCE);
    const ends = await Promise.all(Array.from({ length: 10 }, () => run(program, [root, cacheRoot()]).done));
    expect(ends.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(ends.map(() => ''));
    expect(new Set(ends.map(({ stdout }) => stdout)).size).toBe(1);
    expect(await findServers(databasePath(root))).toHaveLength(1);
  }, 60_000);

  it('outlives its starter, and carries none of its environment but the plain part', async () => {
    const { root } = await freshOptions();
    const program = await bundle(join(root, 'program'), 'ensure', SOURCE);
    const env = { ...process.env, RALPHCTL_ATTEMPT: 'token', TEMPORAL_NAMESPACE: 'x', ANTHROPIC_API_KEY: 'secret' };
    const { stdout } = await run(program, [root, cacheRoot()], env).done;
    const record = JSON.parse(stdout) as { pid: number; address: string };
    expect(await isServing(record.address, 2_000)).toBe(true);
    if (process.platform === 'linux') {
      expect(await readFile(`/proc/${record.pid}/environ`, 'utf8')).not.toMatch(/RALPHCTL|TEMPORAL_|secret/);
    }
  });

  it('adopts the server of a starter that died before it wrote the record', async () => {
    const options = await freshOptions();
    const record = await ensureServer(options);
    await removeFile(recordPath(options.root));
    const adopted = await ensureServer(options);
    expect(adopted).toMatchObject({ pid: record.pid, address: record.address, version: record.version });
    expect(await findServers(databasePath(options.root))).toHaveLength(1);
  });

  it('goes past a default port that is taken, and takes over its old one after a kill', async () => {
    const first = await ensureServer(await freshOptions());
    const options = await freshOptions();
    const record = await ensureServer({ ...options, ports: { grpc: first.ports.grpc, ui: first.ports.ui } });
    expect(record.ports.grpc).not.toBe(first.ports.grpc);
    process.kill(record.pid, 'SIGKILL');
    await until('its end', async () => !(await isAlive(record)));
    expect(await serverStatus(options.root)).toMatchObject({ state: 'dead' });
    const again = await ensureServer(options);
    expect(again.pid).not.toBe(record.pid);
    expect(again.ports).toEqual(record.ports);
  });

  it('keeps workflows over a stop, and adds what an older database lacks', async () => {
    const options = await freshOptions();
    const before = await ensureServer(options);
    let connection = await Connection.connect({ address: before.address });
    const start = { taskQueue: 'nobody', workflowId: 'kept' };
    await new Client({ connection }).workflow.start('any', start);
    await connection.operatorService.removeSearchAttributes({ searchAttributes: ['RalphIdea'], namespace: 'default' });
    await connection.close();
    await stopServer(options.root);

    const after = await ensureServer(options);
    connection = await Connection.connect({ address: after.address });
    expect((await new Client({ connection }).workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(customAttributes).toMatchObject({ RalphIdea: 2 });
    await connection.close();
  });

  it('never opens a database of a newer server', async () => {
    const options = await freshOptions();
    await ensureServer(options);
    await stopServer(options.root);
    const note = JSON.parse(await readFile(databaseNotePath(options.root), 'utf8')) as Record<string, unknown>;
    await writeFile(databaseNotePath(options.root), JSON.stringify({ ...note, server: '9.0.0' }));
    const bytes = await readFile(databasePath(options.root));
    await expect(ensureServer(options)).rejects.toThrow(/written by Temporal server 9\.0\.0.*is the older server 1\./);
    expect((await readFile(databasePath(options.root))).equals(bytes)).toBe(true);
    expect(await findServers(databasePath(options.root))).toEqual([]);
  });

  it('says in one line why a server cannot start', async () => {
    const options = await freshOptions();
    await ensureServer(options);
    await stopServer(options.root);
    // A folder in the place of the log of changes: no damage, and nothing that another start fixes.
    await rename(`${databasePath(options.root)}-wal`, `${databasePath(options.root)}-kept`);
    await mkdir(`${databasePath(options.root)}-wal`);
    const failure = await ensureServer(options).catch((error: Error) => error.message);
    expect(failure).toMatch(/^the Temporal server exited at its start \(exit code 1\): .*unable to open database file/);
    expect(failure).toContain(serverLogPath(options.root));
    expect(failure).not.toMatch(/\n|goroutine/);
  });

  it.each([
    ['overwritten', (path: string) => writeFile(path, 'this is no database, and long enough '.repeat(100))],
    ['emptied', (path: string) => truncate(path, 0)],
    ['cut short', (path: string) => truncate(path, 1000)],
  ])('moves a database aside by name that was %s, says what is lost, and serves from a new one', async (_, harm) => {
    const options = await freshOptions();
    await ensureServer(options);
    await stopServer(options.root);
    for (const part of ['-wal', '-shm']) await removeFile(databasePath(options.root) + part);
    await harm(databasePath(options.root));
    const record = await ensureServer(options);
    expect(await isServing(record.address, 2_000)).toBe(true);
    const aside = (await readdir(serverDir(options.root))).filter((name) => /^temporal\.db\.damaged-\d/.test(name));
    expect(aside).toContainEqual(expect.stringMatching(/^temporal\.db\.damaged-\w+$/));
    const told = options.said.join('\n');
    expect(told).toContain(join(serverDir(options.root), aside[0] ?? '?'));
    expect(told).toMatch(/is damaged \(.+\).*Lost: .*Kept: .*ralphctl start/);
    expect((await readDatabaseNote(options.root))?.lost?.why).toContain('is damaged');
  });

  it('says that its database was deleted, and starts with an empty one', async () => {
    const options = await freshOptions();
    await ensureServer(options);
    await stopServer(options.root);
    await rm(databasePath(options.root));
    await ensureServer(options);
    expect(options.said.join('\n')).toMatch(/temporal\.db was deleted.*Lost: .*Kept: .*ralphctl start/);
    expect((await readDatabaseNote(options.root))?.lost?.why).toContain('was deleted');
  });

  it('starts beside another one that wants the same ports at the same moment', async () => {
    const { ports } = await ensureServer(await freshOptions());
    const wanted = { grpc: ports.grpc + 1, ui: ports.ui + 1 };
    const several = await Promise.all(Array.from({ length: 3 }, freshOptions));
    const records = await Promise.all(several.map((options) => ensureServer({ ...options, ports: wanted })));
    expect(new Set(records.map(({ address }) => address)).size).toBe(3);
    for (const { address } of records) expect(await isServing(address, 2_000)).toBe(true);
  }, 120_000);
});
