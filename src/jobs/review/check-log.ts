/**
 * Logs of checks, as forges keep them.
 * Invariant: a forge that is down, limits requests or wants another login is an error, and no log without words.
 */
import { plainText } from '../../gate/ansi.js';
import type { Api } from './api.js';
import { ForgeError } from './forge.js';

/** So long after the end of a job, its log may still be on its way to where the forge keeps it. */
const ON_ITS_WAY_MS = 60_000;
const NOT_THERE = 404;
const NO_LOGIN = 401;

/** `endedAt`: of its job. `instead`: what else the forge says of the check. Undefined: it is not there yet. */
export async function logOf(
  api: Pick<Api, 'text' | 'clock'>,
  path: string,
  endedAt: string | null | undefined,
  instead = '',
): Promise<string | undefined> {
  try {
    return (await api.text(path)) || instead;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.later || error.status === NO_LOGIN) throw error;
    if (instead !== '') return instead;
    if (error.status !== NOT_THERE) return `[The log cannot be read: ${error.message}]`;
    const age = (api.clock() ?? Date.now()) - Date.parse(endedAt ?? '');
    return age < ON_ITS_WAY_MS ? undefined : '';
  }
}

/** Far more than the cleanup at the end of a job has. */
const MOST_CLEANED = 1 << 20;
/** Of GitHub Actions, before each line. A message of several lines has one before its first line only. */
const TIME = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z /;
const GROUP = /^##\[(?:end)?group\]/;
const ERROR = '##[error]';
const CLEANUP = 'Post job cleanup.';

/**
 * A log of GitHub Actions up to its last error, without times and colours. After a step that failed come those that run
 * always, and the cleanup of all of them.
 */
export function actionsLog(log: string): string {
  const lines = log.slice(-MOST_CLEANED).split('\n');
  const timed = lines.map((line) => TIME.test(line));
  // The log of another system has its own form.
  if (!timed.includes(true)) return plainText(log.slice(-MOST_CLEANED)).trim();
  const said = lines.map((line) => line.replace(TIME, '').replace(/\r$/, ''));
  let end = said.findLastIndex((line, at) => timed[at] && line.startsWith(ERROR));
  if (end >= 0) {
    end += 1;
    while (end < said.length && !timed[end]) end += 1;
  } else end = said.findIndex((line, at) => timed[at] && line === CLEANUP);
  const kept = (end < 0 ? said : said.slice(0, end)).filter((line) => line !== '##[endgroup]');
  return plainText(kept.map((line) => line.replace(GROUP, '')).join('\n')).trim();
}
