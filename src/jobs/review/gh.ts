/**
 * Asks GitHub through `gh api`, which has the user's login.
 * Invariant: no shell; texts go through stdin. Only these calls get the login.
 */
import { GH_SET, GH_VARIABLES } from '../../trackers/gh-variables.js';
import { type ApiAnswer, failureOf, readAnswer } from '../../trackers/http-answer.js';
import { listPages } from '../../trackers/pages.js';
import { placeOfRemote } from '../../trackers/place.js';
import { callTool } from '../../trackers/tool.js';
import { TrackerError } from '../../trackers/tracker.js';

export interface Repo {
  /** Absent: the host that `gh` takes by itself. */
  host?: string;
  owner: string;
  name: string;
}

/** The repository of an address: https, ssh, or `host:owner/name`. */
export function repoOfAddress(url: string): Repo | undefined {
  const place = placeOfRemote(url);
  const [owner, name, ...more] = place?.path.split('/') ?? [];
  return place && more.length === 0 ? repoFrom(place.host, owner, name) : undefined;
}

/** `owner/name` or `host/owner/name`. */
export function repoOfName(text: string): Repo | undefined {
  const parts = text.split('/');
  const [name, owner, host] = parts.reverse();
  return parts.length <= 3 ? repoFrom(host, owner, name) : undefined;
}

function repoFrom(host: string | undefined, owner: string | undefined, name: string | undefined): Repo | undefined {
  if (!owner || !name) return undefined;
  return { owner, name, ...(host ? { host } : {}) };
}

export class ForgeError extends Error {
  override name = 'ForgeError';
  constructor(
    message: string,
    readonly status?: number,
    /** The same request can work later; `at`, epoch ms: where the forge says when. */
    readonly later?: { at?: number },
  ) {
    super(message);
  }
}

const TIMEOUT_MS = 60_000;
/** Entries of one list that are read. */
const MOST_LISTED = 5000;

export interface Gh {
  repo: Repo;
  /** Path below the repository, or from the root when it starts with a slash. Null: there is no such thing. */
  get<T>(path: string): Promise<T | null>;
  /** All pages of a list. `of`: its entries in an answer. */
  list<T>(path: string, of?: (answer: unknown) => T[]): Promise<T[]>;
  send<T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<T>;
  graphql<T>(query: string, variables: Record<string, unknown>): Promise<T>;
  text(path: string): Promise<string>;
}

export interface GhPlace {
  env: NodeJS.ProcessEnv;
  cwd: string;
  passEnv: readonly string[];
  signal?: AbortSignal;
}

export function ghOf(place: GhPlace, repo: Repo): Gh {
  const tool = {
    env: place.env,
    cwd: place.cwd,
    timeoutMs: TIMEOUT_MS,
    ...(place.signal ? { signal: place.signal } : {}),
  };
  const root = `repos/${repo.owner}/${repo.name}`;
  const host = repo.host ? ['--hostname', repo.host] : [];

  const call = async (args: readonly string[], stdin?: string): Promise<ApiAnswer> => {
    const argv = ['gh', 'api', '--include', ...host, ...args];
    try {
      const input = stdin === undefined ? {} : { stdin };
      const result = await callTool(tool, {
        argv,
        ...input,
        passEnv: [...GH_VARIABLES, ...place.passEnv],
        set: GH_SET,
      });
      const answer = readAnswer(result);
      if (answer && answer.status < 400) return answer;
      const login = `gh auth login${repo.host ? ` --hostname ${repo.host}` : ''}`;
      const failed = failureOf('gh', login, { result, answer, timeoutMs: TIMEOUT_MS, who: 'the forge' });
      throw asForgeError(failed, answer?.status);
    } catch (error) {
      throw error instanceof TrackerError ? asForgeError(error) : error;
    }
  };
  const at = (path: string): string =>
    path.startsWith('/') ? path.slice(1) : `${root}${path === '' ? '' : `/${path}`}`;
  return {
    repo,
    get: async <T>(path: string) => {
      try {
        return (await call([at(path)])).json() as T;
      } catch (error) {
        if (error instanceof ForgeError && error.status === 404) return null;
        throw error;
      }
    },
    list: async <T>(path: string, of: (answer: unknown) => T[] = (answer) => answer as T[]) => {
      const between = path.includes('?') ? '&' : '?';
      return listPages(async (page) => {
        const answer = await call([`${at(path)}${between}per_page=100&page=${page}`]);
        return { answer, entries: of(answer.json()) };
      }, MOST_LISTED);
    },
    send: async <T>(method: string, path: string, body: unknown) =>
      (await call(['--method', method, at(path), '--input', '-'], JSON.stringify(body))).json() as T,
    graphql: async <T>(query: string, variables: Record<string, unknown>) => {
      const answer = await call(['--method', 'POST', 'graphql', '--input', '-'], JSON.stringify({ query, variables }));
      const { data, errors } = answer.json() as { data?: T; errors?: { message: string }[] };
      if (!data || errors?.[0]) throw new ForgeError(`the forge refuses it: ${errors?.[0]?.message ?? 'no data'}`);
      return data;
    },
    text: async (path) => (await call([at(path)])).lines.join('\n'),
  };
}

const asForgeError = ({ message, retry, at, needsPerson }: TrackerError, status?: number): ForgeError =>
  new ForgeError(message, status, retry && !needsPerson ? { ...(at === undefined ? {} : { at }) } : undefined);
