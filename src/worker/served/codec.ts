/**
 * Temporal's codec server for one project: the Web UI and `temporal --codec-endpoint` decrypt with it.
 * Invariant: encodes and decodes, and nothing else. It answers no web page but those of the allowed origins, reads no body
 * beyond a limit, and tells no key.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import type { Payloads } from '../../config/schema/payloads.js';
import { UserError } from '../../protocol/user-error.js';
import { keysOfProject, newestPayloads } from '../../run-files/payload-keys.js';
import { readRecord } from '../../server/files.js';
import { ProjectPayloads } from '../../server/payloads/project.js';
import { type Answer, baseAddress, sayPlain } from './endpoint.js';
import { Served, type ServedOptions } from './served.js';

const MOST_BODY_BYTES = 16 * 1024 * 1024;
/** The worker has other work on this thread. */
const MOST_PAYLOADS = 10_000;
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const LOOK_MS = 1000;
const PATHS = ['/encode', '/decode'] as const;

const base64 = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'is no base64');
const asked = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).optional(), data: base64.nullish() }))
    .default([]),
});

export function serveCodec(options: ServedOptions & { env: NodeJS.ProcessEnv }): Served {
  const { root, project, env } = options;
  const codecs = codecsOf(root, project, env);
  return new Served(options, {
    name: 'codec',
    what: 'the codec server',
    key: 'payloads.codecServer.listen',
    wanted: async () => (await newestPayloads(root, project))?.codecServer.listen,
    addressOf: baseAddress,
    answer: async () =>
      answerCodec(codecs, async () => originsFor(root, (await newestPayloads(root, project))?.codecServer)),
  });
}

/** Of an answering process. */
const codecsOf = (root: string, project: string, env: NodeJS.ProcessEnv): readonly PayloadCodec[] =>
  new ProjectPayloads({ keys: keysOfProject(root, project), env, lookMs: LOOK_MS }).codecs;

/** The configured ones, and the embedded server's Web UI by either of its names. */
export async function originsFor(root: string, server: Payloads['codecServer'] | undefined): Promise<string[]> {
  const record = await readRecord(root).catch(() => undefined);
  const own = record ? ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${record.ports.ui}`) : [];
  return [...own, ...(server?.origins ?? [])];
}

export const answerCodec =
  (codecs: readonly PayloadCodec[], origins: () => Promise<readonly string[]>): Answer =>
  async (request, response) => {
    const { method, url, headers } = request;
    if (headers.origin !== undefined) {
      if (!(await origins()).includes(headers.origin))
        return sayPlain(
          response,
          403,
          'This web page may not ask. Add its origin to payloads.codecServer.origins in ralphctl.yaml, then: ralphctl config reload\n',
        );
      allow(response, headers.origin);
    }
    const path = PATHS.find((one) => one === url?.split('?', 1)[0]);
    if (!path) return sayPlain(response, 404, 'Only POST /encode and POST /decode.\n');
    if (method === 'OPTIONS') return preflight(request, response);
    if (method !== 'POST') return sayPlain(response, 405, 'Only POST.\n');
    try {
      const payloads = payloadsIn(await bodyOf(request));
      const done = path === '/encode' ? await encode(codecs, payloads) : await decode(codecs, payloads);
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify({ payloads: done.map(toJson) }));
    } catch (error) {
      if (error instanceof Refused) sayPlain(response, error.status, `${error.message}\n`);
      else if (error instanceof UserError) sayPlain(response, 400, `${error.message}\n`);
      else throw error;
    }
  };

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
}

function preflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
  response.setHeader('access-control-allow-headers', 'content-type, x-namespace, authorization');
  response.setHeader('access-control-max-age', '600');
  // A browser asks so where the page is of a network and this is of the machine.
  if (headers['access-control-request-private-network'] === 'true')
    response.setHeader('access-control-allow-private-network', 'true');
  response.writeHead(204).end();
}

/** Takes a body that is too large to its end without keeping it: otherwise its sender would not get the answer. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= MOST_BODY_BYTES) parts.push(part);
    else parts.length = 0;
  }
  if (bytes > MOST_BODY_BYTES) throw new Refused(413, `The body is larger than ${MOST_BODY_BYTES} bytes.`);
  return Buffer.concat(parts).toString('utf8');
}

function payloadsIn(body: string): Payload[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refused(400, 'The body is no JSON.');
  }
  const list = (value as { payloads?: unknown } | null)?.payloads;
  if (Array.isArray(list) && list.length > MOST_PAYLOADS)
    throw new Refused(413, `The body has more than ${MOST_PAYLOADS} payloads.`);
  const { data, error } = asked.safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    throw new Refused(400, `The body is no list of payloads: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return data.payloads.map(({ metadata = {}, data: text }) => {
    const values = Object.entries(metadata).map(([name, base]) => [name, Buffer.from(base, 'base64')]);
    return {
      metadata: Object.fromEntries(values),
      ...(typeof text === 'string' ? { data: Buffer.from(text, 'base64') } : {}),
    };
  });
}

async function encode(codecs: readonly PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let done = payloads;
  for (const codec of codecs) done = await codec.encode(done);
  return done;
}

/** One after the other: a small compressed payload can be a large one. */
async function decode(codecs: readonly PayloadCodec[], payloads: readonly Payload[]): Promise<Payload[]> {
  const done: Payload[] = [];
  let bytes = 0;
  for (const payload of payloads) {
    let one = [payload];
    for (const codec of codecs.toReversed()) one = await codec.decode(one);
    for (const { data } of one) bytes += data?.length ?? 0;
    if (bytes > MOST_ANSWER_BYTES) throw new Refused(413, `The answer is larger than ${MOST_ANSWER_BYTES} bytes.`);
    done.push(...one);
  }
  return done;
}

function toJson({ metadata, data }: Payload): { metadata: Record<string, string>; data?: string } {
  const values = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return { metadata: Object.fromEntries(values), ...(data ? { data: Buffer.from(data).toString('base64') } : {}) };
}
