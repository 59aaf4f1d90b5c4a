import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultConfigFile, describeAddress, resolveConnection } from '../../../src/server/connection.js';
import { assertReachable, splitAddress } from '../../../src/server/reach.js';
import { bundle, remove, run, temporaryFolder } from './program.js';

let home: string;
beforeEach(async () => {
  home = await temporaryFolder();
});
afterEach(() => remove(home));

const resolve = (env: Record<string, string>) => resolveConnection({ env: { HOME: home, ...env } });

async function profileFile(text: string): Promise<string> {
  const file = defaultConfigFile({ HOME: home }) ?? '';
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

describe('nothing configured', () => {
  it('means the embedded server', async () => {
    expect(await resolve({})).toEqual({ kind: 'embedded' });
    expect(await resolve({ TEMPORAL_ADDRESS: '', RALPHCTL_TEMPORAL_BIN: '/x', TEMPORAL_DEBUG: '1' })).toEqual({
      kind: 'embedded',
    });
  });
  it('also with a temporal.toml that has no address', async () => {
    await profileFile('[profile.other]\naddress = "elsewhere:1"\n');
    expect(await resolve({})).toEqual({ kind: 'embedded' });
  });
  it('loads nothing of the SDK', async () => {
    const source = `
      import { resolveConnection } from './src/server/connection.js';
      import { ensureServer } from './src/server/embedded.js';
      import { createRequire } from 'node:module';
      await resolveConnection({ env: { HOME: process.argv[2] } });
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter((f) => f.includes('temporalio'));
      console.log(typeof ensureServer, loaded.length);`;
    const { done } = run(await bundle(join(home, 'p'), 'light', source), [home]);
    expect((await done).stdout).toBe('function 0\n');
  });
});

describe('explicit settings', () => {
  it('from the environment', async () => {
    const found = await resolve({ TEMPORAL_ADDRESS: 'cluster:7233', TEMPORAL_NAMESPACE: 'team' });
    expect(found).toEqual({
      kind: 'external',
      options: { address: 'cluster:7233' },
      namespace: 'team',
      origin: 'TEMPORAL_ADDRESS',
    });
    expect(describeAddress(found)).toBe('cluster:7233, namespace "team" (from TEMPORAL_ADDRESS)');
  });

  it('a namespace alone means the standard address, as for every Temporal tool', async () => {
    expect(await resolve({ TEMPORAL_NAMESPACE: 'team' })).toMatchObject({
      options: { address: 'localhost:7233' },
      namespace: 'team',
      origin: 'the default, because only TEMPORAL_NAMESPACE is set',
    });
  });

  it('an API key turns TLS on, and needs an address', async () => {
    expect(await resolve({ TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'k' })).toMatchObject({
      options: { address: 'cloud:7233', apiKey: 'k', tls: true },
    });
    await expect(resolve({ TEMPORAL_API_KEY: 'k' })).rejects.toThrow('export TEMPORAL_ADDRESS=');
  });

  it('client certificates are read', async () => {
    const [cert, key] = [join(home, 'c.pem'), join(home, 'k.pem')];
    await writeFile(cert, 'CERT');
    await writeFile(key, 'KEY');
    const env = { TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: key };
    const found = await resolve({ ...env, TEMPORAL_ADDRESS: 'cloud:7233' });
    if (found.kind !== 'external' || typeof found.options.tls !== 'object') throw new Error('no TLS');
    const pair = found.options.tls.clientCertPair;
    expect([pair?.crt, pair?.key].map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual(['CERT', 'KEY']);
  });

  it('the default profile of temporal.toml, and the environment over it', async () => {
    const file = await profileFile('[profile.default]\naddress = "from-file:7233"\nnamespace = "filed"\n');
    expect(await resolve({})).toEqual({
      kind: 'external',
      options: { address: 'from-file:7233' },
      namespace: 'filed',
      origin: `profile "default" of ${file}`,
    });
    expect(await resolve({ TEMPORAL_ADDRESS: 'env:1' })).toMatchObject({
      options: { address: 'env:1' },
      namespace: 'filed',
      origin: 'TEMPORAL_ADDRESS',
    });
  });

  it('a named profile of a named file', async () => {
    const file = join(home, 'mine.toml');
    await writeFile(file, '[profile.prod]\naddress = "prod:7233"\n[profile.bare]\nnamespace = "x"\n');
    const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'prod' };
    expect(await resolve(env)).toMatchObject({
      options: { address: 'prod:7233' },
      origin: `profile "prod" of ${file}`,
    });
    await expect(resolve({ ...env, TEMPORAL_PROFILE: 'nope' })).rejects.toThrow(/profile "nope" of .*mine\.toml/);
    await expect(resolve({ ...env, TEMPORAL_PROFILE: 'bare' })).rejects.toThrow('TEMPORAL_PROFILE=bare has no address');
    await expect(resolve({ TEMPORAL_CONFIG_FILE: join(home, 'no.toml') })).rejects.toThrow('no.toml does not exist');
  });

  it('a broken file is named', async () => {
    const file = await profileFile('[profile.default\n');
    await expect(resolve({})).rejects.toThrow(file);
  });
});

it('finds the file where the Temporal tools do', () => {
  expect(defaultConfigFile({ HOME: '/h' }, 'linux')).toBe('/h/.config/temporalio/temporal.toml');
  expect(defaultConfigFile({ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'linux')).toBe('/x/temporalio/temporal.toml');
  expect(defaultConfigFile({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support/temporalio/temporal.toml');
  expect(defaultConfigFile({ HOME: '/h', XDG_CONFIG_HOME: 'relative' }, 'linux')).toBeUndefined();
});

describe('assertReachable', () => {
  it('names address, origin and what to do', async () => {
    const found = await resolve({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
    if (found.kind !== 'external') throw new Error('not external');
    const message =
      /^cannot reach Temporal at 127\.0\.0\.1:1, namespace "default" \(from TEMPORAL_ADDRESS\): .*ECONNREFUSED.*\. Start that server/;
    await expect(assertReachable(found)).rejects.toThrow(message);
  });
  it('is silent when something listens', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const options = { address: `127.0.0.1:${port}` };
    await assertReachable({ kind: 'external', options, namespace: 'default', origin: 'test' });
    await new Promise((closed) => server.close(closed));
  });
  it.each([
    ['host', 'host', 7233],
    ['host:1', 'host', 1],
    ['[::1]:9', '::1', 9],
    ['dns:///host:2', 'host', 2],
  ])('splits %s', (address, host, port) => {
    expect(splitAddress(address)).toEqual({ host, port });
  });
});
