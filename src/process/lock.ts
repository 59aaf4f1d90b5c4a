/**
 * A lock between processes: a folder of numbered claims.
 * Invariant: the claim with the highest number holds the lock. A process may take over only when that claim is released
 * (an empty file) or its owner is dead. It creates the next number with link(), which succeeds for exactly one process;
 * the file has its owner from the moment that it exists. The highest claim is never deleted, so that a slow process
 * cannot take an older number. The age of a claim does not matter.
 * Must not import anything but identity.ts.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, UserError } from '../protocol/user-error.js';
import { aliveness, type Identity, ownIdentity } from './identity.js';

export interface LockOptions {
  /** Give up after this long, in milliseconds. */
  waitMs: number;
  /** Called once when another process holds the lock. */
  onWait?: (owner: Identity) => void;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** Another process held the lock for longer than the caller waits. */
export class LockTimeoutError extends UserError {
  constructor(
    readonly path: string,
    readonly owner: Identity,
    waitMs: number,
  ) {
    const fix = `Look at it with "ps -fp ${owner.pid}", and end it if it hangs; the lock is then free`;
    const held = `process ${owner.pid} has held the lock ${path} for more than ${Math.round(waitMs / 1000)} s`;
    super(`${held}. ${fix}`, EXIT.unreachable, fix);
  }
}

const CLAIM = /^\d{10}$/;
/** Older claims are deleted, but not the last few: that many takeovers may happen during a folder listing. */
const KEEP = 16;
const claimName = (n: number): string => String(n).padStart(10, '0');

async function claims(dir: string): Promise<number[]> {
  return (await readdir(dir)).filter((name) => CLAIM.test(name)).map(Number);
}
const highest = async (dir: string): Promise<number> => Math.max(0, ...(await claims(dir)));

const isErrno = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/** Owner of claim `n`; undefined when it was released. */
async function ownerOf(dir: string, n: number): Promise<Identity | undefined> {
  if (n === 0) return undefined;
  try {
    const text = await readFile(join(dir, claimName(n)), 'utf8');
    return text === '' ? undefined : (JSON.parse(text) as Identity);
  } catch (error) {
    // A power cut can leave half a claim, whose owner is gone. A deleted claim was superseded long ago.
    if (error instanceof SyntaxError || isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Tries to create claim `n`; true when this process now holds the lock. */
async function claim(dir: string, n: number, owner: Identity): Promise<boolean> {
  const draft = join(dir, `draft-${process.pid}-${randomBytes(6).toString('hex')}`);
  const target = join(dir, claimName(n));
  try {
    // On a full disk this leaves an empty file.
    await writeFile(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    await link(draft, target);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  // Others may have used and deleted number n meanwhile; then a higher claim holds the lock.
  if ((await highest(dir)) === n) return true;
  await unlink(target).catch(() => undefined);
  return false;
}

/** Truncating needs no disk space, so it releases the lock on a full disk too. */
async function release(dir: string, n: number): Promise<void> {
  await truncate(join(dir, claimName(n)), 0).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
  });
}

async function sweep(dir: string, held: number): Promise<void> {
  for (const n of await claims(dir)) {
    if (n < held - KEEP) await unlink(join(dir, claimName(n))).catch(() => undefined);
  }
}

/**
 * Takes the lock kept in folder `dir` (created when missing).
 * @returns a function that releases it.
 * @throws LockTimeoutError after `waitMs`, and the signal's reason.
 */
export async function acquireLock(dir: string, options: LockOptions): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const self = await ownIdentity();
  const end = performance.now() + options.waitMs;
  let told = false;
  for (;;) {
    options.signal?.throwIfAborted();
    const n = await highest(dir);
    const owner = await ownerOf(dir, n);
    if (!owner || (await aliveness(owner)) === 'dead') {
      if (await claim(dir, n + 1, self)) {
        await sweep(dir, n + 1);
        return () => release(dir, n + 1);
      }
      continue;
    }
    if (!told) options.onWait?.(owner);
    told = true;
    if (performance.now() >= end) throw new LockTimeoutError(dir, owner, options.waitMs);
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }
}

/** Runs `fn` while holding the lock in folder `dir`. @throws LockTimeoutError, or what `fn` throws. */
export async function withLock<T>(dir: string, fn: () => Promise<T>, options: LockOptions): Promise<T> {
  const release = await acquireLock(dir, options);
  try {
    return await fn();
  } finally {
    await release();
  }
}
