/**
 * Which process is meant: a pid together with the moment the process started.
 * Invariant: a recycled pid never compares equal, not even after a reboot, so a stored identity can be signalled safely.
 * Must not import anything but node built-ins: the server and the reaper use it too.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface Identity {
  pid: number;
  /** Opaque; equal only for the same process of the same boot. */
  startTime: string;
}

let boot: string | undefined;

/** Start ticks repeat after a reboot, and stored identities outlive one. */
function bootId(): string {
  if (boot === undefined) {
    try {
      boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    } catch {
      boot = 'boot';
    }
  }
  return boot;
}

export interface StatFields {
  state: string;
  ppid: number;
  pgid: number;
  startTime: string;
  /** User and system time used, in clock ticks. */
  cpuTicks: number;
}

/** Reads one line of `/proc/<pid>/stat`; undefined when it has another shape. */
export function parseStat(text: string): StatFields | undefined {
  // The command name stands in parentheses and may itself hold spaces and parentheses: count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid] = fields;
  const ticks = fields[19];
  if (!state || ppid === undefined || pgid === undefined || ticks === undefined) return undefined;
  return {
    state,
    ppid: Number(ppid),
    pgid: Number(pgid),
    startTime: `${bootId()}-${ticks}`,
    cpuTicks: Number(fields[11]) + Number(fields[12]),
  };
}

/** A zombie runs nothing, holds nothing and cannot be killed: it counts as gone. */
export const isZombie = (state: string): boolean => /^[ZXx]/.test(state);

/** Runs `ps` and gives its output, or an empty string when it fails. */
export function ps(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
    execFile('ps', [...args], { maxBuffer: 64 << 20, env }, (_error, stdout) => resolve(stdout));
  });
}

/** Identity of a living process; undefined when there is none with that pid (zombies included). */
export async function identityOf(pid: number): Promise<Identity | undefined> {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') {
    const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
    return stat && !isZombie(stat.state) ? { pid, startTime: stat.startTime } : undefined;
  }
  const match = /^\s*(\S+)\s+(\S.*?)\s*$/m.exec(await ps(['-o', 'stat=,lstart=', '-p', String(pid)]));
  return match?.[1] && match[2] && !isZombie(match[1]) ? { pid, startTime: match[2] } : undefined;
}

/**
 * Identity of a child that was spawned in this very turn of the event loop. It cannot have been reaped yet, so this
 * also works for one that has already ended, which an asynchronous look-up would miss.
 */
export async function identityOfNewChild(pid: number): Promise<Identity> {
  if (process.platform === 'linux') {
    try {
      const stat = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      if (stat) return { pid, startTime: stat.startTime };
    } catch {
      // No /proc for us here; the slower way below may still know.
    }
  }
  return (await identityOf(pid)) ?? { pid, startTime: 'ended' };
}

/** True while exactly this process runs. */
export async function isAlive(identity: Identity): Promise<boolean> {
  return (await identityOf(identity.pid))?.startTime === identity.startTime;
}

/** Sends a signal if exactly this process still runs; false when it does not or may not be signalled. */
export async function signalIdentity(identity: Identity, signal: NodeJS.Signals): Promise<boolean> {
  if (identity.pid === process.pid || !(await isAlive(identity))) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}
