/**
 * Is there room for another process? Without free file descriptors Node starts none, gives back a child without streams
 * and reports the error where nobody can listen yet, which ends this process with everything that runs in it.
 * Invariant: opens nothing that it does not close in the same turn.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Pipes for stdin, stdout and stderr, and the one by which Node learns that the program began; a few for the program's log. */
const NEEDED = 12;
const WAITS_MS = [20, 50, 100, 200, 400, 800, 1600, 1600];

/** Why no process can be started now: a system error with its `code` (EMFILE, ENFILE); undefined when one can. */
function shortage(needed: number): Error | undefined {
  const held: number[] = [];
  try {
    for (let n = 0; n < needed; n++) held.push(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EMFILE' || code === 'ENFILE'
      ? Object.assign(new Error(`no file descriptor is free to start a process with (${message})`), { code })
      : undefined;
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

/** True when a process can be started in this very turn of the event loop. */
export const canSpawn = (): boolean => shortage(NEEDED) === undefined;

/** Waits until a process can be started, for some seconds; then throws what the system says. */
export async function roomToSpawn(waits: readonly number[] = WAITS_MS): Promise<void> {
  for (const ms of waits) {
    if (canSpawn()) return;
    await delay(ms);
  }
  const error = shortage(NEEDED);
  if (error) throw error;
}
