/**
 * Creates the state folder and writes a probe file before anything starts, so that an unusable folder is an error at
 * once. (`mkdir` with `recursive` never returns below /proc.) Landings need the temporary folder, too.
 */
import { access, chmod, constants, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asSystemError, isFull, isPassing, meaningOf } from '../config/system-errors.js';
import { makeTemporary } from '../process/temporary.js';
import { EXIT, UserError } from '../protocol/user-error.js';
import type { Context } from './context.js';

/** Large enough to fail on a full disk. */
const PROBE = Buffer.alloc(64 * 1024, '.');

/** @throws UserError that names the folder, the problem and the fix */
export async function ensureStateFolder(context: Context): Promise<void> {
  const { root } = context;
  await make(root)
    .then(() => probe(root))
    .then(() => closeToOthers(root))
    .catch((error: unknown) => refuse(context, error));
  await rm(await makeTemporary('probe'), { recursive: true });
}

/**
 * The same for a command that leaves no folder behind.
 * @param mayBeFull for a command that frees space
 * @throws UserError that names the folder, the problem and the fix
 */
export async function assertStateFolder(context: Context, { mayBeFull = false } = {}): Promise<void> {
  const { root } = context;
  await existing(root)
    .then((dir) => (dir === root ? probe(dir) : access(dir, constants.W_OK | constants.X_OK)))
    .catch((error: unknown) => (mayBeFull && isFull(error) ? undefined : refuse(context, error)));
}

/** The folder, else the nearest one above it. */
async function existing(dir: string): Promise<string> {
  const found = await stat(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return found || dirname(dir) === dir ? dir : existing(dirname(dir));
}

async function probe(root: string): Promise<void> {
  const file = join(root, `.probe-${process.pid}`);
  try {
    await writeFile(file, PROBE);
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

const refuse = (context: Context, error: unknown): never => {
  throw troubleOf(context, error);
};

function troubleOf({ root, env }: Pick<Context, 'root' | 'env'>, error: unknown): UserError {
  const { code, message } = error as NodeJS.ErrnoException;
  const from = env.RALPHCTL_HOME ? ' (from RALPHCTL_HOME)' : '';
  const known = meaningOf(code, root);
  const fix = `${known ? `${known.fix}, or choose` : 'Choose'} another folder: export RALPHCTL_HOME=DIR`;
  const what = `cannot use the state folder ${root}${from}: ${known?.what ?? message}`;
  return Object.assign(new UserError(`${what}. ${fix}`, EXIT.usage, fix), { cause: error });
}

/**
 * What keeps the state folder from taking files; undefined where nothing does, and before the first run.
 * @param write whether to try with a file; without it, a used-up quota stays unknown
 */
export async function stateTrouble(
  context: Pick<Context, 'root' | 'env'>,
  { write }: { write: boolean },
): Promise<UserError | undefined> {
  const { root } = context;
  try {
    if ((await existing(root)) !== root) return undefined;
    await access(root, constants.W_OK | constants.X_OK);
    const { bavail, bsize, files, ffree } = await statfs(root);
    // File systems without a fixed number of inodes report zero.
    if (bavail * bsize < PROBE.length || (files > 0 && ffree === 0))
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    if (write) await probe(root);
    return undefined;
  } catch (error) {
    return troubleOf(context, error);
  }
}

/**
 * An error of a command, with its cause where that is the disk of the state folder: server and worker do not answer
 * when they cannot write, and Node names no file where writing fails.
 */
export async function withDisk(error: unknown, context: Pick<Context, 'root' | 'env'>): Promise<unknown> {
  const system = asSystemError(error);
  const known = error instanceof UserError ? error : system;
  const isTold = error instanceof UserError && isPassing(error.cause);
  const open =
    !isTold && (!known || known.exitCode === EXIT.unreachable || (system !== undefined && system.path === undefined));
  const trouble = open ? await stateTrouble(context, { write: true }) : undefined;
  if (!trouble || system) return trouble ?? error;
  const said = error instanceof Error ? error.message : String(error);
  return new UserError(
    `${trouble.message} (${said.replace(/\.$/, '')})`,
    known?.exitCode ?? trouble.exitCode,
    trouble.fix,
  );
}

/**
 * For a command that a service manager starts. The manager takes bad input (exit code 2) as final, and a full disk is
 * none: with another code it tries again.
 */
export async function triedAgain(
  context: Pick<Context, 'root' | 'env'>,
  work: () => Promise<number>,
  more = '',
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const told = await withDisk(error, context);
    const known = told instanceof UserError ? told : asSystemError(told);
    if (known?.exitCode !== EXIT.usage || !(isPassing(told) || isPassing(error))) throw error;
    throw Object.assign(new UserError(`${known.message}${more}`, EXIT.unreachable, known.fix), { cause: told });
  }
}

/**
 * The folder holds prompts, output and settings. The user may keep other files in it too, so this closes only ralphctl's
 * own subfolders to others.
 */
async function closeToOthers(root: string): Promise<void> {
  await mkdir(join(root, 'projects'), { recursive: true, mode: 0o700 });
  for (const own of ['projects', 'server']) {
    const dir = join(root, own);
    const about = await stat(dir).catch(() => undefined);
    if (about && (about.mode & 0o077) !== 0) await chmod(dir, 0o700);
  }
}

async function make(dir: string): Promise<void> {
  if ((await stat(dir).catch(() => undefined))?.isDirectory()) return;
  if (dirname(dir) !== dir) await make(dirname(dir));
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== 'EEXIST') throw error;
  });
}
