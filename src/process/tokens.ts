/**
 * Finds processes by the attempt token in their environment, however far they have moved from their parent or group.
 * Invariant: a prefix matches whole path segments only, and this process and its ancestors are never found. Nor is what
 * a git command has left to serve all of the user's programs.
 */
import { ATTEMPT_ENV } from '../protocol/names.js';
import { describedByPs } from './described.js';
import { hasProc, type Identity, identityOf } from './identity.js';
import { killIdentities } from './kill.js';
import { GIT_CALL, isShared } from './shared.js';
import { descendantsOf, eachPid, ownLine, processTable, readProc } from './table.js';

/** True when `value` is `prefix` or lies below it, segment by segment. */
export function tokenMatches(value: string, prefix: string): boolean {
  return value === prefix || (value.startsWith(prefix) && value[prefix.length] === '/');
}

function cleaned(prefix: string): string {
  const bare = prefix.replace(/\/+$/, '');
  if (bare === '') throw new RangeError('An empty attempt token would match every run; name at least the project.');
  return bare;
}

const LONGEST = 1000;
/** It began with a git command and serves the user since: its token says nothing any more. */
const isOthers = (pid: number, token: string): boolean => token.includes(`/${GIT_CALL}/`) && isShared(pid);

interface Carrier {
  pid: number;
  token: string;
}

async function fromProc(prefix: string): Promise<Carrier[]> {
  const wanted = Buffer.from(`${ATTEMPT_ENV}=${prefix}`);
  const found: Carrier[] = [];
  await eachPid((pid) => {
    // Other users' processes are unreadable, and others end meanwhile: neither belongs to a run.
    const environ = readProc(pid, 'environ');
    for (let at = environ?.indexOf(wanted) ?? -1; environ && at >= 0; at = environ.indexOf(wanted, at + 1)) {
      const before = at === 0 ? 0 : environ[at - 1];
      const after = environ[at + wanted.length];
      if (before === 0 && (after === undefined || after === 0 || after === 0x2f)) {
        const text = environ.toString('utf8', at, at + LONGEST).split('\0', 1)[0] ?? '';
        const token = text.slice(ATTEMPT_ENV.length + 1);
        if (!isOthers(pid, token)) found.push({ pid, token });
        return;
      }
    }
  });
  return found;
}

async function fromPs(prefix: string): Promise<Carrier[]> {
  const found: Carrier[] = [];
  for (const { pid, environment } of await describedByPs()) {
    const token = environment.find((line) => line.startsWith(`${ATTEMPT_ENV}=`))?.slice(ATTEMPT_ENV.length + 1);
    if (token !== undefined && tokenMatches(token, prefix)) found.push({ pid, token });
  }
  return found;
}

/** Tells tokens whose processes go on. */
export type Spares = (token: string) => Promise<boolean>;

/**
 * Living processes that carry the token, or one below it (`<project>`, `<project>/<run>` …).
 * Throws a RangeError for an empty prefix.
 */
export async function findByToken(prefix: string, spares?: Spares): Promise<Identity[]> {
  const bare = cleaned(prefix);
  const carriers = await (hasProc ? fromProc(bare) : fromPs(bare));
  if (carriers.length === 0) return [];
  const own = ownLine(await processTable());
  const found = await Promise.all(
    carriers.map(async ({ pid, token }) => (own.has(pid) || (await spares?.(token)) ? undefined : identityOf(pid))),
  );
  return found.filter((identity) => identity !== undefined);
}

/**
 * Kills the processes with the token or one below it, with all their descendants, and returns them. Returns when none
 * is left (or only ones that cannot be killed).
 */
export async function killByToken(prefix: string, graceMs = 2000, spares?: Spares): Promise<Identity[]> {
  // Remembered, because a descendant without the token is found only while its parents live.
  const known = new Map<string, Identity>();
  const find = async (): Promise<Identity[]> => {
    const carriers = await findByToken(prefix, spares);
    for (const { pid, startTime } of carriers) known.set(`${pid} ${startTime}`, { pid, startTime });
    if (known.size === 0) return [];
    const table = await processTable();
    const own = ownLine(table);
    const alive = table.filter((row) => known.has(`${row.pid} ${row.startTime}`));
    for (const row of descendantsOf(new Set(alive.map((one) => one.pid)), table)) {
      if (own.has(row.pid) || isShared(row.pid)) continue;
      known.set(`${row.pid} ${row.startTime}`, { pid: row.pid, startTime: row.startTime });
      alive.push(row);
    }
    return alive.map(({ pid, startTime }) => ({ pid, startTime }));
  };
  await killIdentities(find, graceMs);
  return [...known.values()];
}

/** Tokens of the runs in this process, for a shutdown that must end them all at once. */
const tokens = new Map<string, number>();

export const activeTokens = (): string[] => [...tokens.keys()];

/** Records a token; call the returned function when the run is over. */
export function noteToken(token: string): () => void {
  tokens.set(token, (tokens.get(token) ?? 0) + 1);
  return () => {
    const left = (tokens.get(token) ?? 1) - 1;
    if (left > 0) tokens.set(token, left);
    else tokens.delete(token);
  };
}
