/**
 * Git commands of a killed job process run to their end. A new job process waits for them before it works, because a
 * git that still cleans or fills a worktree would disturb the next agent.
 * Invariant: waits only for git, only for dead job processes, and for a bounded time. Linux only; elsewhere it does not
 * wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, ownIdentity } from '../../process/identity.js';
import { eachPid, readProc } from '../../process/table.js';

/** In the environment of every git command: `<pid> <start time> <state root>`. */
const MARK = 'RALPHCTL_LAUNCHER';
const LOOK_MS = 100;
/** Longer than any checkout should take, so that a hanging git does not block the worker for ever. */
const LONGEST_MS = 5 * 60_000;

/** Marks every process that this one starts from now on with its identity. */
export async function markOwn(root: string): Promise<void> {
  const { pid, startTime } = await ownIdentity();
  process.env[MARK] = `${pid} ${startTime} ${root}`;
}

/** Resolves once no git of a dead job process of this state root runs, or after `longestMs`. */
export async function orphansGone(root: string, longestMs = LONGEST_MS): Promise<void> {
  if (process.platform !== 'linux') return;
  const end = performance.now() + longestMs;
  while (performance.now() < end && (await findOrphans(root)).length > 0) await delay(LOOK_MS);
}

async function findOrphans(root: string): Promise<number[]> {
  const marked: { pid: number; jobProcess: { pid: number; startTime: string } }[] = [];
  await eachPid((pid) => {
    // Lasting leftovers of git or a set-up command, such as build daemons, do not count.
    if (!/\(git\)/.test(readProc(pid, 'stat')?.toString('latin1').slice(0, 40) ?? '')) return;
    const environment = readProc(pid, 'environ')?.toString('utf8').split('\0') ?? [];
    const value = environment.find((line) => line.startsWith(`${MARK}=`))?.slice(MARK.length + 1) ?? '';
    const [owner, startTime = '', ...rest] = value.split(' ');
    if (rest.join(' ') === root) marked.push({ pid, jobProcess: { pid: Number(owner), startTime } });
  });
  const orphans: number[] = [];
  for (const { pid, jobProcess } of marked) if (!(await isAlive(jobProcess))) orphans.push(pid);
  return orphans;
}
