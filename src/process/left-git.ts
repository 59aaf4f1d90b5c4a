/**
 * Git commands that a dead job process left. They are found by a mark in their environment, which names the job process
 * and its project.
 * Invariant: finds only git, only of dead job processes, and only of one project. Reads only. Linux only; elsewhere it
 * finds none.
 */
import { readFileSync } from 'node:fs';
import { type Identity, isAlive, isZombie, ownIdentity, parseStat } from './identity.js';
import { eachPid, readProc } from './table.js';

/** In the environment of every git command: `<pid> <start time> <project> <state root>`. */
const MARK = 'RALPHCTL_LAUNCHER';
/** In the environment of a git that only reads (git/runner.ts). */
const ONLY_READS = 'GIT_OPTIONAL_LOCKS=0';
const LONGEST_COMMAND = 200;

export interface Place {
  root: string;
  project: string;
}

export interface LeftGit extends Identity {
  /** What it does, without settings: `git status --porcelain=v2`. */
  command: string;
  /** It changes nothing, or waits at a named pipe for ever: it may be ended. */
  endable: boolean;
}

/** Marks every process that this one starts from now on with its identity. */
export async function markGit({ root, project }: Place): Promise<void> {
  const { pid, startTime } = await ownIdentity();
  process.env[MARK] = `${pid} ${startTime} ${project} ${root}`;
}

export async function findLeftGit({ root, project }: Place): Promise<LeftGit[]> {
  if (process.platform !== 'linux') return [];
  const marked: { git: LeftGit; jobProcess: Identity }[] = [];
  await eachPid((pid) => {
    const stat = readProc(pid, 'stat')?.toString('latin1') ?? '';
    // Lasting leftovers of git or a set-up command, such as build daemons, do not count.
    if (!/\(git\)/.test(stat.slice(0, 40))) return;
    const fields = parseStat(stat);
    if (!fields || isZombie(fields.state)) return;
    const environment = readProc(pid, 'environ')?.toString('utf8').split('\0') ?? [];
    const value = environment.find((line) => line.startsWith(`${MARK}=`))?.slice(MARK.length + 1) ?? '';
    const [owner, startTime = '', ...rest] = value.split(' ');
    if (rest.join(' ') !== `${project} ${root}`) return;
    const endable = environment.includes(ONLY_READS) || waitsAtPipe(pid);
    marked.push({
      git: { pid, startTime: fields.startTime, command: commandOf(pid), endable },
      jobProcess: { pid: Number(owner), startTime },
    });
  });
  const left: LeftGit[] = [];
  for (const { git, jobProcess } of marked) if (!(await isAlive(jobProcess))) left.push(git);
  return left;
}

/** It opens a named pipe that nobody writes to. */
function waitsAtPipe(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1').includes('wait_for_partner');
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  const words = readProc(pid, 'cmdline')?.toString('utf8').split('\0').filter(Boolean) ?? [];
  const shown = words.filter((word, at) => word !== '-c' && words[at - 1] !== '-c');
  return shown.join(' ').slice(0, LONGEST_COMMAND);
}
