/**
 * Finds files of the user's checkout that changed without git while agents ran. The user works there too, so the cause
 * is unknown and nothing stops. ralphctl reports each file once, with its diff and all agents that ran.
 * Invariant: reads the checkout and never writes to it. Changes by a landing or another command of ralphctl do not count.
 */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { despiteIndex } from '../../git/checkout-index.js';
import { readOwnWrites } from '../../git/confinement/own-writes.js';
import { orNone } from '../../git/regular.js';
import { git } from '../../git/runner.js';
import { readStatus, type Status } from '../../git/status.js';
import { exists } from '../../git/worktrees/list.js';

/** A landing or a sync that updates the checkout writes files before the index. */
const SETTLE_MS = 700;
const MOST_NAMED = 5;
const LONGEST_DIFF = 1 << 20;
const MOST_UNTRACKED_SHOWN = 20;

interface Watcher {
  idea: string;
  agentName: string;
  /** epoch ms */
  from: number;
  to?: number;
}

export interface Changed {
  path: string;
  /** epoch ms */
  at: number;
  untracked: boolean;
}

/** Recent agent runs in a repository, and the checkout files that each has reported. */
const running = new Map<string, Watcher[]>();
const told = new Map<string, Set<string>>();
/** The last state of untracked files, because nothing else remembers a deleted one. */
const untrackedLast = new Map<string, ReadonlySet<string>>();
const MOST_REMEMBERED = 200;

/** Registers a running agent. Call the returned function at its end. */
export function present(root: string, who: { idea: string; agentName: string }): () => void {
  const one: Watcher = { ...who, from: Date.now() };
  running.set(root, [...(running.get(root) ?? []), one].slice(-MOST_REMEMBERED));
  return () => {
    one.to = Date.now();
  };
}

const NOTHING: Status = { tracked: [], untracked: [], nested: [] };

/** Of a checkout whose index git cannot read, nobody knows what changed. No idea fails at that. */
export const statusOf = (root: string): Promise<Status> =>
  despiteIndex(
    root,
    () => readStatus(root),
    () => NOTHING,
  );

/** The first agent of a run checks before it starts. */
export async function firstLook(root: string): Promise<void> {
  if (!untrackedLast.has(root)) untrackedLast.set(root, new Set((await statusOf(root)).untracked));
}

export interface Lately {
  runId: string;
  /** epoch ms */
  since: number;
  /** A file that ralphctl itself writes. */
  own?: string | undefined;
  /** An agent ran before in a worker that is lost: when, this process does not know. */
  again: boolean;
}

/**
 * Files that changed since then, while an agent ran, and that this run has not reported. While an idea is prepared, only
 * a person or another program changes one.
 */
export async function changedLately(root: string, { runId, since, own, again }: Lately): Promise<Changed[]> {
  const before = untrackedLast.get(root) ?? new Set<string>();
  const first = (await changedSince(root, since, before)).filter(
    (file) => file.path !== own && (again || (running.get(root) ?? []).some((one) => ranAt(one, file))),
  );
  const key = `${root}\0${runId}`;
  const known = told.get(key) ?? new Set<string>();
  if (first.every(({ path }) => known.has(path))) return [];
  await delay(SETTLE_MS);
  const still = new Set((await changedSince(root, since, before)).map(({ path }) => path));
  const fresh = first.filter(({ path }) => still.has(path) && !known.has(path));
  if (told.size >= MOST_REMEMBERED) told.clear();
  told.set(key, new Set([...known, ...fresh.map(({ path }) => path)]));
  return fresh;
}

async function changedSince(root: string, since: number, before: ReadonlySet<string>): Promise<Changed[]> {
  const { tracked, untracked } = await statusOf(root);
  const now = new Set(untracked);
  untrackedLast.set(root, now);
  const gone: string[] = [];
  for (const path of before) if (!now.has(path) && !(await exists(join(root, path)))) gone.push(path);
  // The index shows a change by git; other code checks those.
  const edited = tracked.filter((entry) => entry.unstaged !== '.' && !entry.unmerged);
  const all = [
    ...edited.map(({ path }) => ({ path, untracked: false })),
    ...[...untracked, ...gone].map((path) => ({ path, untracked: true })),
  ];
  const ours = await readOwnWrites(root);
  // File system clocks have a coarse resolution.
  const begun = since - 20;
  const found = await Promise.all(
    all.map(async (one): Promise<Changed[]> => {
      const path = join(root, one.path);
      const at = await changeTime(path);
      return at !== undefined && at >= begun && !ours(path, at, begun) ? [{ ...one, at }] : [];
    }),
  );
  return found.flat();
}

/** Change time of the file, or of its nearest existing ancestor. */
async function changeTime(path: string): Promise<number | undefined> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const info = await lstat(at).catch(orNone);
    if (info) return info.ctimeMs;
  }
  return undefined;
}

/** All agents that ran when one of the files changed; the reporting one comes first. Of a lost worker, only that one is known. */
export function whoRan(root: string, files: readonly Changed[], self: string): string {
  const there = (running.get(root) ?? []).filter((one) => files.some((file) => ranAt(one, file)));
  return namesAmong(there, self) || self;
}

const ranAt = ({ from, to = Number.POSITIVE_INFINITY }: Watcher, { at }: Changed): boolean =>
  at >= from - 20 && at <= to + 20;

/** Whether the agent of an idea ran since then. */
export const ranSince = (root: string, since: number, idea: string): boolean =>
  (running.get(root) ?? []).some((one) => one.idea === idea && (one.to ?? Number.POSITIVE_INFINITY) >= since);

/** All agents that ran since then. */
export const whoRanSince = (root: string, since: number, self: string): string =>
  namesAmong(
    (running.get(root) ?? []).filter(({ to = Number.POSITIVE_INFINITY }) => to >= since),
    self,
  );

function namesAmong(there: readonly Watcher[], self: string): string {
  const names = [...new Set(there.map(({ idea, agentName }) => `${idea} (${agentName})`))];
  const own = names.filter((name) => name.startsWith(`${self} `));
  const others = names.filter((name) => !own.includes(name));
  const shown = [...own, ...others.slice(0, MOST_NAMED)].join(', ');
  return others.length > MOST_NAMED ? `${shown} and ${others.length - MOST_NAMED} more` : shown;
}

export function namesOf(files: readonly Changed[]): string {
  const shown = files.slice(0, MOST_NAMED).map(({ path }) => path);
  return files.length > MOST_NAMED ? `${shown.join(', ')} and ${files.length - MOST_NAMED} more` : shown.join(', ');
}

/** The diffs of the files, bounded. */
export async function differences(root: string, files: readonly Changed[]): Promise<string> {
  const tracked = files.filter((one) => !one.untracked).map(({ path }) => path);
  const options = ['diff', '--no-ext-diff', '--no-textconv'];
  const parts = tracked.length > 0 ? [await shown(root, [...options, '--', ...tracked])] : [];
  for (const { path } of files.filter((one) => one.untracked).slice(0, MOST_UNTRACKED_SHOWN)) {
    if (!(await exists(join(root, path)))) parts.push(`${path} was deleted; git did not track it`);
    else parts.push(await shown(root, [...options, '--no-index', '--', '/dev/null', path]));
  }
  return parts.join('\n').slice(0, LONGEST_DIFF);
}

async function shown(root: string, args: readonly string[]): Promise<string> {
  const result = await git(root)
    .result(args, { read: true, ok: [0, 1] })
    .catch(() => undefined);
  return result?.stdout || '(cannot be shown)';
}
