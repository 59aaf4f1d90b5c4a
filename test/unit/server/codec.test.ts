import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressLargePayloads, dataConverter } from '../../../src/server/codec.js';

const THRESHOLD = 16 * 1024;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const payloadOf = (data: Uint8Array, encoding = 'json/plain'): Payload => ({
  metadata: { encoding: bytes(encoding) },
  data,
});
const encodingOf = (payload: Payload | undefined): string => Buffer.from(payload?.metadata?.encoding ?? []).toString();
const encode = (...payloads: Payload[]): Promise<Payload[]> => compressLargePayloads.encode(payloads);
const decode = (...payloads: Payload[]): Promise<Payload[]> => compressLargePayloads.decode(payloads);
/** It comes back as it was, and the converter behind the codec does not know it. */
const unreadable = async (payload: Payload): Promise<void> => {
  const [back] = await decode(payload);
  expect(back).toBe(payload);
  expect(() => defaultPayloadConverter.fromPayload(payload)).toThrow('Unknown encoding: binary/ralphctl-deflate');
};
const plain = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [key, Buffer.from(value).toString('hex')]),
  ),
  data: data && Buffer.from(data).toString('hex'),
});

describe('G9 payload codec', () => {
  test('G9: a small payload is left as it is, so that a person can read it in the Web UI', async () => {
    const small = defaultPayloadConverter.toPayload({ idea: 'a', text: 'x'.repeat(1000) });
    const [out] = await encode(small);
    expect(out).toBe(small);
    expect(encodingOf(out)).toBe('json/plain');
  });

  test('G9: compression begins at 16 KiB', async () => {
    const [below] = await encode(payloadOf(new Uint8Array(THRESHOLD - 1)));
    const [at] = await encode(payloadOf(new Uint8Array(THRESHOLD)));
    expect(encodingOf(below)).toBe('json/plain');
    expect(encodingOf(at)).toBe('binary/ralphctl-deflate');
    expect(at?.data?.length).toBeLessThan(THRESHOLD / 10);
  });

  test('G9: what would not get smaller is left alone', async () => {
    const noise = payloadOf(randomBytes(THRESHOLD * 2), 'binary/plain');
    expect((await encode(noise))[0]).toBe(noise);
  });

  test('G9: a large value comes back equal, with its encoding and other metadata', async () => {
    const value = {
      entries: Array.from({ length: 2000 }, (_, at) => ({ id: `idea-${at}`, title: 'größer als 16 KiB 🎉' })),
    };
    const payload = defaultPayloadConverter.toPayload(value);
    const withMore: Payload = { ...payload, metadata: { ...payload.metadata, messageType: bytes('State') } };
    const [packed] = await encode(withMore);
    expect(encodingOf(packed)).toBe('binary/ralphctl-deflate');
    const [back] = await decode(packed as Payload);
    expect(plain(back as Payload)).toEqual(plain(withMore));
    expect(defaultPayloadConverter.fromPayload(back as Payload)).toEqual(value);
  });

  test('G9: what others encoded passes through', async () => {
    const foreign = [
      payloadOf(bytes('secret'), 'binary/encrypted'),
      { metadata: {}, data: bytes('x') },
      { data: null },
      {},
    ];
    const decoded = await decode(...foreign);
    decoded.forEach((payload, at) => {
      expect(payload).toBe(foreign[at]);
    });
    expect((await encode({ metadata: { encoding: bytes('binary/null') } }))[0]).toEqual({
      metadata: { encoding: bytes('binary/null') },
    });
  });

  test.each([
    ['noise', randomBytes(100)],
    ['a text', bytes('{"not":"deflated"}')],
    ['nothing', new Uint8Array(0)],
  ])('G9: %s under our encoding is read by nobody, and fails nothing but its reader', async (_name, data) => {
    await unreadable(payloadOf(data, 'binary/ralphctl-deflate'));
  });

  test('G9: data that was cut off is read by nobody', async () => {
    const [packed] = await encode(payloadOf(bytes(JSON.stringify(Array.from({ length: 9000 }, (_, at) => at)))));
    const data = packed?.data as Uint8Array;
    await unreadable({ ...packed, data: data.subarray(0, data.length - 20) });
  });

  test('G9: a payload that unpacks to more than 64 MiB is not unpacked', async () => {
    const bomb = deflateRawSync(Buffer.alloc(65 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    await unreadable(payloadOf(bomb, 'binary/ralphctl-deflate'));
  });

  test('G9: any payloads come back in order as they were', async () => {
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
        .map(([unit, times]) => Uint8Array.from(Buffer.concat(Array.from({ length: times }, () => unit)))),
    );
    const encoding = fc.constantFrom('json/plain', 'binary/plain', 'json/protobuf');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(data, encoding), { maxLength: 4 }), async (specs) => {
        const payloads = specs.map(([one, name]) => payloadOf(one, name));
        const back = await decode(...(await encode(...payloads)));
        expect(back.map(plain)).toEqual(payloads.map(plain));
      }),
      { numRuns: 60 },
    );
  });

  test('G9: client and worker share this codec', () => {
    expect(dataConverter.payloadCodecs).toEqual([compressLargePayloads]);
  });
});
