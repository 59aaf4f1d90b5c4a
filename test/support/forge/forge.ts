/**
 * A forge on this machine that the real `gh` talks to: an HTTP server with repositories in memory.
 * `gh` speaks plain HTTP to the host github.localhost and finds it through `http_proxy`, so every request arrives here.
 * Routes are tables in files of their own (`issues.ts`); add a file and its table to `ROUTES` for more.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { GITLAB_ROUTES } from './gitlab.js';
import { GRAPHQL_ROUTES } from './graphql.js';
import { ISSUE_ROUTES } from './issues.js';
import { REQUEST_ROUTES } from './merge-requests.js';
import { PULL_ROUTES } from './pulls.js';
import { type Answer, Refusal, type Route, World } from './world.js';

const ROUTES: readonly Route[] = [...[PULL_ROUTES, GRAPHQL_ROUTES, ISSUE_ROUTES, GITLAB_ROUTES, REQUEST_ROUTES].flat()];

export interface Recorded {
  method: string;
  /** Path with query. */
  path: string;
  login: string;
  body: Record<string, unknown>;
  status: number;
}

/** What goes wrong, as a test sets it; it may change while the forge runs. */
export interface Trouble {
  /** Every request fails with this status, as of a forge that is down: 502. */
  status?: number;
  /** The rate limit is used up until then, epoch ms. */
  limitedUntil?: number;
  /** The next request finds the rate limit used up, for so many milliseconds from then on. */
  limitedForMs?: number;
  /** What the login may not ask. */
  refuse?: (request: Recorded) => boolean;
  /** Milliseconds before every answer. */
  slowMs?: number;
  /** The work is done, but the client gets no answer. */
  swallow?: (request: Recorded) => boolean;
  /** The request does not arrive: no work is done, and the client gets no answer. */
  lose?: (request: Recorded) => Promise<boolean> | boolean;
  /** Called after the work and before the answer, which waits for it. */
  before?: (request: Recorded) => Promise<void> | void;
}

export interface Forge {
  url: string;
  world: World;
  requests: Recorded[];
  trouble: Trouble;
  /** Nothing goes wrong from now on. */
  calm(): void;
  /** Environment in which `gh`, or the stand-in for `glab`, talks to this forge as that person. */
  env(login: string, configDir: string): Record<string, string>;
  /** Settings with which the real `glab` talks to this forge for `GITLAB_TEST_HOST`: beside the environment. */
  glabSettings(configDir: string): Promise<void>;
  /** Requests that change something. */
  writes(): Recorded[];
  close(): Promise<void>;
}

export const FORGE_HOST = 'github.localhost';
export const GITLAB_TEST_HOST = 'gitlab.localhost';
const TOKEN = 'token-of-';

/** From the token: `gh` and `glab` send it in different headers. */
function loginOf({ headers }: IncomingMessage): string {
  const [, token = ''] = /^(?:token|bearer) (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return (token || String(headers['private-token'] ?? '')).replace(TOKEN, '');
}

/** GitHub gives each answer a tag, and counts no request that names the tag of an answer that is still the same. */
function unchanged({ method, url = '', headers }: IncomingMessage, answer: Answer): Answer {
  const { status, body, text = JSON.stringify(body) } = answer;
  if (method !== 'GET' || status !== 200 || url.includes('/api/v4/')) return answer;
  const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}

export async function startForge(): Promise<Forge> {
  const world = new World();
  const requests: Recorded[] = [];
  const trouble: Trouble = {};
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      answer(request, response, Buffer.concat(parts).toString('utf8')).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json; charset=utf-8' });
        response.end(JSON.stringify({ message: String(error) }));
      });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    // A proxy gets the whole address.
    const address = new URL(request.url ?? '/', `http://api.${FORGE_HOST}`);
    const path = address.pathname.replace(/^\/api\/v3/, '');
    const login = loginOf(request);
    const recorded: Recorded = {
      ...{ method: request.method ?? 'GET', path: path + address.search, login, status: 0 },
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    requests.push(recorded);
    if (await trouble.lose?.(recorded)) {
      request.socket.destroy();
      return;
    }
    const { status, body, text: plain, headers = {} } = unchanged(request, await reply(recorded, address, path));
    recorded.status = status;
    await trouble.before?.(recorded);
    if (trouble.slowMs) await new Promise((resolve) => setTimeout(resolve, trouble.slowMs));
    if (trouble.swallow?.(recorded)) {
      request.socket.destroy();
      return;
    }
    const type = plain === undefined ? 'application/json; charset=utf-8' : 'text/plain';
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(plain ?? (body === undefined ? '' : JSON.stringify(body)));
  }

  async function reply(recorded: Recorded, address: URL, path: string): Promise<Answer> {
    if (trouble.status !== undefined) return { status: trouble.status, body: { message: 'Server Error' } };
    if (recorded.login === '') return { status: 401, body: { message: 'Bad credentials' } };
    if (trouble.refuse?.(recorded)) return { status: 403, body: { message: 'Resource not accessible by integration' } };
    if (trouble.limitedForMs !== undefined) {
      trouble.limitedUntil = Date.now() + trouble.limitedForMs;
      delete trouble.limitedForMs;
    }
    if (trouble.limitedUntil !== undefined && trouble.limitedUntil > Date.now()) {
      const until = String(Math.ceil(trouble.limitedUntil / 1000));
      if (path.startsWith('/api/v4/'))
        return {
          status: 429,
          headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': until },
          text: 'Retry later\n',
        };
      const headers = {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': until,
      };
      return { status: 403, headers, body: { message: `API rate limit exceeded for user ${recorded.login}.` } };
    }
    for (const { method, path: pattern, answer: carryOut } of ROUTES) {
      const match = method === recorded.method ? pattern.exec(path) : null;
      if (!match) continue;
      try {
        const { login, body } = recorded;
        return await carryOut({ world, login, body, query: address.searchParams, args: match.slice(1), address });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { status: error.status, body: { message: error.message } };
      }
    }
    return { status: 404, body: { message: 'Not Found' } };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ url, world, requests, trouble },
    env: (login, configDir) => ({
      // Not for the Temporal server, whose client reads these variables, too.
      ...{
        http_proxy: url,
        no_proxy: '127.0.0.1',
        GH_HOST: FORGE_HOST,
        GH_CONFIG_DIR: configDir,
        GH_NO_UPDATE_NOTIFIER: '1',
      },
      ...{ GH_TOKEN: `${TOKEN}${login}`, GH_ENTERPRISE_TOKEN: `${TOKEN}${login}` },
      ...{ GITLAB_TOKEN: `${TOKEN}${login}`, GLAB_CONFIG_DIR: join(configDir, 'glab-settings') },
    }),
    glabSettings: async (configDir) => {
      await mkdir(join(configDir, 'glab-settings'), { recursive: true });
      const lines = ['hosts:', `  ${GITLAB_TEST_HOST}:`, '    api_protocol: http'];
      await writeFile(join(configDir, 'glab-settings', 'config.yml'), `${lines.join('\n')}\n`, { mode: 0o600 });
    },
    calm: () => {
      for (const key of Object.keys(trouble) as (keyof Trouble)[]) delete trouble[key];
    },
    writes: () => requests.filter(({ method, status }) => method !== 'GET' && status < 400 && status > 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
