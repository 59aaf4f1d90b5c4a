/** The codec server over real HTTP: Temporal's contract, and who it refuses. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.js';
import { keysOfProject } from '../../../src/run-files/payload-keys.js';
import { writeRevision } from '../../../src/run-files/revisions.js';
import { writeRun } from '../../../src/run-files/run.js';
import { recordPath } from '../../../src/server/files.js';
import { ProjectPayloads } from '../../../src/server/payloads/project.js';
import type { WorkerLog } from '../../../src/worker/log.js';
import { serveCodec } from '../../../src/worker/served/codec.js';
import { readServedRecord } from '../../../src/worker/served/record.js';
import type { Served } from '../../../src/worker/served/served.js';
import { idea } from '../../activities/idea.js';
import { until } from '../../support/program.js';
import { freePort } from '../../support/prometheus.js';

const RUN = '20261117-220000-aaaa';
const env = { KEY_A: randomBytes(32).toString('base64'), KEY_B: randomBytes(32).toString('hex') };

let root: string;
let port: number;
let served: Served | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-codec-'));
  port = await freePort();
  served = undefined;
});
afterEach(async () => {
  await served?.close();
  await rm(root, { recursive: true, force: true });
});

const log: WorkerLog = {
  event: () => {},
  problem: () => {},
  sdk: new DefaultLogger('ERROR', () => {}),
  close: () => {},
};

const configOf = (more = '', keys = '[{id: a, env: KEY_A}]', at = port) =>
  parseConfig(
    `payloads: {encryption: {keys: ${keys}}, codecServer: {listen: "127.0.0.1:${at}"${more}}}`,
    'ralphctl.yaml',
  );

async function serve(more = ''): Promise<void> {
  const config = configOf(more);
  const about = { version: 1, project: 'p', runId: RUN, repo: join(root, 'repo'), target: 'main', config } as const;
  const backlog = { file: 'roadmap.md', format: 'roadmap', sha256: '' } as const;
  await writeRun(root, { ...about, tick: true, backlog, createdAt: new Date().toISOString() }, [idea('a')]);
  served = serveCodec({ root, project: 'p', log, env, lookMs: 50 });
  served.start();
  await until('the codec server', async () => (await readServedRecord(root, 'p', 'codec')) !== undefined);
}

const wire = (payloads: Payload[]): string =>
  JSON.stringify({
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
      ),
      ...(data ? { data: Buffer.from(data).toString('base64') } : {}),
    })),
  });

interface WirePayload {
  metadata: Record<string, string>;
  data: string;
}

const ask = (path: string, body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers },
    ...(method === 'POST' ? { body } : {}),
  });

const payloadsIn = async (answer: Response): Promise<WirePayload[]> =>
  ((await answer.json()) as { payloads: WirePayload[] }).payloads;
const readOf = (payload: WirePayload | undefined): unknown =>
  JSON.parse(Buffer.from(payload?.data ?? '', 'base64').toString());

const sealed = async (value: unknown): Promise<Payload[]> => {
  let all = [defaultPayloadConverter.toPayload(value)];
  for (const codec of new ProjectPayloads({ keys: keysOfProject(root, 'p'), env }).codecs)
    all = await codec.encode(all);
  return all;
};

/** With any headers, which `fetch` would not send. */
const raw = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/decode', method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end('{"payloads":[]}');
  });

it('decodes and encodes as the Web UI and the temporal command ask, large and clear payloads as well', async () => {
  await serve();
  const clear = defaultPayloadConverter.toPayload('clear');
  const large = 'large '.repeat(10_000);
  const answer = await ask('/decode', wire([...(await sealed({ prompt: 'p' })), clear, ...(await sealed(large))]));
  expect(answer.status).toBe(200);
  expect((await payloadsIn(answer)).map(readOf)).toEqual([{ prompt: 'p' }, 'clear', large]);

  const encoded = await (await ask('/encode', wire([clear]))).text();
  expect(encoded).not.toContain(Buffer.from('"clear"').toString('base64'));
  const back = await payloadsIn(await ask('/decode', encoded));
  expect(back.map(readOf)).toEqual(['clear']);
  expect(Object.keys(back[0]?.metadata ?? {})).toEqual(['encoding']);
  expect(await payloadsIn(await ask('/decode', '{}'))).toEqual([]);
});

it('answers 400 in words to what it cannot read', async () => {
  await serve();
  const refused = async (body: string): Promise<string> => {
    const answer = await ask('/decode', body);
    expect(answer.status).toBe(400);
    return answer.text();
  };
  expect(await refused('nothing')).toContain('no JSON');
  expect(await refused('{"payloads": 7}')).toContain('no list of payloads');
  expect(await refused('{"payloads": [{"data": "§"}]}')).toContain('payloads.0.data: is no base64');
  const [payload = {}] = await sealed('x');
  const changed = { ...payload, data: Buffer.from(payload.data ?? []).fill(0, 0, 1) };
  changed.data[0] = (payload.data?.[0] ?? 0) ^ 1;
  expect(await refused(wire([changed]))).toContain('does not decrypt with the key "a"');
  const unknown = { ...payload, metadata: { ...payload.metadata, 'encryption-key-id': Buffer.from('zz') } };
  const told = await refused(wire([unknown]));
  expect(told).toContain('"zz"');
  expect(told).not.toContain(env.KEY_A);
});

it('has two pages for POST, reads no huge body, and no foreign name or web page may ask', async () => {
  await serve(', origins: ["http://ui.example:8080"]');
  for (const path of ['/', '/metrics', '/decode/x', '/keys']) expect((await ask(path, '{}')).status, path).toBe(404);
  for (const method of ['GET', 'PUT', 'DELETE']) expect((await ask('/decode', '', {}, method)).status).toBe(405);
  const huge = await ask('/decode', `{"payloads":[{"data":"${'A'.repeat(17 * 1024 * 1024)}"}]}`);
  expect(huge.status).toBe(413);
  expect((await ask('/encode', JSON.stringify({ payloads: Array(10_001).fill({ data: 'eA==' }) }))).status).toBe(413);
  expect(await raw({ host: `127.0.0.1:${port}` })).toBe(200);
  expect(await raw({ host: `localhost:${port}` })).toBe(200);
  expect(await raw({ host: `evil.example:${port}` })).toBe(403);
  expect(await raw({ host: `localhost:${port}`, origin: 'null' })).toBe(403);
  const evil = await ask('/decode', '{}', { origin: 'http://evil.example' });
  expect(evil.status).toBe(403);
  expect(evil.headers.get('access-control-allow-origin')).toBeNull();
  expect(await evil.text()).toContain('payloads.codecServer.origins');

  const own = await ask('/decode', '{}', { origin: 'http://ui.example:8080' });
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, 'http://ui.example:8080']);
  const asked = {
    origin: 'http://ui.example:8080',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-namespace',
    'access-control-request-private-network': 'true',
  };
  const before = await ask('/decode', '', asked, 'OPTIONS');
  expect(before.status).toBe(204);
  expect(before.headers.get('access-control-allow-headers')).toContain('x-namespace');
  expect(before.headers.get('access-control-allow-methods')).toContain('POST');
  expect(before.headers.get('access-control-allow-private-network')).toBe('true');
});

it('lets the Web UI of the embedded server ask, and follows the keys of the open run', async () => {
  await serve();
  const origin = 'http://localhost:8233';
  expect((await ask('/decode', '{}', { origin })).status).toBe(403);
  const record = {
    ...{ pid: 1, startTime: '1', address: '127.0.0.1:7233', namespace: 'default', ports: { grpc: 7233, ui: 8233 } },
    ...{ uiUrl: 'http://127.0.0.1:8233', binary: 't', version: { cli: '1', server: '1' }, startedAt: '' },
  };
  await mkdir(dirname(recordPath(root)), { recursive: true });
  await writeFile(recordPath(root), JSON.stringify(record));
  for (const own of [origin, 'http://127.0.0.1:8233'])
    expect((await ask('/decode', '{}', { origin: own })).status).toBe(200);

  const old = await sealed('old');
  const next = await freePort();
  const config = configOf('', '[{id: b, env: KEY_B}, {id: a, env: KEY_A}]', next);
  await writeRevision(root, { project: 'p', runId: RUN }, { config, tick: true });
  port = next;
  const both = wire([...old, ...(await sealed('new'))]);
  const answer = await until('the other port', () => ask('/decode', both).catch(() => undefined));
  expect((await payloadsIn(answer)).map(readOf)).toEqual(['old', 'new']);
});
