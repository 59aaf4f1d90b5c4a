/** The job scripts and the dynamic configuration agree with the program. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names.js';
import { serverArguments } from '../../../src/server/flags.js';
import { read, top } from './files.js';

const script = (name: string): string => join(top, 'deploy', 'temporal', name);

it('every script is valid POSIX shell that stops at the first error', async () => {
  const names = (await readdir(join(top, 'deploy', 'temporal'))).filter((name) => name.endsWith('.sh'));
  expect(names.sort()).toEqual(['namespace.sh', 'schema.sh']);
  for (const name of names) {
    expect((await execa('sh', ['-n', script(name)], { reject: false })).stderr).toBe('');
    const text = await read(`deploy/temporal/${name}`);
    expect(text).toMatch(/^#!\/bin\/sh\n/);
    expect(text).toMatch(/^set -eu$/m);
    // The images have no bash.
    expect(text).not.toMatch(/\[\[|\bbash\b|\blocal /);
  }
});

it('the namespace job registers exactly the search attributes of the program', async () => {
  const text = await read('deploy/temporal/namespace.sh');
  const pairs = [...text.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => [name, type]);
  expect(pairs).toHaveLength(Object.keys(SEARCH_ATTRIBUTES).length);
  expect(Object.fromEntries(pairs)).toEqual(SEARCH_ATTRIBUTES);
  for (const name of Object.keys(SEARCH_ATTRIBUTES)) expect(text).toMatch(new RegExp(`${name} = `));
});

it('the namespace job keeps closed workflows for 30 days', async () => {
  const text = await read('deploy/temporal/namespace.sh');
  expect(text).toMatch(/^retention_hours=720$/m);
  const set = text.split('\n').filter((line) => line.includes('--retention'));
  expect(set).toHaveLength(2);
  for (const line of set) expect(line).toContain(`--retention "\${retention_hours}h"`);
});

it('scripts say what is missing', async () => {
  for (const [name, variable] of [
    ['schema.sh', 'SQL_HOST'],
    ['namespace.sh', 'TEMPORAL_ADDRESS'],
  ] as const) {
    const done = await execa('sh', [script(name)], {
      env: { PATH: process.env.PATH },
      extendEnv: false,
      reject: false,
    });
    expect(done.exitCode).not.toBe(0);
    expect(done.stderr).toContain(variable);
  }
});

it('the server polls its queues as fast as the embedded one', async () => {
  const dynamic = parse(await read('deploy/temporal/dynamicconfig.yaml')) as Record<string, { value: unknown }[]>;
  for (const values of Object.values(dynamic)) expect(values).toHaveLength(1);
  const args = serverArguments('db', { grpc: 1, ui: 2, http: 3, metrics: 4 });
  // How much a cluster keeps in memory, and what it measures, is its owner's to say.
  const embedded = args
    .filter((_, index) => args[index - 1] === '--dynamic-config-value')
    .filter((setting) => !/^(?:history\.hostLevelCacheMaxSize|metrics\.\w+)=/.test(setting));
  expect(embedded.length).toBeGreaterThan(0);
  const cluster = Object.entries(dynamic).map(([key, values]) => `${key}=${values[0]?.value}`);
  expect(cluster).toEqual(expect.arrayContaining(embedded));
});
