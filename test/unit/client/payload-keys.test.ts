/** The keys of a configuration that an open run is to get. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkPayloadKeys } from '../../../src/client/doctor/payload-keys.js';
import { checkKeys, checkNewKeys } from '../../../src/client/plan/payload-keys.js';
import { parseConfig } from '../../../src/config/load.js';
import { EXIT, UserError } from '../../../src/protocol/user-error.js';

const env = { A: randomBytes(32).toString('base64'), B: randomBytes(32).toString('base64'), SHORT: 'abcd' };
const config = (...keys: string[]) =>
  parseConfig(`payloads: {encryption: {keys: [${keys.join(', ')}]}}`, 'ralphctl.yaml');
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
    await checkNewKeys({ ...process.env, ...env }, config(...from), config(...to));
  // Of a version without payloads.
  const { payloads: _, ...older } = config();
  await checkNewKeys(env, older as ReturnType<typeof config>, config(a));
});

it('may not be fewer, nor another key under an old id, nor one that cannot be read', async () => {
  const refused = async (from: string[], to: string[]): Promise<UserError> => {
    const error = await checkNewKeys(env, config(...from), config(...to)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  };
  const lost = await refused([a, b], [b]);
  expect([lost.exitCode, lost.message]).toEqual([EXIT.refused, expect.stringContaining('no longer has the key "a"')]);
  expect((await refused([a], [])).message).toContain('ralphctl stop');
  const other = await refused([a], ['{id: a, env: B}']);
  expect([other.exitCode, other.message]).toEqual([EXIT.refused, expect.stringContaining('the id "a" to another key')]);
  expect((await refused([a], ['{id: c, env: SHORT}', a])).message).toContain('holds 3 bytes');
  await expect(checkKeys(env, config('{id: c, env: GONE}'))).rejects.toThrow('GONE is not set');
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
    const context = { env };
    expect(await checkPayloadKeys(context, [])).toEqual([]);
    const [a, b, c] = await checkPayloadKeys(context, keys);
    expect(a).toMatchObject({
      state: 'ok',
      what: 'payload key a',
      found: expect.stringContaining('encrypts and decrypts'),
    });
    expect(b).toMatchObject({ state: 'ok', found: `${file}; decrypts` });
    expect(c).toMatchObject({ state: 'fail', fix: expect.stringContaining('openssl rand -base64 32') });
    await chmod(file, 0o644);
    const [, open] = await checkPayloadKeys(context, keys);
    expect(open).toMatchObject({ state: 'warn', fix: `chmod 600 ${file}` });
  } finally {
    await rm(dir, { recursive: true });
  }
});
