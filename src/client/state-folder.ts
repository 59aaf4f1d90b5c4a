/**
 * Creates the state folder and writes a probe file before anything starts, so that an unusable folder is an error at
 * once. (`mkdir` with `recursive` never returns below /proc.) Landings need the temporary folder, too.
 */
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from '../protocol/user-error.js';
import type { Context } from './context.js';

/** Large enough to fail on a full disk. */
const PROBE = Buffer.alloc(64 * 1024, '.');

/** @throws UserError that names the folder, the problem and the fix */
export async function ensureStateFolder({ root, env }: Context): Promise<void> {
  const probe = join(root, `.probe-${process.pid}`);
  try {
    await make(root);
    await writeFile(probe, PROBE);
    await closeToOthers(root);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const from = env.RALPHCTL_HOME ? ' (from RALPHCTL_HOME)' : '';
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new UserError(`the disk of the state folder ${root}${from} is full. Free disk space, then try again`);
    throw new UserError(
      `ralphctl cannot use the state folder ${root}${from}: ${message}. Choose another folder: export RALPHCTL_HOME=DIR`,
    );
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  await assertTemporaryFolder(env);
}

/** @throws UserError that names the folder, the problem and the fix */
export async function assertTemporaryFolder(env: Context['env']): Promise<void> {
  try {
    await rm(await mkdtemp(join(tmpdir(), 'ralphctl-probe-')), { recursive: true, force: true });
  } catch (error) {
    const from = env.TMPDIR ? ' (from TMPDIR)' : '';
    const fix = 'Choose another folder: export TMPDIR=DIR';
    const why = (error as Error).message;
    throw new UserError(`ralphctl cannot use the temporary folder ${tmpdir()}${from}: ${why}. ${fix}`, undefined, fix);
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
