/**
 * Git commands of a launcher that was killed go on to their end. A new launcher waits for them before it works: one that
 * still cleans or fills a worktree would do so under the next agent's hands.
 * Invariant: waits only for git, only for launchers that are dead, and never for ever. Linux; elsewhere it waits for none.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, ownIdentity } from '../../process/identity.js';
import { eachPid, readProc } from '../../process/table.js';

/** In the environment of every git command: `<pid> <start time> <state root>`. */
const MARK = 'RALPHCTL_LAUNCHER';
const LOOK_MS = 100;
/** Longer than any checkout should take; a git that hangs holds nobody up for ever. */
const LONGEST_MS = 5 * 60_000;

/** From here on, what this process starts says whose it is. */
export async function markOwn(root: string): Promise<void> {
  const { pid, startTime } = await ownIdentity();
  process.env[MARK] = `${pid} ${startTime} ${root}`;
}

/** Resolves once no git of a dead launcher of this state root runs, or after `longestMs`. */
export async function orphansGone(root: string, longestMs = LONGEST_MS): Promise<void> {
  if (process.platform !== 'linux') return;
  const end = performance.now() + longestMs;
  while (performance.now() < end && (await findOrphans(root)).length > 0) await delay(LOOK_MS);
}

async function findOrphans(root: string): Promise<number[]> {
  const marked: { pid: number; launcher: { pid: number; startTime: string } }[] = [];
  await eachPid((pid) => {
    // Programs that git or a set-up command left behind for good, such as build daemons, are not waited for.
    if (!/\(git\)/.test(readProc(pid, 'stat')?.toString('latin1').slice(0, 40) ?? '')) return;
    const environment = readProc(pid, 'environ')?.toString('utf8').split('\0') ?? [];
    const value = environment.find((line) => line.startsWith(`${MARK}=`))?.slice(MARK.length + 1) ?? '';
    const [owner, startTime = '', ...rest] = value.split(' ');
    if (rest.join(' ') === root) marked.push({ pid, launcher: { pid: Number(owner), startTime } });
  });
  const orphans: number[] = [];
  for (const { pid, launcher } of marked) if (!(await isAlive(launcher))) orphans.push(pid);
  return orphans;
}
