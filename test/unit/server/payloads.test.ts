/** Encryption of payloads: keys from their places, round trips, changed payloads, rotation. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeyPlace } from '../../../src/config/schema/payloads.js';
import { SEALED } from '../../../src/protocol/sealed.js';
import { UserError } from '../../../src/protocol/user-error.js';
import { compressLargePayloads } from '../../../src/server/codec.js';
import { readKey } from '../../../src/server/payloads/keys.js';
import { ProjectPayloads } from '../../../src/server/payloads/project.js';

const KEYS = { A: randomBytes(32), B: randomBytes(32), C: randomBytes(32) };
const env = Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, key.toString('base64')]));
const place = (name: keyof typeof KEYS, id = name.toLowerCase()): KeyPlace => ({ id, env: name });

class Project {
  keys: KeyPlace[];
  encrypt = true;
  old: KeyPlace[] = [];
  looks = 0;
  readonly payloads: ProjectPayloads;

  constructor(keys: KeyPlace[], { worker = false, lookMs = 0 } = {}) {
    this.keys = keys;
    const newest = async () => {
      this.looks += 1;
      return { keys: this.keys, encrypt: this.encrypt };
    };
    const older = async (id: string) => this.old.find((one) => one.id === id);
    this.payloads = new ProjectPayloads({ keys: { newest, older }, env, worker, lookMs });
  }

  encode(...payloads: Payload[]): Promise<Payload[]> {
    return encoded(this.payloads, ...payloads);
  }

  async decode(...payloads: Payload[]): Promise<Payload[]> {
    let done = payloads;
    for (const codec of [...this.payloads.codecs].reverse()) done = await codec.decode(done);
    return done;
  }
}

async function encoded({ codecs }: ProjectPayloads, ...payloads: Payload[]): Promise<Payload[]> {
  let done = payloads;
  for (const codec of codecs) done = await codec.encode(done);
  return done;
}

const hex = (bytes: Uint8Array | null | undefined) => bytes && Buffer.from(bytes).toString('hex');
const plain = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, hex(value)])),
  data: hex(data),
});
const said = ({ metadata }: Payload, name: string): string => Buffer.from(metadata?.[name] ?? []).toString();
const one = async (all: Promise<Payload[]>): Promise<Payload> => {
  const [first] = await all;
  if (!first) throw new Error('no payload');
  return first;
};

const anyPayload: fc.Arbitrary<Payload> = fc
  .record(
    {
      metadata: fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== SEALED && name !== '__proto__' && name !== 'encoding'),
        fc.uint8Array({ maxLength: 40 }),
      ),
      data: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ minLength: 1, maxLength: 20 }).map((text) => Buffer.from(text.repeat(20_000))),
      ),
    },
    { requiredKeys: ['metadata'] },
  )
  // Every payload of the SDK has one.
  .map((payload) => ({ ...payload, metadata: { ...payload.metadata, encoding: Buffer.from('json/plain') } }));

describe('G9 encrypted payloads', () => {
  test('come back as they were, whatever they were, and show nothing of it', async () => {
    const project = new Project([place('A')]);
    await fc.assert(
      fc.asyncProperty(anyPayload, async (payload) => {
        const sealed = await one(project.encode(payload));
        expect(said(sealed, 'encoding')).toBe('binary/encrypted');
        expect(said(sealed, 'encryption-cipher')).toBe('AES-256-GCM');
        expect(said(sealed, 'encryption-key-id')).toBe('a');
        expect(Object.keys(sealed.metadata ?? {})).toHaveLength(3);
        expect(plain(await one(project.decode(sealed)))).toEqual(plain(payload));
      }),
      { numRuns: 200 },
    );
  });

  test('may have no data, as the result of a workflow that returns nothing', async () => {
    const project = new Project([place('A')]);
    const nothing = defaultPayloadConverter.toPayload(undefined);
    // What the SDK's own decoding of such a payload makes of the field.
    for (const payload of [nothing, { ...nothing, data: [] as unknown as Uint8Array }, { ...nothing, data: null }]) {
      const back = await one(project.decode(await one(project.encode(payload))));
      expect(plain(back)).toEqual({ metadata: { encoding: hex(Buffer.from('binary/null')) }, data: undefined });
      expect(defaultPayloadConverter.fromPayload(back)).toBeUndefined();
    }
  });

  test('are compressed first, and two of the same are different', async () => {
    const project = new Project([place('A')]);
    const large = defaultPayloadConverter.toPayload({ text: 'the secret plan '.repeat(4000) });
    const [first, second] = await project.encode(large, large);
    expect(first?.data?.length).toBeLessThan(5000);
    expect(hex(first?.data)).not.toBe(hex(second?.data));
    expect(Buffer.from(first?.data ?? []).toString('latin1')).not.toContain('secret');
    expect(defaultPayloadConverter.fromPayload(await one(project.decode(first as Payload)))).toEqual({
      text: 'the secret plan '.repeat(4000),
    });
  });

  test('are refused with the name of the key when any bit of them was changed', async () => {
    // Two ids for one key: only what is authenticated tells them apart.
    const project = new Project([place('A'), place('A', 'b')]);
    const sealed = await one(project.encode(defaultPayloadConverter.toPayload({ answer: 42 })));
    const size = sealed.data?.length ?? 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.nat(7), async (at, bit) => {
        const data = Buffer.from(sealed.data ?? []);
        data[at] = (data[at] ?? 0) ^ (1 << bit);
        const error = await project.decode({ ...sealed, data }).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(UserError);
        expect(String(error)).toContain('does not decrypt with the key "a"');
      }),
    );
    // The id is bound, too, and so is the cipher.
    const other = { ...sealed.metadata, 'encryption-key-id': Buffer.from('b') };
    await expect(project.decode({ ...sealed, metadata: other })).rejects.toThrow('with the key "b"');
    const cipher = { ...sealed.metadata, 'encryption-cipher': Buffer.from('none') };
    await expect(project.decode({ ...sealed, metadata: cipher })).rejects.toThrow('with the key "a"');
    for (const data of [undefined, Buffer.alloc(0), Buffer.alloc(27)])
      await expect(project.decode({ metadata: sealed.metadata, ...(data ? { data } : {}) })).rejects.toThrow(UserError);
  });

  test('of an unknown key are an error that names it and the fix, until it is there', async () => {
    const sealed = await one(new Project([place('B')]).encode(defaultPayloadConverter.toPayload('x')));
    const project = new Project([place('A')], { lookMs: 3_600_000 });
    await project.encode(sealed);
    await expect(project.decode(sealed)).rejects.toThrow(/key "b".*no such key.*config reload/);
    // A configuration that came later counts at once.
    project.keys = [place('A'), place('B')];
    expect(defaultPayloadConverter.fromPayload(await one(project.decode(sealed)))).toBe('x');
  });

  test('of a key that only an older run names still decrypt', async () => {
    const sealed = await one(new Project([place('B')]).encode(defaultPayloadConverter.toPayload('x')));
    const project = new Project([]);
    project.old = [place('B')];
    expect(defaultPayloadConverter.fromPayload(await one(project.decode(sealed)))).toBe('x');
  });

  test('survive a rotation: the first key encrypts, all decrypt, and clear ones pass', async () => {
    const project = new Project([]);
    const value = (n: number) => defaultPayloadConverter.toPayload({ n });
    const stored: Payload[] = await project.encode(value(0));
    for (const [n, keys] of [[place('A')], [place('B'), place('A')], [place('C'), place('B'), place('A')]].entries()) {
      project.keys = keys;
      stored.push(...(await project.encode(value(n + 1))));
    }
    expect(stored.map((payload) => said(payload, 'encryption-key-id'))).toEqual(['', 'a', 'b', 'c']);
    const back = await project.decode(...stored);
    expect(back.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(
      [0, 1, 2, 3].map((n) => ({ n })),
    );
  });

  test('stay readable when nothing new is encrypted any more', async () => {
    const project = new Project([place('A')], { worker: true });
    const sealed = await one(project.encode(defaultPayloadConverter.toPayload('x')));
    project.encrypt = false;
    const clear = defaultPayloadConverter.toPayload('y');
    expect(await one(project.encode(clear))).toBe(clear);
    expect(await project.payloads.isOn()).toBe(false);
    expect(defaultPayloadConverter.fromPayload(await one(project.decode(sealed)))).toBe('x');
  });

  test('that nobody can ever read pass a worker, so that a forged signal does not stop a run', async () => {
    const worker = new Project([place('A')], { worker: true });
    const sealed = await one(worker.encode(defaultPayloadConverter.toPayload('x')));
    const forged = { ...sealed, data: randomBytes(60) };
    expect(await one(worker.decode(forged))).toBe(forged);
    const foreign = { ...sealed, metadata: { ...sealed.metadata, 'encryption-key-id': Buffer.from('other') } };
    // Its key may come: the step is tried again.
    await expect(worker.decode(foreign)).rejects.toThrow('key "other"');
    worker.keys = [];
    expect(await one(worker.decode(foreign))).toBe(foreign);
  });

  test('say to a workflow that they were encrypted, and to nobody else', async () => {
    const project = new Project([place('A')], { worker: true });
    const sealed = await one(project.encode(defaultPayloadConverter.toPayload('x')));
    const back = await one(project.decode(sealed));
    expect(said(back, SEALED)).toBe('1');
    const again = await one(new Project([place('A')]).decode(await one(project.encode(back))));
    expect(Object.keys(again.metadata ?? {})).toEqual(['encoding']);
  });
});

describe('G9 without keys', () => {
  test('everything is what compression alone makes of it, the same objects', async () => {
    const project = new Project([]);
    const small = defaultPayloadConverter.toPayload({ a: 1 });
    const large = defaultPayloadConverter.toPayload('x'.repeat(50_000));
    const [first, second] = await project.encode(small, large);
    expect(first).toBe(small);
    expect(plain(second as Payload)).toEqual(plain(await one(compressLargePayloads.encode([large]))));
    expect(await project.decode(small)).toEqual([small]);
    const before = project.looks;
    await project.decode(small, large);
    await project.encode();
    expect(project.looks).toBe(before);
  });
});

describe('G9 keys', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ralphctl-keys-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('are read again where something does not decrypt: somebody may put the right one back', async () => {
    const file = join(dir, 'key');
    const [right, wrong] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const keys = { newest: async () => ({ keys: [{ id: 'a', file }] }), older: async () => undefined };
    await writeFile(file, right);
    const [sealed] = await encoded(new ProjectPayloads({ keys, env }), defaultPayloadConverter.toPayload('x'));
    await writeFile(file, wrong);
    const payloads = new ProjectPayloads({ keys, env, readAgainMs: 0 });
    await expect(payloads.decode([sealed as Payload])).rejects.toThrow('does not decrypt with the key "a"');
    await writeFile(file, right);
    expect(defaultPayloadConverter.fromPayload(await one(payloads.decode([sealed as Payload])))).toBe('x');
  });

  test('come from a file, the environment or a command, as base64 or hex', async () => {
    const key = randomBytes(32);
    for (const text of [`${key.toString('base64')}\n`, key.toString('base64url'), ` ${key.toString('hex')} `]) {
      await writeFile(join(dir, 'key'), text);
      const environment = { ...process.env, HOME: dir, KEY: text };
      const places: KeyPlace[] = [
        { id: 'a', file: join(dir, 'key') },
        { id: 'a', file: '~/key' },
        { id: 'a', env: 'KEY' },
        { id: 'a', command: `cat '${join(dir, 'key')}'` },
        { id: 'a', command: ['cat', join(dir, 'key')] },
      ];
      for (const one of places) expect((await readKey(one, environment)).export()).toEqual(key);
    }
  });

  test('that are wrong are named with id, place and fix, and never shown', async () => {
    const secret = 'c2VjcmV0LWJ1dC1zaG9ydA==';
    await writeFile(join(dir, 'short'), secret);
    await writeFile(join(dir, 'odd'), 'not a key! ß');
    await writeFile(join(dir, 'empty'), '\n');
    const environment = { PATH: process.env.PATH, SHORT: secret };
    const cases: [KeyPlace, RegExp][] = [
      [
        { id: 'k1', file: join(dir, 'short') },
        /"k1".*short holds 16 bytes; a key has 32. Put the key back.*make it: openssl/,
      ],
      [{ id: 'k1', file: join(dir, 'odd') }, /odd holds neither base64 nor hex.*openssl rand -base64 32/],
      [{ id: 'k1', file: join(dir, 'empty') }, /empty is empty.*openssl/],
      [{ id: 'k1', file: join(dir, 'gone') }, /gone: there is no such file.*openssl/],
      [{ id: 'k1', file: dir }, /this is a folder/],
      [{ id: 'k1', env: 'NONE' }, /environment variable NONE is not set.*worker/],
      [{ id: 'k1', env: 'SHORT' }, /the environment variable SHORT holds 16 bytes/],
      [{ id: 'k1', command: `echo ${secret}` }, /the output of its command holds 16 bytes/],
      [{ id: 'k1', command: `echo ${secret}; echo ${secret} >&2; exit 3` }, /its command ended with code 3/],
      [{ id: 'k1', command: ['ralphctl-no-such-program'] }, /its command did not start/],
    ];
    for (const [one, text] of cases) {
      const error = await readKey(one, environment).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(UserError);
      expect((error as Error).message).toMatch(text);
      expect(inspect(error, { depth: 9 })).not.toContain(secret);
    }
  });
});
