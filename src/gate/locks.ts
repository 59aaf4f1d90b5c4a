/**
 * Locks of gate commands (`gate.commands[].locks`): commands that name the same thing run one after another, whichever
 * gate, landing or project of this user they belong to.
 * Invariant: all commands take their locks in one order, so no two wait for each other. The locks of a process that is
 * gone are free.
 */
import { join } from 'node:path';
import { acquireLock } from '../process/lock.js';

/** The command's activity times out long before. */
const MOST_WAIT_MS = 24 * 60 * 60_000;

/** Shorter waits are those of the lock itself. */
const NOT_TOLD_MS = 100;

interface Taken {
  /** Milliseconds; 0 where nobody else had them. */
  waitedMs: number;
  release: () => Promise<void>;
}

/** Rejects with the signal's reason. */
export async function takeLocks(root: string, names: readonly string[] = [], signal?: AbortSignal): Promise<Taken> {
  const startedAt = performance.now();
  const held: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const free of held.splice(0).reverse()) await free();
  };
  try {
    for (const name of [...new Set(names)].sort())
      held.push(await acquireLock(join(root, name), { waitMs: MOST_WAIT_MS, ...(signal ? { signal } : {}) }));
  } catch (error) {
    await release();
    throw error;
  }
  const waitedMs = Math.round(performance.now() - startedAt);
  return { waitedMs: held.length > 0 && waitedMs >= NOT_TOLD_MS ? waitedMs : 0, release };
}
