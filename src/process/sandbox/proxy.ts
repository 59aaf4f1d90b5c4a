/**
 * The only way out of a sandbox: a proxy for HTTP and tunnels, and one socket for each address of this machine that is
 * allowed. They listen on sockets in a folder that the sandbox shows.
 * Invariant: nothing is dialled that `allowed` does not allow, and no name leads to an address of this machine. What is
 * refused is counted. After `close` nothing of it is left.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, createServer as createSocketServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Allowed, allowed, isOwn, type Place } from './allowed.js';
import { throughUpstream, type Upstreams, upstreamFor } from './upstream.js';

export interface ProxyOptions {
  /** Folder for the sockets; short, because the system limits their paths. */
  folder: string;
  places: readonly Place[];
  /** Proxies of the user. */
  upstreams: Upstreams;
}

export interface SandboxProxy {
  /** Sockets by the port at which the sandbox offers them. */
  ports: Array<{ port: number; socket: string }>;
  /** Of the proxy itself. */
  proxyPort: number;
  /** Refused addresses, and how often. */
  refused: ReadonlyMap<string, number>;
  /** What was left when the program had ended, as the bridge reports it. */
  left: readonly string[];
  close(): Promise<void>;
}

const FIRST_PORT = 3128;
const MOST_REFUSED = 100;
const MOST_LEFT = 10;
const DIAL_MS = 30_000;
const LOOPBACK = /^(?:localhost$|127(?:\.\d+){3}$|::1$)/;
export const PROXY_SOCKET = 'proxy.sock';
export const TOLD_SOCKET = 'told.sock';

export async function startProxy({ folder, places, upstreams }: ProxyOptions): Promise<SandboxProxy> {
  const refused = new Map<string, number>();
  const left: string[] = [];
  const open = new Set<Duplex>();
  const servers: Server[] = [];
  const isAllowed = (host: string, port: number) => allowed(host, port, places, addressesHere());
  const refuse = (host: string, port: number): void => {
    const name = `${host.slice(0, 100)}:${port}`.replace(/[^\x21-\x7e]/g, '?');
    if (refused.has(name) || refused.size < MOST_REFUSED) refused.set(name, (refused.get(name) ?? 0) + 1);
  };
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
    return socket;
  };
  const listen = async (server: Server, name: string): Promise<void> => {
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        for (const one of servers) one.close();
        reject(error);
      });
      server.listen(join(folder, name), resolve);
    });
  };

  const dial = (host: string, port: number, secure: boolean): Promise<Socket> => {
    const upstream = upstreamFor(host, port, secure, upstreams);
    const { exact } = isAllowed(host, port);
    if (upstream && !exact) return throughUpstream(upstream, host, port, keep);
    return new Promise((resolve, reject) => {
      const socket = keep(connect({ host, port, lookup: exact ? undefined : guardedLookup }));
      socket.setTimeout(DIAL_MS, () => socket.destroy(new Error('no answer')));
      socket.once('connect', () => {
        socket.setTimeout(0);
        resolve(socket);
      });
      socket.once('error', reject);
    });
  };

  const proxy = createServer();
  proxy.on('connection', keep);
  proxy.on('connect', (message: IncomingMessage, client: Duplex, head: Buffer) => {
    keep(client);
    const target = targetOf(message.url ?? '');
    if (!target || !isAllowed(target.host, target.port).ok) {
      if (target) refuse(target.host, target.port);
      client.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nrefused by sandbox\n');
      return;
    }
    dial(target.host, target.port, true).then(
      (server) => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        if (head.length > 0) server.write(head);
        connectBoth(client, server);
      },
      () => client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'),
    );
  });
  proxy.on('request', (message, answer) => {
    // Whatever a server or a program sends must not end this process.
    forward(message, answer, { isAllowed, refuse, dial }).catch(() => answer.destroy());
  });
  await listen(proxy, PROXY_SOCKET);

  const own = places.filter(({ host, port }) => port !== undefined && LOOPBACK.test(host));
  const ports: SandboxProxy['ports'] = [];
  for (const { host, port = 0 } of own) {
    if (ports.some((one) => one.port === port)) continue;
    const server = createSocketServer((client) => {
      keep(client);
      dial(host, port, false).then(
        (there) => connectBoth(client, there),
        () => client.destroy(),
      );
    });
    await listen(server, `${port}.sock`);
    ports.push({ port, socket: `${port}.sock` });
  }
  const told = createSocketServer((client) => {
    keep(client).on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\n')) {
        const name = line.replace(/[^\x20-\x7e]/g, '').slice(0, 60);
        if (name !== '' && left.length < MOST_LEFT) left.push(name);
      }
    });
  });
  await listen(told, TOLD_SOCKET);

  let proxyPort = FIRST_PORT;
  while (ports.some(({ port }) => port === proxyPort)) proxyPort += 1;
  ports.push({ port: proxyPort, socket: PROXY_SOCKET });
  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  return { ports, proxyPort, refused, left, close };
}

function connectBoth(a: Duplex, b: Duplex): void {
  a.pipe(b);
  b.pipe(a);
  a.once('close', () => b.destroy());
  b.once('close', () => a.destroy());
}

function targetOf(text: string): { host: string; port: number } | undefined {
  const [, six, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:/?#@\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [six ?? name, Number(digits)];
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** They come and go with networks. */
const addressesHere = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

function isRefused(found: readonly LookupAddress[]): boolean {
  const here = addressesHere();
  return found.some(({ address }) => isOwn(address, here));
}

/** A name that leads to this machine is no way to its other ports. */
const guardedLookup: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 0);
    const [first] = found;
    if (!first || isRefused(found)) return done(new Error(`${host} leads to this machine`), '', 0);
    return options.all ? done(null, found) : done(null, first.address, first.family);
  });
};

/** Between the two ends of one connection only. */
const HOP_BY_HOP = /^(?:proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Others are no answers to a request, and Node refuses to pass some of them on. */
const isAnswer = (status: number): boolean => status >= 200 && status <= 599;

interface Way {
  isAllowed: (host: string, port: number) => Allowed;
  refuse: (host: string, port: number) => void;
  dial: (host: string, port: number, secure: boolean) => Promise<Socket>;
}

async function forward(
  message: IncomingMessage,
  answer: ServerResponse,
  { isAllowed, refuse, dial }: Way,
): Promise<void> {
  const end = (status: number, text: string): void => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
  };
  const url = URL.canParse(message.url ?? '') ? new URL(message.url ?? '') : undefined;
  if (url?.protocol !== 'http:') return end(400, 'not a request for a proxy');
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80)];
  if (!isAllowed(host, port).ok) {
    refuse(host, port);
    return end(403, 'refused by sandbox');
  }
  const socket = await dial(host, port, false).catch(() => undefined);
  if (!socket) return end(502, 'not reached');
  const headers = Object.fromEntries(Object.entries(message.headers).filter(([name]) => !HOP_BY_HOP.test(name)));
  const there = request({
    createConnection: () => socket,
    method: message.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: 'close' },
  });
  there.on('response', (got) => {
    const kept = Object.entries(got.headers).filter(([name]) => !HOP_BY_HOP.test(name));
    const status = got.statusCode ?? 0;
    if (!isAnswer(status)) return end(502, 'no answer to a request');
    try {
      answer.writeHead(status, Object.fromEntries(kept));
    } catch {
      return end(502, 'no answer to a request');
    }
    got.on('error', () => answer.destroy());
    got.pipe(answer);
  });
  there.on('error', () => end(502, 'not reached'));
  // As after a change of the protocol, which nobody has asked for.
  there.on('close', () => {
    if (!answer.headersSent) end(502, 'not reached');
  });
  answer.on('error', () => there.destroy());
  answer.on('close', () => there.destroy());
  message.pipe(there);
  // One that the proxy of this machine has opened is paused.
  socket.resume();
}
