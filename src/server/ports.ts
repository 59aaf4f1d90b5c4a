/**
 * Chooses the loopback ports of the embedded server. The defaults are uncommon ports: an agent that finds the port of
 * its own program in use tends to kill the listener.
 */
import { connect, createServer } from 'node:net';
import { HOST, type ServerPorts } from './files.js';
import type { Env } from './install/probe.js';

export const DEFAULT_PORTS = { grpc: 7423, ui: 8423 } as const;
const TRIES = 100;

/** Port 0 asks for any free one. Undefined when `port` is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

/** True when something on loopback accepts connections at `port`. */
export function accepts(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port, timeout: timeoutMs });
    const finish = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}

async function freeFrom(port: number, taken: ReadonlySet<number>): Promise<number> {
  if (port !== 0) {
    for (let candidate = port; candidate < port + TRIES && candidate <= 65_535; candidate++) {
      if (!taken.has(candidate) && (await tryPort(candidate)) !== undefined) return candidate;
    }
  }
  const any = await tryPort(0);
  if (any === undefined) throw new Error(`no free TCP port on ${HOST}. Close some listeners and try again`);
  return any;
}

function portFrom(env: Env, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`${name}=${text} is not a port. Use a number from 1 to 65535, or 0 for any free port`);
  }
  return port;
}

export interface PortWishes {
  env: Env;
  /** The caller's choice; 0 means any free port. */
  asked?: { grpc?: number | undefined; ui?: number | undefined } | undefined;
  /** Ports of the last server on this database, where clients and workers still look for it. */
  last?: ServerPorts | undefined;
}

/**
 * Free ports. Each starts from the caller's choice, `RALPHCTL_PORT` / `RALPHCTL_UI_PORT`, the last port or the default,
 * in this order; when that port is in use, it is the next free one above.
 * @throws Error when a variable does not contain a port
 */
export async function choosePorts({ env, asked, last }: PortWishes): Promise<Required<ServerPorts>> {
  const taken = new Set<number>();
  const pick = async (wish: number): Promise<number> => {
    const port = await freeFrom(wish, taken);
    taken.add(port);
    return port;
  };
  const wish = (name: 'grpc' | 'ui', variable: string): number => {
    const explicit = asked?.[name] ?? portFrom(env, variable);
    // The last port is also "any free port", and clients know it.
    return explicit ? explicit : (last?.[name] ?? explicit ?? DEFAULT_PORTS[name]);
  };
  return {
    grpc: await pick(wish('grpc', 'RALPHCTL_PORT')),
    ui: await pick(wish('ui', 'RALPHCTL_UI_PORT')),
    http: await pick(last?.http ?? 0),
    metrics: await pick(last?.metrics ?? 0),
  };
}
