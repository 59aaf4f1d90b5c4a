/**
 * The namespace job against a real Temporal server, as often as compose may run it. Needs a `temporal` program that is
 * here already (RALPHCTL_TEMPORAL_BIN, PATH or the cache): building one takes minutes, and test/integration does that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cacheRoot } from '../../../src/config/paths.js';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names.js';
import { which } from '../../../src/server/install/probe.js';
import { cachedBinary } from '../../../src/server/install/resolve.js';
import { accepts, choosePorts } from '../../../src/server/ports.js';
import { top } from './files.js';

async function findTemporal(): Promise<string | undefined> {
  const cached = cachedBinary(cacheRoot());
  const isCached = await access(cached).then(
    () => true,
    () => false,
  );
  return process.env.RALPHCTL_TEMPORAL_BIN || (await which('temporal', process.env)) || (isCached ? cached : undefined);
}

const temporal = await findTemporal();
const DAY_SECONDS = 86_400;
const THIRTY_DAYS = `${30 * DAY_SECONDS}s`;

describe.skipIf(!temporal)('the namespace job', () => {
  let folder: string;
  let server: ChildProcess;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ralphctl-namespace-'));
    await symlink(temporal ?? '', join(folder, 'temporal'));
    const ports = await choosePorts({ env: {}, asked: { grpc: 0, ui: 0 } });
    address = `127.0.0.1:${ports.grpc}`;
    const where = [
      '--ip',
      '127.0.0.1',
      '--port',
      ports.grpc,
      '--http-port',
      ports.http,
      '--metrics-port',
      ports.metrics,
    ];
    const args = ['server', 'start-dev', '--headless', '--log-level', 'error', ...where.map(String)];
    server = spawn(temporal ?? '', args, { stdio: 'ignore', cwd: folder });
    await vi.waitFor(async () => expect(await accepts(ports.grpc)).toBe(true), { timeout: 50_000, interval: 50 });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.kill('SIGKILL')) await ended;
    await rm(folder, { recursive: true, force: true });
  });

  const environment = (more: Record<string, string> = {}): Record<string, string> => ({
    PATH: `${folder}:/usr/bin:/bin`,
    HOME: folder,
    TEMPORAL_ADDRESS: address,
    ...more,
  });
  const job = (env: Record<string, string>) =>
    execa('sh', [join(top, 'deploy', 'temporal', 'namespace.sh')], { env, extendEnv: false, reject: false });
  const operator = (...args: string[]) =>
    execa('temporal', ['operator', ...args], {
      env: environment(),
      extendEnv: false,
      preferLocal: true,
      localDir: folder,
    });
  const retention = async (namespace: string): Promise<string> => {
    const { stdout } = await operator('namespace', 'describe', '--namespace', namespace, '--output', 'json');
    return (JSON.parse(stdout) as { config: { workflowExecutionRetentionTtl: string } }).config
      .workflowExecutionRetentionTtl;
  };
  const attributes = async (namespace: string): Promise<Record<string, string>> => {
    const { stdout } = await operator('search-attribute', 'list', '--namespace', namespace, '--output', 'json');
    return (JSON.parse(stdout) as { customAttributes: Record<string, string> }).customAttributes;
  };
  const wanted = Object.fromEntries(
    Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, `INDEXED_VALUE_TYPE_${type.toUpperCase()}`]),
  );

  it('makes a namespace, and changes nothing when it runs again', async () => {
    for (const _round of [1, 2]) {
      const done = await job(environment({ TEMPORAL_NAMESPACE: 'fresh' }));
      expect(done.stderr).toBe('');
      expect(done.exitCode).toBe(0);
      expect(await retention('fresh')).toBe(THIRTY_DAYS);
      expect(await attributes('fresh')).toEqual(wanted);
    }
  });

  it('raises a retention that is too short, in the default namespace when none is named', async () => {
    expect(await retention('default')).toBe(`${DAY_SECONDS}s`);
    expect((await job(environment())).exitCode).toBe(0);
    expect(await retention('default')).toBe(THIRTY_DAYS);
    expect(await attributes('default')).toEqual(wanted);
  });

  it('leaves a longer retention as a person set it', async () => {
    await operator('namespace', 'create', '--namespace', 'kept', '--retention', '90d');
    expect((await job(environment({ TEMPORAL_NAMESPACE: 'kept' }))).exitCode).toBe(0);
    expect(await retention('kept')).toBe(`${90 * DAY_SECONDS}s`);
  });

  it('gives up with the reason when an attribute has another type, or when nothing answers', async () => {
    await operator('namespace', 'create', '--namespace', 'other');
    await operator('search-attribute', 'create', '--namespace', 'other', '--name', 'RalphState', '--type', 'Int');
    const clash = await job(environment({ TEMPORAL_NAMESPACE: 'other', NAMESPACE_JOB_TRIES: '1' }));
    expect(clash.exitCode).toBe(1);
    expect(clash.stderr).toMatch(/could not register the search attributes at .*RalphState already exists/);
    const { grpc } = await choosePorts({ env: {}, asked: { grpc: 0, ui: 0 } });
    const silence = await job(environment({ TEMPORAL_ADDRESS: `127.0.0.1:${grpc}`, NAMESPACE_JOB_TRIES: '1' }));
    expect(silence.exitCode).toBe(1);
    expect(silence.stderr).toContain(`could not prepare namespace default at 127.0.0.1:${grpc}`);
  });
});
