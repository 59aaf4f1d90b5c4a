/** docs/deploy.md says what the files do, and its examples work. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names.js';
import { resolveConnection } from '../../../src/server/connection.js';
import { blocks, compose, read, top } from './files.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let guide: string;
let folder: string;
beforeAll(async () => {
  guide = await read('docs/deploy.md');
  folder = await mkdtemp(join(tmpdir(), 'ralphctl-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('names the images and the volume of the compose file', async () => {
  const file = await compose();
  for (const [name, { image }] of Object.entries(file.services))
    expect(guide).toContain(`| \`${name}\` | \`${image}\` |`);
  for (const volume of Object.keys(file.volumes)) expect(guide).toContain(`\`${file.name}_${volume}\``);
});

it('names files that exist and services that exist', async () => {
  const paths = [...guide.matchAll(/\b((?:deploy|test)\/[\w./-]*\w)/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) await access(join(top, path));
  const services = Object.keys((await compose()).services);
  const named = [...guide.matchAll(/docker compose (?:stop|exec(?: -T)?) (.+?)(?: {2,}| psql| pg_dump|$)/gm)];
  expect(named).toHaveLength(5);
  for (const [, names = ''] of named) expect(services).toEqual(expect.arrayContaining(names.split(' ')));
});

it('lists the search attributes', () => {
  for (const name of Object.keys(SEARCH_ATTRIBUTES)) expect(guide).toContain(`\`${name}\``);
});

it('has shell examples that are valid shell', async () => {
  for (const block of blocks(guide, 'sh')) {
    expect((await execa('sh', ['-n'], { input: block, reject: false })).stderr).toBe('');
  }
});

it('has profiles that connect as it says', async () => {
  const config = join(folder, 'temporal.toml');
  const [client, key] = [join(folder, 'client.pem'), join(folder, 'client.key')];
  const text = blocks(guide, 'toml').join('\n');
  await writeFile(config, text.replace('/etc/ralphctl/client.pem', client).replace('/etc/ralphctl/client.key', key));
  await writeFile(client, 'certificate');
  await writeFile(key, 'key');
  const connect = (profile: string) =>
    resolveConnection({ env: { HOME: folder, TEMPORAL_CONFIG_FILE: config, TEMPORAL_PROFILE: profile } });
  expect(await connect('default')).toMatchObject({
    kind: 'external',
    namespace: 'default',
    options: { address: '127.0.0.1:7233' },
  });
  const cloud = await connect('cloud');
  expect(cloud).toMatchObject({ namespace: 'ralph.a1b2c', options: { apiKey: '…' } });
  // An API key turns TLS on without a section of its own.
  expect(cloud.kind === 'external' && cloud.options.tls).toBeTruthy();
  expect(await connect('team')).toMatchObject({
    options: { tls: { clientCertPair: { crt: bytes('certificate'), key: bytes('key') } } },
  });
});
