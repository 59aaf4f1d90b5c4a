/**
 * The `payloads` part of the configuration: how ralphctl encrypts what it gives to Temporal, and where the worker
 * decrypts it for the Web UI.
 * Invariant: holds the places of keys, never a key. After parsing, ids are unique, each key has one place, and
 * `codecServer.listen` is a loopback address unless `loopbackOnly` is false. Imports zod and this folder only.
 */
import { z } from 'zod';
import { envName, name, run } from './common.js';
import { address, isLoopback, placeOf } from './metrics.js';

const FILE = 'must be an absolute path, or begin with "~/": a key does not belong into the repository';

const PLACES = ['file', 'env', 'command'] as const;

const key = z
  .strictObject({
    id: name.describe('Name of the key. Every payload carries it in clear text.'),
    file: z
      .string()
      .regex(/^(?:\/|~\/)[^\0]*$/, FILE)
      .optional()
      .describe('File that holds the key.'),
    env: envName.optional().describe('Environment variable of commands and worker that holds the key.'),
    command: run.optional().describe('Command that prints the key.'),
  })
  .superRefine((entry, ctx) => {
    if (PLACES.filter((place) => entry[place] !== undefined).length === 1) return;
    ctx.addIssue({
      code: 'custom',
      path: ['id'],
      message: `key "${entry.id}" needs exactly one of file, env, command`,
    });
  });

const origin = z
  .string()
  .regex(/^https?:\/\/[A-Za-z0-9.[\]:-]+$/, 'must be an origin without a path, such as "http://localhost:8080"');

const encryption = z
  .strictObject({
    encrypt: z
      .boolean()
      .default(true)
      .describe('false: ralphctl encrypts nothing new, and the keys still decrypt what an open run has.'),
    keys: z
      .array(key)
      .max(32)
      .default([])
      .describe(
        'Keys of 32 bytes as base64 or hex. The first one encrypts, all decrypt. Make one with: openssl rand -base64 32',
      ),
  })
  .superRefine(({ keys }, ctx) => {
    keys.forEach(({ id }, at) => {
      if (keys.findIndex((other) => other.id === id) === at) return;
      ctx.addIssue({ code: 'custom', path: ['keys', at, 'id'], message: `is used twice: "${id}"` });
    });
  })
  .prefault({})
  .describe('Encryption of what Temporal stores. Without keys: off.');

const codecServer = z
  .strictObject({
    listen: address
      .optional()
      .describe('Address and port, such as "127.0.0.1:8765". Default: the worker serves no codec.'),
    loopbackOnly: z
      .boolean()
      .default(true)
      .describe('Accept only a loopback address. false: other machines may decrypt, without a login.'),
    origins: z
      .array(origin)
      .max(32)
      .default([])
      .describe('Web UIs that may ask, such as "http://localhost:8080". That of the embedded server always may.'),
  })
  .superRefine(({ listen, loopbackOnly }, ctx) => {
    const place = listen === undefined ? undefined : placeOf(listen);
    if (!place || !loopbackOnly || isLoopback(place.host)) return;
    const message = `is no loopback address: "${listen}"; everyone who reaches it could decrypt. Use 127.0.0.1:${place.port}, or allow it with payloads.codecServer.loopbackOnly: false`;
    ctx.addIssue({ code: 'custom', path: ['listen'], message });
  })
  .prefault({})
  .describe('Codec server for the Web UI and `temporal --codec-endpoint`.');

export const payloads = z
  .strictObject({ encryption, codecServer })
  .prefault({})
  .describe('What Temporal stores of a run, and who can read it: docs/deploy.md.');

export type KeyPlace = z.output<typeof key>;
export type Payloads = z.output<typeof payloads>;
/** Configurations of some runs have less. */
export type Encryption = Pick<Payloads['encryption'], 'keys'> & Partial<Payloads['encryption']>;
