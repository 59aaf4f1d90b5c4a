/**
 * The folders of ralphctl's state. Invariant: none of them lies inside a user's repository, so an agent's `git clean`
 * cannot reach it. Reads the environment that it is given; creates nothing.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

const home = (env: Env): string => env.HOME || homedir();

/** Durable state: `$RALPHCTL_HOME`, else `$XDG_STATE_HOME/ralphctl`, else `~/.local/state/ralphctl`. */
export function stateRoot(env: Env = process.env): string {
  if (env.RALPHCTL_HOME) return env.RALPHCTL_HOME;
  return join(env.XDG_STATE_HOME || join(home(env), '.local', 'state'), 'ralphctl');
}

/** Files that ralphctl can fetch or build again: `$XDG_CACHE_HOME/ralphctl`, else `~/.cache/ralphctl`. */
export function cacheRoot(env: Env = process.env): string {
  return join(env.XDG_CACHE_HOME || join(home(env), '.cache'), 'ralphctl');
}

export const serverDir = (root: string): string => join(root, 'server');
export const projectDir = (root: string, project: string): string => join(root, 'projects', project);
export const runsDir = (root: string, project: string): string => join(projectDir(root, project), 'runs');
export const runDir = (root: string, project: string, runId: string): string => join(runsDir(root, project), runId);
/** Ids sort by time. Everything else in the folder is no run: drafts, and what a person moved away or put there. */
export const isRunId = (name: string): boolean => /^\d{8}-\d{6}(-\w+)?$/.test(name);
export const ideaDir = (root: string, project: string, runId: string, idea: string): string =>
  join(runDir(root, project, runId), 'ideas', idea);
/** Files of one iteration: prompt.md, output.log, result.json, gate logs. */
export const iterationDir = (root: string, project: string, runId: string, idea: string, serial: number): string =>
  join(ideaDir(root, project, runId, idea), String(serial).padStart(3, '0'));
/** Marks of running agent attempts. A worker reads them when it starts. */
export const attemptsDir = (root: string, project: string): string => join(projectDir(root, project), 'attempts');
/** Records of the activities that a worker has taken. */
export const takenDir = (root: string, project: string): string => join(projectDir(root, project), 'taken');
/** Notes of open sandboxes. A worker reads them when it starts. */
export const sandboxesDir = (root: string, project: string): string => join(projectDir(root, project), 'sandboxes');
export const worktreesDir = (root: string, project: string): string => join(projectDir(root, project), 'worktrees');
export const integrationDir = (root: string, project: string): string => join(projectDir(root, project), 'integration');
/** Settings that stop our git from running files of an agent. */
export const wallDir = (root: string, project: string): string => join(projectDir(root, project), 'wall');
/** The current steps of ideas with plans. */
export const planPlacesDir = (root: string, project: string): string => join(projectDir(root, project), 'plans');
/** Lock of a command that works on the project without an open run. */
export const closedLockDir = (root: string, project: string): string => join(projectDir(root, project), 'closed.lock');
/** Edits, splits and other interventions that outlast a run. */
export const carriedDir = (root: string, project: string): string => join(projectDir(root, project), 'carried');
/** Hashes of the stamps of kept folders (gate/kept/stamp.ts). */
export const keptDir = (root: string, project: string): string => join(projectDir(root, project), 'kept');
/** Evidence of all runs, one operation a line. */
export const ledgerPath = (root: string, project: string): string => join(projectDir(root, project), 'ledger.jsonl');
/** What shows whether a payload key is the one that encrypted before: a file for each id. */
export const keyChecksDir = (root: string, project: string): string => join(projectDir(root, project), 'key-checks');
/** Locks of gate commands, for all projects. */
export const gateLocksDir = (root: string): string => join(root, 'gate-locks');
/** Gate results on base commits; ralphctl can run the gate again. */
export const baselineDir = (root: string, project: string): string => join(projectDir(root, project), 'baseline');
/** Green gates by the tree that they judged; ralphctl can run the gate again. */
export const greensDir = (root: string, project: string): string => join(projectDir(root, project), 'greens');
/** Lock of cleanings. */
export const cleanLockDir = (root: string, project: string): string => join(projectDir(root, project), 'clean.lock');
/** What cleanings removed, a line each. */
export const cleanedPath = (root: string, project: string): string => join(projectDir(root, project), 'cleaned.jsonl');
/** The size of the state folder, as the last cleaning measured it. */
export const sizesPath = (root: string): string => join(root, 'sizes.json');
