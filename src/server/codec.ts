/**
 * Payload codec: compresses only payloads above a threshold, so that everything a person opens in the Web UI stays
 * readable and ten thousand ideas still fit one payload. Shared by client and worker; must never be imported by workflows.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';

const THRESHOLD_BYTES = 16 * 1024;
/** The codec refuses larger payloads. Ours are far smaller; the limit bounds a hostile one. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;
const ENCODING = 'binary/ralphctl-deflate';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw) as (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;
const text = (value: Uint8Array | null | undefined): string => (value ? Buffer.from(value).toString('utf8') : '');

export const compressLargePayloads: PayloadCodec = {
  encode: (payloads) => Promise.all(payloads.map(encodeOne)),
  decode: (payloads) => Promise.all(payloads.map(decodeOne)),
};

export const dataConverter: DataConverter = { payloadCodecs: [compressLargePayloads] };

async function encodeOne(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  if (!data || data.length < THRESHOLD_BYTES) return payload;
  const packed = await deflate(data);
  if (packed.length >= data.length) return payload;
  const inner = text(metadata?.encoding);
  return { metadata: { ...metadata, encoding: Buffer.from(ENCODING), inner: Buffer.from(inner) }, data: packed };
}

async function decodeOne(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  if (!data || text(metadata?.encoding) !== ENCODING) return payload;
  const { inner, ...rest } = metadata ?? {};
  // Anyone can send a payload with our encoding. A broken one passes unchanged, so that only its reader fails.
  const unpacked = await inflate(data, { maxOutputLength: MAX_DECODED_BYTES }).catch(() => undefined);
  if (!unpacked) return payload;
  return { metadata: { ...rest, encoding: inner ?? Buffer.from('json/plain') }, data: unpacked };
}
