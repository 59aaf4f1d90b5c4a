/**
 * Git commands that a dead job process left. They are found by a mark in their environment, which names the job process
 * and its project.
 * Invariant: finds only git, only of dead job processes, and only of one project. Reads only.
 */
import { readFileSync } from 'node:fs';
import { type Described, gitProcesses } from './described.js';
import { type Identity, isAlive, ownIdentity } from './identity.js';

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
  const left: LeftGit[] = [];
  // Lasting leftovers of git or a set-up command, such as build daemons, do not count.
  for (const git of await gitProcesses()) {
    const value = git.environment.find((line) => line.startsWith(`${MARK}=`))?.slice(MARK.length + 1) ?? '';
    const [owner, startTime = '', ...rest] = value.split(' ');
    if (rest.join(' ') !== `${project} ${root}` || (await isAlive({ pid: Number(owner), startTime }))) continue;
    const endable = git.environment.includes(ONLY_READS) || waitsAtPipe(git.pid);
    left.push({ pid: git.pid, startTime: git.startTime, command: commandOf(git), endable });
  }
  return left;
}

/** It opens a named pipe that nobody writes to. Linux only: `ps` has no name for this that systems share. */
function waitsAtPipe(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1').includes('wait_for_partner');
  } catch {
    return false;
  }
}

function commandOf({ words }: Described): string {
  const shown = words.filter((word, at) => word !== '-c' && words[at - 1] !== '-c');
  return shown.join(' ').slice(0, LONGEST_COMMAND);
}
