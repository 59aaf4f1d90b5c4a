/**
 * An address on which a worker answers HTTP.
 * Invariant: on loopback it answers nobody who asks for a foreign name, so that a web page cannot reach it through a name
 * that it points at this machine. Connections without a request never keep others out: where
 * there are too many, the one that waits longest goes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { isLoopback, type Place } from '../../config/schema/metrics.js';

/** Rejects with what the answer 500 then says. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const MOST_CONNECTIONS = 16;
const TIMEOUT_MS = 30_000;
/** A program that scrapes sends its few lines at once. */
const HEADERS_MS = 5000;
const CHECK_MS = 1000;

export const baseAddress = ({ host, port }: Place): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

export class Endpoint {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws the system's error where nothing can listen there */
  static async open(place: Place, answer: Answer): Promise<Endpoint> {
    const connections = new Connections();
    const times = { requestTimeout: TIMEOUT_MS, headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_MS };
    const server = createServer(times, (request, response) => {
      connections.asks(request.socket);
      response.once('close', () => connections.waits(request.socket));
      void answerOwn(place, answer, request, response);
    });
    server.on('connection', (socket: Socket) => connections.add(socket));
    server.listen(place.port, place.host);
    await once(server, 'listening');
    // It must not end the worker later, either.
    server.on('error', () => {});
    // The worker ends when its work does.
    server.unref();
    return new Endpoint(server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Not `maxConnections`, which turns the newest away: that is the scrape. */
class Connections {
  /** Those without a request, then those that are answered; in each, the one that waits longest comes first. */
  readonly #idle = new Set<Socket>();
  readonly #asking = new Set<Socket>();

  add(socket: Socket): void {
    socket.once('close', () => {
      this.#idle.delete(socket);
      this.#asking.delete(socket);
    });
    this.#idle.add(socket);
    if (this.#idle.size + this.#asking.size <= MOST_CONNECTIONS) return;
    const [first = socket] = this.#idle.size > 1 ? this.#idle : this.#asking;
    this.#idle.delete(first);
    this.#asking.delete(first);
    first.destroy();
  }

  asks(socket: Socket): void {
    this.#idle.delete(socket);
    this.#asking.add(socket);
  }

  waits(socket: Socket): void {
    this.#asking.delete(socket);
    if (!socket.destroyed) this.#idle.add(socket);
  }
}

async function answerOwn(
  place: Place,
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isLoopback(place.host) && !isOwnName(request.headers.host))
    return sayPlain(response, 403, 'This name is not served.\n');
  try {
    await answer(request, response);
  } catch (error) {
    sayPlain(response, 500, `${error instanceof Error ? error.message : String(error)}\n`);
  }
}

export function sayPlain(response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent)
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(response.req.method === 'HEAD' ? '' : text);
}

/** An address, or localhost. */
function isOwnName(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(name) !== 0;
}
