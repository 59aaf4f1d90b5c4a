/**
 * Living with git's lock files: what contention looks like, how long to wait, one mutex per repository, and when a lock
 * in a worktree of ours is left over from a killed process. Must not start git.
 */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const CONTENTION =
  /(?:index|config|packed-refs|HEAD|shallow|\/[^\s']+)\.lock'?: File exists|could not lock config file|[Uu]nable to create '[^']+\.lock'|[Cc]annot lock ref .*File exists/;

/** git names the lock file that it cannot make, and then why: only another git's lock goes away by itself. */
const HOPELESS =
  /Read-only file system|No space left on device|Disk quota exceeded|Permission denied|Input\/output error/i;

/** Did this stderr come from two git processes meeting, so that trying again can help? */
export const isLockContention = (stderr: string): boolean => CONTENTION.test(stderr) && !HOPELESS.test(stderr);

/** What to say when a lock does not go away: short enough to be shown whole, with the command first. */
export function lockHeld(stderr: string): string {
  const file = /'([^']+\.lock)'/.exec(stderr)?.[1];
  const remove = file ? `rm '${file}'` : 'remove its .lock file';
  return `A git lock stays in place. If no git runs there, a killed git left it: ${remove}, then retry.`;
}

const MAX_ATTEMPTS = 9;

/** Milliseconds to wait after the given failed attempt (1-based), with jitter; undefined: give up. About 6 s in all. */
export function lockDelayMs(attempt: number): number | undefined {
  if (attempt >= MAX_ATTEMPTS) return undefined;
  return Math.min(2000, 20 * 2 ** (attempt - 1)) * (0.5 + Math.random());
}

const tails = new Map<string, Promise<unknown>>();

/** Runs `work` alone among all calls with the same key in this process. */
export function exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const tail = mine.then(
    () => undefined,
    () => undefined,
  );
  tails.set(key, tail);
  void tail.then(() => {
    if (tails.get(key) === tail) tails.delete(key);
  });
  return mine;
}

/** Older than this, a lock that only we take belongs to a process that was killed. */
const STALE_MS = 60_000;
const OWN_LOCKS = ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'];

/**
 * Removes stale locks from the private git directory of one of our own worktrees, and of the idea's branch. Never use it
 * on a user's checkout.
 */
export async function removeStaleLocks(gitDir: string, { now = Date.now(), branch = '' } = {}): Promise<boolean> {
  const own = OWN_LOCKS.map((name) => join(gitDir, name));
  // `<common>/worktrees/<name>`
  const shared = branch ? [join(gitDir, '../..', `refs/heads/${branch}.lock`)] : [];
  const removed = await Promise.all([...own, ...shared].map((lock) => removeStale(lock, now)));
  return removed.includes(true);
}

async function removeStale(lock: string, now: number): Promise<boolean> {
  const info = await stat(lock).catch(() => undefined);
  // One from the future was written before the clock was set back: its age says nothing, and it would stay for hours.
  if (!info || Math.abs(now - info.mtimeMs) < STALE_MS) return false;
  await rm(lock, { force: true });
  return true;
}

/**
 * Notices that this process stood still (SIGSTOP, a paused container). Its work may have been given up meanwhile and be
 * done by another process: whoever is told of it must do nothing more, least of all with git.
 * Must not import anything.
 */
const LOOK_MS = 1000;

let seenAt = performance.now();
let limitMs = Number.POSITIVE_INFINITY;
let tell: () => void = () => undefined;

/** Calls `then`, before the next git command at the latest, after this process stood still for longer than `ms`. */
export function whenStoodStill(ms: number, then: () => void): void {
  seenAt = performance.now();
  limitMs = ms;
  tell = then;
  setInterval(lookForStandstill, LOOK_MS).unref();
}

export function lookForStandstill(): void {
  const now = performance.now();
  const stood = now - seenAt;
  seenAt = now;
  if (stood > limitMs) tell();
}
