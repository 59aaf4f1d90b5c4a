/** The proxies of the user, where a sandbox's own one must go through them. */
import { connect, type Socket } from 'node:net';

export interface Upstreams {
  http?: string | undefined;
  https?: string | undefined;
  /** As in NO_PROXY. */
  except: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const ofEither = (env: Env, name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;

export function upstreamsIn(env: Env): Upstreams {
  const all = ofEither(env, 'ALL_PROXY');
  const isHttp = (url: string | undefined): string | undefined =>
    url !== undefined && URL.canParse(url) && new URL(url).protocol === 'http:' ? url : undefined;
  return {
    http: isHttp(ofEither(env, 'HTTP_PROXY') ?? all),
    https: isHttp(ofEither(env, 'HTTPS_PROXY') ?? all),
    except: (ofEither(env, 'NO_PROXY') ?? '')
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter(Boolean),
  };
}

/** Undefined: straight to the address. */
export function upstreamFor(host: string, port: number, secure: boolean, upstreams: Upstreams): URL | undefined {
  const url = secure ? upstreams.https : upstreams.http;
  const name = host.toLowerCase();
  const isExcept = (one: string): boolean => {
    const bare = one.replace(/^\*?\./, '');
    return one === '*' || name === bare || name.endsWith(`.${bare}`) || one === `${name}:${port}`;
  };
  return url === undefined || upstreams.except.some(isExcept) ? undefined : new URL(url);
}

const LONGEST_ANSWER = 16 << 10;
const ANSWER_MS = 30_000;

/** A tunnel through the user's proxy. */
export function throughUpstream(
  upstream: URL,
  host: string,
  port: number,
  keep: (socket: Socket) => Socket,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = keep(connect({ host: upstream.hostname, port: Number(upstream.port || 80) }));
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const { username, password } = upstream;
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization =
      username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
    let said = Buffer.alloc(0);
    const hear = (chunk: Buffer): void => {
      said = Buffer.concat([said, chunk]);
      const end = said.indexOf('\r\n\r\n');
      if (end < 0 && said.length < LONGEST_ANSWER) return;
      socket.off('data', hear);
      socket.setTimeout(0);
      if (end < 0 || !/^HTTP\/1\.[01] 2\d\d/.test(said.toString('latin1', 0, 20))) {
        socket.destroy();
        reject(new Error('the proxy of this machine refused'));
        return;
      }
      socket.pause();
      socket.unshift(said.subarray(end + 4));
      resolve(socket);
    };
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', hear);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the proxy of this machine ended the connection')));
    socket.once('connect', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`));
  });
}
