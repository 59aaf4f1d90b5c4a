/**
 * Requests to a forge through its own program, which has the user's login.
 * Invariant: no shell; texts go through stdin. Only these calls get the login.
 */
import type { KnownAnswers } from '../../run-files/known-answers.js';
import { type ApiAnswer, answerOf, failureOf, readAnswer } from '../../trackers/http-answer.js';
import { listPages } from '../../trackers/pages.js';
import { callTool } from '../../trackers/tool.js';
import { TrackerError } from '../../trackers/tracker.js';
import { ForgeError } from './forge.js';

const TIMEOUT_MS = 60_000;
/** Entries of one list that are read. */
const MOST_LISTED = 5000;

export interface Api {
  /** Path below the repository, or from the root when it starts with a slash. Null: there is no such thing. */
  get<T>(path: string): Promise<T | null>;
  /** All pages of a list. `of`: its entries in an answer. */
  list<T>(path: string, of?: (answer: unknown) => T[]): Promise<T[]>;
  send<T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<T>;
  text(path: string): Promise<string>;
  /** The time of the forge with its last answer, epoch ms. */
  clock(): number | undefined;
}

export interface ApiPlace {
  env: NodeJS.ProcessEnv;
  cwd: string;
  passEnv: readonly string[];
  /** Of its processes, as in `ToolPlace`. */
  mark?: string;
  signal?: AbortSignal;
  /** Of looks: the forge does not count a request whose answer is the same. */
  answers?: KnownAnswers;
}

export interface ApiProgram {
  /** Up to the arguments of one request. */
  argv: readonly string[];
  /** Path of the repository. */
  root: string;
  /** The command that logs in. */
  login: string;
  passEnv: readonly string[];
  set: Readonly<Record<string, string>>;
  /** See `ToolCall`. */
  apart?: true;
}

export function apiOf(place: ApiPlace, { argv, root, login, passEnv, set, apart }: ApiProgram): Api {
  const [program = ''] = argv;
  const { env, cwd, signal, mark } = place;
  const tool = { env, cwd, timeoutMs: TIMEOUT_MS, ...(mark ? { mark } : {}), ...(signal ? { signal } : {}) };
  let told: number | undefined;

  const call = async (args: readonly string[], stdin?: string): Promise<ApiAnswer> => {
    try {
      const result = await callTool(tool, {
        argv: [...argv, ...args],
        passEnv: [...passEnv, ...place.passEnv],
        set,
        ...(apart ? { apart } : {}),
        ...(stdin === undefined ? {} : { stdin }),
      });
      const answer = readAnswer(result);
      const date = Date.parse(answer?.headers.get('date') ?? '');
      if (Number.isFinite(date)) told = date;
      if (answer && answer.status < 400) return answer;
      const failed = failureOf(program, login, { result, answer, timeoutMs: TIMEOUT_MS, who: 'the forge' });
      throw asForgeError(failed, answer?.status);
    } catch (error) {
      throw error instanceof TrackerError ? asForgeError(error) : error;
    }
  };
  /** `gh` fails on an answer without a body, and prints its status all the same. */
  const read = async (path: string): Promise<ApiAnswer> => {
    const { answers } = place;
    if (!answers) return call([path]);
    const known = answers.get(path);
    const answer = await call([...(known ? ['--header', `If-None-Match: ${known.tag}`] : []), path]);
    const same = answer.status === 304 && known !== undefined;
    const { tag, link, lines } = same
      ? known
      : { tag: tagOf(answer), link: answer.headers.get('link'), lines: answer.lines };
    if (tag !== undefined) answers.put(path, { tag, lines, ...(link === undefined ? {} : { link }) });
    return same
      ? answerOf({ status: 200, headers: new Map(link === undefined ? [] : [['link', link]]), lines })
      : answer;
  };
  const at = (path: string): string =>
    path.startsWith('/') ? path.slice(1) : `${root}${path === '' ? '' : `/${path}`}`;
  return {
    get: async <T>(path: string) => {
      try {
        return jsonOf(await read(at(path))) as T;
      } catch (error) {
        if (error instanceof ForgeError && error.status === 404) return null;
        throw error;
      }
    },
    list: async <T>(path: string, of: (answer: unknown) => T[] = (answer) => answer as T[]) => {
      const between = path.includes('?') ? '&' : '?';
      return listPages(async (page) => {
        const answer = await read(`${at(path)}${between}per_page=100&page=${page}`);
        return { answer, entries: of(jsonOf(answer)) };
      }, MOST_LISTED);
    },
    send: async <T>(method: string, path: string, body: unknown) => {
      // `glab` sends no type by itself.
      const args = ['--method', method, '--header', 'Content-Type: application/json', '--input', '-', at(path)];
      return jsonOf(await call(args, JSON.stringify(body))) as T;
    },
    text: async (path) => (await call([at(path)])).lines.join('\n'),
    clock: () => told,
  };
}

/** It becomes part of an argument. */
const TAG = /^(?:W\/)?"[!#-~]{1,200}"$/;

function tagOf({ headers }: ApiAnswer): string | undefined {
  const tag = headers.get('etag') ?? '';
  return TAG.test(tag) ? tag : undefined;
}

/** A page of a proxy is an answer, too. */
function jsonOf(answer: ApiAnswer): unknown {
  try {
    return answer.json();
  } catch (error) {
    throw error instanceof TrackerError ? asForgeError(error) : error;
  }
}

const asForgeError = ({ message, retry, at, needsPerson }: TrackerError, status?: number): ForgeError =>
  new ForgeError(message, status, retry && !needsPerson ? { ...(at === undefined ? {} : { at }) } : undefined);
