/**
 * The identity of a process: its pid with its start time.
 * Invariant: a recycled pid never compares equal, not even after a reboot or in another container, so a stored identity
 * can be signalled safely. Must not import anything but node built-ins: the server and the reaper use it too.
 */
import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface Identity {
  pid: number;
  /** Opaque, no spaces; equal only for the same process: `<boot id>/<pid namespace>/<start ticks>`, or a date of `ps`. */
  startTime: string;
}

/** `unknown`: it lives in another pid namespace (a container), where its pid cannot be looked up from here. */
export type Aliveness = 'alive' | 'dead' | 'unknown';

/**
 * Processes are read from /proc; else from `ps`, as other systems have it. `RALPHCTL_PROCESS_TABLE=ps` is for tests, and
 * for all processes of ralphctl or for none: an identity of the one kind never equals one of the other.
 */
export const hasProc = process.platform === 'linux' && process.env.RALPHCTL_PROCESS_TABLE !== 'ps';
let here: { boot: string; namespace: string } | undefined;

/** Start ticks repeat after a reboot, and pids in every container; stored identities outlive both. */
function thisWorld(): { boot: string; namespace: string } {
  here ??= {
    boot: orElse(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), 'boot'),
    namespace: orElse(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''), '0'),
  };
  return here;
}

function orElse(read: () => string, otherwise: string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

export interface StatFields {
  state: string;
  ppid: number;
  pgid: number;
  startTime: string;
  /** It has a controlling terminal. */
  terminal: boolean;
  /** Processor time used by it and by its children that have ended, milliseconds. */
  cpuMs: number;
}

/** Parses one line of `/proc/<pid>/stat`; undefined when it has another shape. */
export function parseStat(text: string): StatFields | undefined {
  // The command name is in parentheses and may itself contain spaces and parentheses: count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid] = fields;
  const ticks = fields[19];
  if (!state || ppid === undefined || pgid === undefined || ticks === undefined) return undefined;
  const { boot, namespace } = thisWorld();
  return {
    state,
    ppid: Number(ppid),
    pgid: Number(pgid),
    startTime: `${boot}/${namespace}/${ticks}`,
    terminal: Number(fields[4]) !== 0,
    cpuMs: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * MS_PER_TICK,
  };
}

/** A zombie runs nothing, holds nothing and cannot be killed: it counts as gone. */
export const isZombie = (state: string): boolean => /^[ZXx]/.test(state);

/** Runs `ps` and returns its output, or an empty string when it fails. */
export function ps(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
    execFile('ps', [...args], { maxBuffer: 64 << 20, env }, (_error, stdout) => resolve(stdout));
  });
}

/** The start of a process as `ps` prints it (`lstart`), without spaces, because some lists of identities have them. */
export const startOf = (printed: string): string => printed.trim().replace(/\s+/g, '_');

/** Identity of a living process; undefined when there is none with that pid (zombies included). */
export async function identityOf(pid: number): Promise<Identity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (hasProc) {
    const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
    return stat && !isZombie(stat.state) ? { pid, startTime: stat.startTime } : undefined;
  }
  const match = /^\s*(\S+)\s+(\S.*?)\s*$/m.exec(await ps(['-o', 'stat=,lstart=', '-p', String(pid)]));
  return match?.[1] && match[2] && !isZombie(match[1]) ? { pid, startTime: startOf(match[2]) } : undefined;
}

/**
 * Identity of a child spawned in this turn of the event loop. It cannot have been reaped yet, so this also works for
 * one that has already ended, which an asynchronous look-up would miss.
 */
export async function identityOfNewChild(pid: number): Promise<Identity> {
  if (hasProc) {
    try {
      const stat = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      if (stat) return { pid, startTime: stat.startTime };
    } catch {
      // No /proc here; the slower way below may still work.
    }
  }
  return (await identityOf(pid)) ?? { pid, startTime: 'ended' };
}

let own: Promise<Identity> | undefined;
/** Identity of this process. */
export const ownIdentity = (): Promise<Identity> => {
  own ??= identityOf(process.pid).then((identity) => {
    if (!identity) throw new Error(`cannot read the start time of process ${process.pid} (this one)`);
    return identity;
  });
  return own;
};

/** Whether exactly this process, not a later one with the same pid, still runs. */
export async function aliveness(identity: Identity): Promise<Aliveness> {
  if (hasProc) {
    const [boot, namespace] = identity.startTime.split('/');
    const world = thisWorld();
    if (boot === world.boot && namespace !== world.namespace) return 'unknown';
  }
  return (await identityOf(identity.pid))?.startTime === identity.startTime ? 'alive' : 'dead';
}

/** True only for `alive`. */
export const isAlive = async (identity: Identity): Promise<boolean> => (await aliveness(identity)) === 'alive';

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

/**
 * Ends exactly this process: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone.
 * @throws Error when it survives SIGKILL by five seconds, or may not be signalled.
 */
export async function terminate(identity: Identity, graceMs: number): Promise<void> {
  for (const [signal, waitMs] of [['SIGTERM', graceMs] as const, ['SIGKILL', 5_000] as const]) {
    if (!(await isAlive(identity))) return;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await goneWithin(identity, waitMs)) return;
  }
  throw new Error(`process ${identity.pid} did not end, not even by SIGKILL; look at it with: ps -fp ${identity.pid}`);
}

async function goneWithin(identity: Identity, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!(await isAlive(identity))) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !(await isAlive(identity));
}
