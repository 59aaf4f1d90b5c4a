/**
 * The mock model API: one loopback server, many runs. A run is found by the first segment of the path or, for CLIs that
 * only take a host, by the API key.
 * Invariant: listens on 127.0.0.1 and a free port only; every request is recorded; nothing is answered to an unknown run.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropic } from './anthropic.js';
import { chat } from './chat.js';
import { gemini } from './gemini.js';
import { isObject, type Json, type Protocol } from './protocol.js';
import { responses } from './responses.js';
import { reply, type Scenario } from './scenario.js';

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];
/** A CLI in a loop must not fill the disk. */
const MOST_REQUESTS = 2000;

export interface Recorded {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  path: string;
  protocol?: Protocol['name'];
  model?: string;
  tools?: string[];
  status: number;
}

export interface Run {
  key: string;
  /** Base address that the CLI is given; without `/v1`. */
  url: string;
  requests: Recorded[];
  /** Requests that a model would have answered. */
  asked(): number;
  scenario: Scenario;
}

export interface Mock {
  port: number;
  play(key: string, scenario: Scenario): Run;
  forget(run: Run): void;
  close(): Promise<void>;
}

export async function startMock(): Promise<Mock> {
  const runs = new Map<string, Run>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    serve(runs, request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    play: (key, scenario) => {
      const requests: Recorded[] = [];
      const asked = (): number => requests.filter((one) => one.protocol !== undefined).length;
      const run: Run = { key, url: `http://127.0.0.1:${port}/${key}`, requests, asked, scenario };
      runs.set(key, run);
      return run;
    },
    forget: ({ key }) => void runs.delete(key),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function runOf(runs: ReadonlyMap<string, Run>, request: IncomingMessage): Run | undefined {
  const segment = request.url?.split('/')[1] ?? '';
  const { authorization, 'x-api-key': anthropicKey, 'x-goog-api-key': googleKey } = request.headers;
  const keys = [segment, String(anthropicKey), String(googleKey), String(authorization).replace(/^Bearer /, '')];
  return keys.map((key) => runs.get(key)).find((run) => run !== undefined);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function serve(
  runs: ReadonlyMap<string, Run>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await textOf(request);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const run = runOf(runs, request);
  const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
  };
  if (!run) return send(404, { error: { message: 'no such run', type: 'not_found_error' } });
  const note: Recorded = { at: Date.now(), method: request.method ?? '', path, status: 0 };
  const served = run.asked();
  run.requests.push(note);
  const protocol = request.method === 'POST' ? PROTOCOLS.find((one) => one.matches(path)) : undefined;
  if (!protocol) {
    const [status, body] = aside(path);
    note.status = status;
    return send(status, body);
  }
  note.protocol = protocol.name;
  if (run.requests.length > MOST_REQUESTS) return send(503, {});
  const ask = protocol.ask(parse(text), path);
  Object.assign(note, { model: ask.model, tools: ask.tools.map((tool) => tool.name) });
  const what = reply(run.scenario, ask, served, text);
  if ('refuse' in what) {
    const { status, headers, body } = protocol.refuse(what.refuse, what.retryAfter);
    note.status = status;
    return send(status, body, headers);
  }
  const { whole, frames, half, headers = {} } = protocol.answer(what.turn, ask);
  const { cut } = what;
  if (cut && (cut.at === 'start' || !ask.stream)) {
    if (cut.how === 'drop') response.destroy();
    return;
  }
  note.status = 200;
  if (!ask.stream) return send(200, whole, headers);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  for (const frame of cut ? frames.slice(0, half) : frames) response.write(frame);
  if (!cut) response.end();
  // What was written must be out before the connection breaks.
  else if (cut.how === 'drop') response.write(':\n\n', () => response.destroy());
}

/** What CLIs ask for beside the model. */
function aside(path: string): [number, unknown] {
  if (path.endsWith('count_tokens')) return [200, { input_tokens: 1200 }];
  if (path.endsWith(':countTokens')) return [200, { totalTokens: 1200 }];
  if (path.endsWith('/models')) return [200, { object: 'list', data: [{ id: 'mock-model', object: 'model' }] }];
  if (path.split('/').length <= 2 || path.endsWith('/')) return [200, {}];
  return [404, { error: { message: 'not found', type: 'not_found_error' } }];
}
