/** The keys of a configuration that an open run is to get. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkPayloadKeys } from '../../../src/client/doctor/payload-keys.js';
import { checkKeys, checkNewKeys } from '../../../src/client/plan/payload-keys.js';
import { parseConfig } from '../../../src/config/load.js';
import { keyChecksDir } from '../../../src/config/paths.js';
import { EXIT, UserError } from '../../../src/protocol/user-error.js';
import { keysOfProject } from '../../../src/run-files/payload-keys.js';
import { ProjectPayloads } from '../../../src/server/payloads/project.js';

const env = { A: randomBytes(32).toString('base64'), B: randomBytes(32).toString('base64'), SHORT: 'abcd' };
const config = (...keys: string[]) =>
  parseConfig(`payloads: {encryption: {keys: [${keys.join(', ')}]}}`, 'ralphctl.yaml');
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-doctor-keys-'));
});
afterAll(() => rm(root, { recursive: true }));
const of = (variables: NodeJS.ProcessEnv = env, project = 'p') => ({ env: variables, root, project });
const [a, b] = ['{id: a, env: A}', '{id: b, env: B}'];

it('may be more of them, in another order, from another place; and the first ones', async () => {
  for (const [from, to] of [
    [[], []],
    [[], [a]],
    [[a], [b, a]],
    [
      [a, b],
      [b, a],
    ],
    [[a], ['{id: a, command: "echo $A"}']],
    // Its old place is gone.
    [['{id: a, env: GONE}'], [a]],
  ] as const)
    await checkNewKeys(of({ ...process.env, ...env }), config(...from), config(...to));
  // Of a version without payloads.
  const { payloads: _, ...older } = config();
  await checkNewKeys(of(), older as ReturnType<typeof config>, config(a));
});

it('may not be fewer, nor another key under an old id, nor one that cannot be read', async () => {
  const refused = async (from: string[], to: string[]): Promise<UserError> => {
    const error = await checkNewKeys(of(), config(...from), config(...to)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  };
  const lost = await refused([a, b], [b]);
  expect([lost.exitCode, lost.message]).toEqual([EXIT.refused, expect.stringContaining('no longer has the key "a"')]);
  expect((await refused([a], [])).message).toContain('ralphctl stop');
  const other = await refused([a], ['{id: a, env: B}']);
  expect([other.exitCode, other.message]).toEqual([EXIT.refused, expect.stringContaining('the id "a" to another key')]);
  expect((await refused([a], ['{id: c, env: SHORT}', a])).message).toContain('holds 3 bytes');
  await expect(checkKeys(of(), config('{id: c, env: GONE}'))).rejects.toThrow('GONE is not set');
});

it('are checked by doctor one by one, with who may read their files', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-doctor-keys-'));
  try {
    const file = join(dir, 'b.key');
    await writeFile(file, env.B, { mode: 0o600 });
    const keys = [
      { id: 'a', env: 'A' },
      { id: 'b', file },
      { id: 'c', env: 'GONE' },
    ];
    expect(await checkPayloadKeys(of(), [])).toEqual([]);
    const [a, b, c] = await checkPayloadKeys(of(), keys);
    expect(a).toMatchObject({
      state: 'ok',
      what: 'payload key a',
      found: expect.stringContaining('encrypts and decrypts'),
    });
    expect(b).toMatchObject({ state: 'ok', found: `${file}; decrypts` });
    expect(c).toMatchObject({ state: 'fail', fix: expect.stringContaining('openssl rand -base64 32') });
    await chmod(file, 0o644);
    const [, open] = await checkPayloadKeys(of(), keys);
    expect(open).toMatchObject({ state: 'warn', fix: `chmod 600 ${file}` });
  } finally {
    await rm(dir, { recursive: true });
  }
});

it('are found out where another one stands under an id that encrypted before', async () => {
  const place = { id: 'a', env: 'A' };
  const { older, encrypted } = keysOfProject(root, 'q');
  const payloads = (variables: NodeJS.ProcessEnv) =>
    new ProjectPayloads({
      keys: { newest: async () => ({ keys: [place] }), older, encrypted },
      env: variables,
    });
  const seal = async (variables: NodeJS.ProcessEnv) => {
    for (const codec of payloads(variables).codecs)
      await codec.encode([{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') }]);
  };
  const doctor = async (variables: NodeJS.ProcessEnv) => (await checkPayloadKeys(of(variables, 'q'), [place]))[0];
  const other = { ...env, A: env.B };
  // A key that encrypted nothing may still be another one.
  await payloads(env).check();
  expect(await doctor(other)).toMatchObject({ state: 'ok' });

  await seal(env);
  expect(await doctor(env)).toMatchObject({ state: 'ok' });
  const FIX = /Put the right key back.*a new id/i;
  expect(await doctor(other)).toMatchObject({
    ...{ state: 'fail', what: 'payload key a' },
    found: expect.stringMatching(
      /the environment variable A does not hold the key that encrypted .* can be read with it/,
    ),
    fix: expect.stringMatching(FIX),
  });
  const refused = await checkKeys(of(other, 'q'), config(a)).catch((caught: unknown) => caught);
  expect(refused).toBeInstanceOf(UserError);
  expect([(refused as UserError).exitCode, (refused as UserError).message]).toEqual([
    EXIT.usage,
    expect.stringMatching(FIX),
  ]);
  // Using the wrong one all the same does not make it the right one.
  await seal(other);
  expect(await doctor(other)).toMatchObject({ state: 'fail' });
  expect(await doctor(env)).toMatchObject({ state: 'ok' });
  // The new key under a new id, and another project.
  await checkKeys(of(other, 'q'), config('{id: a2, env: A}'));
  await checkKeys(of(other, 'elsewhere'), config(a));

  const [name = '', ...more] = await readdir(keyChecksDir(root, 'q'));
  expect(more).toEqual([]);
  const text = await readFile(join(keyChecksDir(root, 'q'), name), 'utf8');
  for (const form of ['base64', 'hex'] as const)
    expect(text).not.toContain(Buffer.from(env.A, 'base64').toString(form));
  // Half of a file is no proof.
  await writeFile(join(keyChecksDir(root, 'q'), name), text.slice(0, 20));
  expect(await doctor(other)).toMatchObject({ state: 'ok' });
  await seal(env);
  expect(await doctor(other)).toMatchObject({ state: 'fail' });
});
