/**
 * Reads what `gh api --include` and `glab api --include` print: a status line, headers, and a body or the lines of its
 * filter. Pure.
 */
import type { ToolResult } from './tool.js';
import { notTooFar, TrackerError } from './tracker.js';

export interface ApiAnswer {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  lines: string[];
  json(): unknown;
}

const STATUS = /^HTTP\/[\d.]+ (\d{3})/;
/** `glab` prints warnings before its answer, and there. */
const MOST_WARNINGS = 20;

/** Undefined where the program got no answer. */
export function readAnswer({ stdout: printed }: ToolResult): ApiAnswer | undefined {
  const begin = printed.slice(0, MOST_WARNINGS).findIndex((line) => STATUS.test(line));
  const stdout = printed.slice(Math.max(0, begin));
  const status = STATUS.exec(stdout[0] ?? '')?.[1];
  if (status === undefined) return undefined;
  const blank = stdout.findIndex((line) => line.trim() === '');
  const end = blank < 0 ? stdout.length : blank;
  const headers = new Map(
    stdout.slice(1, end).flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const];
    }),
  );
  const lines = stdout.slice(end + 1).filter((line) => line.trim() !== '');
  return answerOf({ status: Number(status), headers, lines });
}

export const answerOf = (answer: Omit<ApiAnswer, 'json'>): ApiAnswer => ({
  ...answer,
  json: () => parsed(answer.lines.join('\n')),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TrackerError('the answer of the server is no JSON', true);
  }
}

export interface Failed {
  result: ToolResult;
  answer: ApiAnswer | undefined;
  timeoutMs: number;
  /** For people. */
  who?: string;
}

/** How long to wait where a limit names no end. */
const LIMIT_WAIT_MS = 60_000;

/** Why a program has no exit code. */
export const endOf = ({ signal }: Pick<ToolResult, 'signal'>, timeoutMs: number): string =>
  signal === undefined ? `timed out after ${timeoutMs / 1000} s` : `was ended by ${signal}`;

/** @param login the command that logs in */
export function failureOf(
  program: string,
  login: string,
  { result, answer, timeoutMs, who = 'the tracker' }: Failed,
): TrackerError {
  if (result.exitCode === null) return new TrackerError(`${program} ${endOf(result, timeoutMs)}`, true);
  const said = firstLine(result.stderr) || firstLine(answer?.lines.join('\n') ?? '');
  if (!answer) {
    if (/auth login|not logged in|authentication|GH_TOKEN|GITLAB_TOKEN/i.test(result.stderr))
      return new TrackerError(`${program} is not logged in. Log in: ${login}`, true, undefined, true);
    return new TrackerError(`${program} failed: ${said || `exit code ${result.exitCode}`}`, true);
  }
  const { status } = answer;
  const until = limitedUntil(answer);
  if (until !== undefined) {
    // With its day, because logs and reports show it later. Every way to a person makes it local.
    const minute = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
    return new TrackerError(`${who} limits requests until ${minute} UTC`, true, until);
  }
  if (status === 401)
    return new TrackerError(`the login of ${program} is not accepted. Log in: ${login}`, true, undefined, true);
  // A proxy in between gave up, or wants the request again.
  if (status === 408 || status === 425 || status >= 500) return new TrackerError(`${who} fails with ${status}`, true);
  return new TrackerError(`${who} refuses it with ${status}: ${said}`, false);
}

/** Epoch ms; undefined where no limit is the cause. */
function limitedUntil({ status, headers, lines }: ApiAnswer): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const now = Date.now();
  const number = (name: string): number => Number(headers.get(name) || Number.NaN);
  const seconds = number('retry-after');
  if (seconds >= 0) return notTooFar(now + seconds * 1000, now);
  const used = headers.get('x-ratelimit-remaining') === '0' || headers.get('ratelimit-remaining') === '0';
  const reset = headers.has('x-ratelimit-reset') ? number('x-ratelimit-reset') : number('ratelimit-reset');
  if (used && Number.isFinite(reset)) return notTooFar(reset * 1000 + ahead(headers.get('date'), now), now);
  return status === 429 || /rate limit/i.test(lines.join(' ')) ? now + LIMIT_WAIT_MS : undefined;
}

/** What the answer needed on its way. */
const ON_ITS_WAY_MS = 60_000;

/** How far the clock here is ahead of the forge's. The reset is a time of the forge. */
function ahead(date: string | undefined, now: number): number {
  const off = now - Date.parse(date ?? '');
  return Math.abs(off) > ON_ITS_WAY_MS ? off : 0;
}

const firstLine = (text: string): string =>
  (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 300);
