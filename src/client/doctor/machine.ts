/** Checks the machine: Node, git, disk, state folder, and the `ralphctl` that the shell finds. */
import { access, constants, mkdir, realpath, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { makeTemporary } from '../../process/temporary.js';
import { isExecutable } from '../../server/install/probe.js';
import type { Context } from '../context.js';
import { program } from '../worker-process.js';
import { type Check, fail, info, ok, problem, warn } from './check.js';

const OLDEST_NODE = '20.5.0';
const OLDEST_GIT = '2.38.0';
const GIB = 2 ** 30;
const LOW_DISK = 5 * GIB;
const NO_DISK = GIB / 2;
const FEW_INODES = 50_000;
const START_MS = 20_000;

export async function checkMachine(context: Context): Promise<Check[]> {
  const checks = [checkNode(), await checkGit(), await checkState(context), await checkTemporary()];
  return [...checks, ...(await checkDisk(context.root)), ...(await checkName(context))];
}

function checkNode(): Check {
  const found = process.versions.node;
  if (compareVersions(found, OLDEST_NODE) >= 0) return ok('node', found);
  return fail('node', `${found} is too old`, `install Node ${OLDEST_NODE} or newer`);
}

async function checkGit(): Promise<Check> {
  const got = await execa('git', ['--version'], { reject: false, timeout: 10_000 });
  const found = versionIn(String(got.stdout ?? ''));
  if (got.failed || !found) return fail('git', 'not on PATH', `install git ${OLDEST_GIT} or newer`);
  if (compareVersions(found, OLDEST_GIT) >= 0) return ok('git', found);
  return fail(
    'git',
    `${found} is too old`,
    `install git ${OLDEST_GIT} or newer (landing needs merge-tree --write-tree)`,
  );
}

async function checkTemporary(): Promise<Check> {
  try {
    await rm(await makeTemporary('probe'), { recursive: true });
    return ok('temporary folder', tmpdir());
  } catch (error) {
    return problem('temporary folder', error, 'set TMPDIR to another folder');
  }
}

async function checkState({ root }: Context): Promise<Check> {
  try {
    await mkdir(root, { recursive: true });
    await access(root, constants.W_OK);
    return ok('state folder', root);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return fail(
      'state folder',
      `ralphctl cannot write ${root} (${code})`,
      'make it writable, or set RALPHCTL_HOME to another folder',
    );
  }
}

async function checkDisk(root: string): Promise<Check[]> {
  const space = await statfs(root).catch(() => undefined);
  if (!space) return [];
  const free = space.bavail * space.bsize;
  const text = `${(free / GIB).toFixed(1)} GiB free at ${root}`;
  const fix = 'free disk space, or set RALPHCTL_HOME to another disk. Worktrees and logs need the space';
  const disk = free < NO_DISK ? fail('disk', text, fix) : free < LOW_DISK ? warn('disk', text, fix) : ok('disk', text);
  // Some file systems have no fixed number of inodes and say 0.
  if (space.files === 0 || space.ffree >= FEW_INODES) return [disk];
  return [
    disk,
    warn('inodes', `${space.ffree} free at ${root}`, 'remove files there. Every worktree is a checkout of its own'),
  ];
}

/** Another program on npm has the same name. `doctor` runs the program that it recommends. */
async function checkName({ env }: Context): Promise<Check[]> {
  const what = 'ralphctl on PATH';
  const ours = await realpath(program()).catch(() => program());
  for (const dir of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(dir, 'ralphctl');
    if (!(await isExecutable(path))) continue;
    const trouble = await whyNoStart(path, env);
    const same = (await realpath(path).catch(() => path)) === ours;
    if (same && trouble === undefined) return [ok(what, path)];
    const fix = `call this one: ${await callable(ours, env)}. Or put its folder first on PATH`;
    if (trouble !== undefined) return [fail(what, `${path} does not start: ${trouble}`, fix)];
    return [warn(what, `${path} is another program or another installation`, fix)];
  }
  return [info(what, `none; call it: ${await callable(ours, env)}`)];
}

const callable = async (file: string, env: Context['env']): Promise<string> =>
  (await whyNoStart(file, env)) === undefined ? file : `node ${file}`;

async function whyNoStart(file: string, env: Context['env']): Promise<string | undefined> {
  const got = await execa(file, ['--version'], {
    reject: false,
    timeout: START_MS,
    stdin: 'ignore',
    env,
    extendEnv: false,
  });
  if (got.exitCode === 0) return undefined;
  return (
    String(got.stderr || got.shortMessage || '')
      .trim()
      .split('\n')[0] || `exit code ${got.exitCode}`
  );
}

/* Compares versions as CLIs print them. Pure. */

/** The first `1.2` or `1.2.3` in a text; undefined when there is none. */
export function versionIn(text: string): string | undefined {
  return /\b\d+\.\d+(?:\.\d+)?\b/.exec(text)?.[0];
}

/** Negative when `a` is older. Missing parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((one) => one.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
