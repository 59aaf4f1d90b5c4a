/**
 * Identity of a process: its id together with when it started, so a reused id is never taken for the old process.
 * Invariant: whoever is about to signal or trust a recorded pid asks here first.
 */
import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';

export interface ProcessIdentity {
  pid: number;
  /** Opaque: `<boot id>/<pid namespace>/<start ticks>` on Linux, `ps/<start date>` elsewhere. */
  startTime: string;
}

/** `unknown`: it lives in another pid namespace (a container), where its pid cannot be looked up from here. */
export type Aliveness = 'alive' | 'dead' | 'unknown';

const linux = process.platform === 'linux';

let world: Promise<{ boot: string; namespace: string }> | undefined;
/** The boot and the pid namespace in which this process sees pids. */
const thisWorld = (): Promise<{ boot: string; namespace: string }> => {
  world ??= Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'boot'),
    readlink('/proc/self/ns/pid').catch(() => 'pid:[0]'),
  ]).then(([boot, namespace]) => ({ boot: boot.trim(), namespace: namespace.replace(/\D/g, '') }));
  return world;
};

/** Field 22 of `/proc/<pid>/stat`; undefined when there is no such process or it is a zombie. */
export function parseStat(stat: string): string | undefined {
  // The command name is in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  return fields[19];
}

async function linuxStart(pid: number): Promise<string | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

const psStart = (pid: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
    execFile('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options, (error, stdout) => {
      const [state, ...date] = stdout.trim().split(/\s+/);
      resolve(error || !state || state.startsWith('Z') || date.length === 0 ? undefined : `ps/${date.join(' ')}`);
    });
  });

/** Identity of the running process `pid`; undefined when there is none (a zombie counts as none). */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (!linux) {
    const startTime = await psStart(pid);
    return startTime === undefined ? undefined : { pid, startTime };
  }
  const ticks = await linuxStart(pid);
  if (ticks === undefined) return undefined;
  const { boot, namespace } = await thisWorld();
  return { pid, startTime: `${boot}/${namespace}/${ticks}` };
}

let own: Promise<ProcessIdentity> | undefined;
/** Identity of this process. */
export const ownIdentity = (): Promise<ProcessIdentity> => {
  own ??= identify(process.pid).then((identity) => {
    if (!identity) throw new Error(`cannot read the start time of process ${process.pid} (this one)`);
    return identity;
  });
  return own;
};

/** Is exactly this process, not a later one with the same pid, still running? */
export async function aliveness(identity: ProcessIdentity): Promise<Aliveness> {
  if (linux) {
    const [boot, namespace] = identity.startTime.split('/');
    const here = await thisWorld();
    if (boot === here.boot && namespace !== here.namespace) return 'unknown';
  }
  return (await identify(identity.pid))?.startTime === identity.startTime ? 'alive' : 'dead';
}

/** True only for `alive`. */
export const isAlive = async (identity: ProcessIdentity): Promise<boolean> => (await aliveness(identity)) === 'alive';

/**
 * Ends exactly this process: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone.
 * @throws Error when it survives SIGKILL by five seconds, or may not be signalled.
 */
export async function terminate(identity: ProcessIdentity, graceMs: number): Promise<void> {
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

async function goneWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!(await isAlive(identity))) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !(await isAlive(identity));
}
