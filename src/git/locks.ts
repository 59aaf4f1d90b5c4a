/**
 * Handles git's lock files: recognises contention, waits, has one mutex per repository, and removes locks that a killed
 * process left in a ralphctl worktree. Must not start git.
 */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from '../protocol/shell-words.js';

const CONTENTION =
  /(?:index|config|packed-refs|HEAD|shallow|\/[^\s']+)\.lock'?: File exists|could not lock config file|[Uu]nable to create '[^']+\.lock'|[Cc]annot lock ref .*File exists/;

/** git names the lock file and then the reason. Only another git's lock disappears by itself. */
const HOPELESS =
  /Read-only file system|No space left on device|Disk quota exceeded|Permission denied|Input\/output error/i;

/** Whether this stderr comes from two concurrent git processes, so that a retry can help. */
export const isLockContention = (stderr: string): boolean => CONTENTION.test(stderr) && !HOPELESS.test(stderr);

/** The message about a lock that stays: short enough to be shown whole, with the command first. */
export function lockHeld(stderr: string): string {
  const file = /'([^']+\.lock)'/.exec(stderr)?.[1];
  const remove = file ? `rm ${shellQuoted(file)}` : 'remove its .lock file';
  return `A git lock stays in place. If no git runs there, a killed git left it: ${remove}, then retry.`;
}

const MAX_ATTEMPTS = 9;

/** Milliseconds to wait after the given failed attempt (1-based), with jitter; undefined: give up. About 6 s in all. */
export function lockDelayMs(attempt: number): number | undefined {
  if (attempt >= MAX_ATTEMPTS) return undefined;
  return Math.min(2000, 20 * 2 ** (attempt - 1)) * (0.5 + Math.random());
}

const tails = new Map<string, Promise<unknown>>();

/** Runs `work` exclusively among all calls with the same key in this process. */
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

/** A ralphctl-only lock older than this belongs to a killed process. */
const STALE_MS = 60_000;
const OWN_LOCKS = ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'];

/**
 * Removes stale locks from the private git directory of a ralphctl worktree, and of the idea's branch. Never use it on
 * a user's checkout.
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
  // A lock from the future predates a clock that was set back. Its age is meaningless, and it would stay for hours.
  if (!info || Math.abs(now - info.mtimeMs) < STALE_MS) return false;
  await rm(lock, { force: true });
  return true;
}

/**
 * Notices that this process was stopped (SIGSTOP, a paused container). Another process may have taken over its work
 * meanwhile, so the callee must stop all work, git above all.
 * Must not import anything.
 */
const LOOK_MS = 1000;

let seenAt = performance.now();
let limitMs = Number.POSITIVE_INFINITY;
let tell: () => void = () => undefined;

/** Calls `then`, before the next git command at the latest, after this process was stopped for longer than `ms`. */
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
