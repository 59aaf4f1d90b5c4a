/**
 * Encrypts one payload, metadata included, with AES-256-GCM.
 * Invariant: each encryption has a random nonce of its own. The encoding and the key's id are authenticated, so nobody can
 * pass a payload off as one of another key. What an encrypted payload shows is its size, the encoding, the cipher and the
 * key's id.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { KEY_FIELD, SEALED } from '../../protocol/sealed.js';
import { CIPHER_FIELD, SEALED_ENCODING, textOf } from './encoding.js';

const CIPHER = 'AES-256-GCM';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;

const authenticated = (id: string): Buffer => Buffer.from(JSON.stringify([SEALED_ENCODING, CIPHER, id]));

export function seal(payload: Payload, id: string, key: KeyObject): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(id));
  const data = Buffer.concat([nonce, cipher.update(packed(payload)), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: {
      encoding: Buffer.from(SEALED_ENCODING),
      [CIPHER_FIELD]: Buffer.from(CIPHER),
      [KEY_FIELD]: Buffer.from(id),
    },
    data,
  };
}

/** @throws where the key is another one, or anything of the payload was changed */
export function unseal({ data, metadata }: Payload, id: string, key: KeyObject): Payload {
  const all = Buffer.from(data ?? []);
  if (textOf(metadata?.[CIPHER_FIELD]) !== CIPHER) throw new Error('another cipher');
  if (all.length < NONCE_BYTES + TAG_BYTES) throw new Error('too short');
  const decipher = createDecipheriv(ALGORITHM, key, all.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(id));
  decipher.setAuthTag(all.subarray(-TAG_BYTES));
  const inner = decipher.update(all.subarray(NONCE_BYTES, -TAG_BYTES));
  return unpacked(Buffer.concat([inner, decipher.final()]));
}

interface Head {
  /** Base64, by name. */
  metadata: Record<string, string>;
  /** The payload has no data, which is not the same as empty data. */
  bare?: true;
}

/** Length of the head, head, data. */
function packed(payload: Payload): Buffer {
  const { metadata } = payload;
  // The SDK's default for a payload without data, such as the result of a workflow that returns nothing, is no bytes.
  const data = ArrayBuffer.isView(payload.data) ? payload.data : undefined;
  const values = Object.entries(metadata ?? {})
    // An error that comes from elsewhere still has what a decryption said.
    .filter(([name]) => name !== SEALED)
    .map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const head: Head = { metadata: Object.fromEntries(values), ...(data ? {} : { bare: true }) };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, data ?? Buffer.alloc(0)]);
}

function unpacked(all: Buffer): Payload {
  const end = LENGTH_BYTES + all.readUInt32BE(0);
  const { metadata, bare } = JSON.parse(all.toString('utf8', LENGTH_BYTES, end)) as Head;
  const values = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(values), ...(bare ? {} : { data: all.subarray(end) }) };
}
