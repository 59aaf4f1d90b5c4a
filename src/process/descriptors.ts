/**
 * Checks for free file descriptors before a process starts. Without them Node starts none, returns a child without
 * streams and reports the error before anyone can listen, which ends this process with everything in it. Closes those
 * that this process got from whoever started it.
 * Invariant: closes everything that it opens in the same turn.
 */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Pipes for stdin, stdout and stderr, and Node's own for the start; a few for the program's log. */
const NEEDED = 12;
const WAITS_MS = [20, 50, 100, 200, 400, 800, 1600, 1600];

/** Why no process can start now: a system error with its `code` (EMFILE, ENFILE); undefined when one can. */
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

/** Waits some seconds until a process can start; then throws the system's error. */
export async function untilCanSpawn(waits: readonly number[] = WAITS_MS): Promise<void> {
  for (const ms of waits) {
    if (canSpawn()) return;
    await delay(ms);
  }
  const error = shortage(NEEDED);
  if (error) throw error;
}

/** As the kernel writes it: a started program does not get the descriptor. Node and its libraries open all theirs so. */
const CLOSED_AT_START = 0o2000000;
const FIRST_OWN = 3;
let inheritedClosed = false;

/**
 * Closes what this process has open and a program that it starts would get, but for the three standard ones: whoever
 * started it had opened that. A folder that is open leads out of a sandbox.
 * @throws where one of them cannot be closed
 */
export function closeInherited(): void {
  // None can come later.
  if (inheritedClosed || process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const fd = Number(name);
    if (fd < FIRST_OWN) continue;
    const flags = flagsOf(fd);
    if (flags !== undefined && (flags & CLOSED_AT_START) === 0) closeSync(fd);
  }
  inheritedClosed = true;
}

/** Undefined: it is closed meanwhile, as that of the listing itself. */
function flagsOf(fd: number): number | undefined {
  try {
    return Number.parseInt(/^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '', 8);
  } catch {
    return undefined;
  }
}
