/**
 * Copying files that git does not carry (`.env` and the like) from the user's checkout into a worktree.
 * Invariant: only files that are ignored there, so that they can never be committed; existing files are never
 * overwritten; nothing is written outside the worktree, also not through a link that an agent made.
 */
import { constants, copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from '../git/git.js';
import { SetupError } from './setup-error.js';

/** Paths that were copied, relative to the top. `copy`: globs as in gitignore files, from the top of the repository. */
export async function copyFiles(from: string, worktree: string, copy: readonly string[]): Promise<string[]> {
  const wanted = copy.filter(Boolean);
  if (wanted.length === 0) return [];
  for (const glob of wanted) refuseOutside(glob);
  const specs = wanted.map((glob) => `:(top,glob)${glob.replace(/^\.\//, '').replace(/\/+$/, '')}`);
  const list = async (...flags: string[]): Promise<string[]> => {
    const args = ['ls-files', '-z', '--others', ...flags, '--exclude-standard', '--', ...specs];
    return (await git(from).run(args, { read: true })).split('\0').filter((path) => path && !path.endsWith('/'));
  };
  const [ignored, open] = await Promise.all([list('--ignored'), list()]);
  if (open.length > 0)
    throw new SetupError(
      `setup.copy names ${open.slice(0, 3).join(', ')}, which git does not ignore, so an agent's commit would contain it. Add it to .gitignore or to .git/info/exclude.`,
    );
  const done: string[] = [];
  for (const path of ignored) if (await copyOne(join(from, path), worktree, path)) done.push(path);
  return done;
}

function refuseOutside(glob: string): void {
  if (glob.startsWith('/') || glob.split('/').includes('..') || glob.split('/').includes('.git'))
    throw new SetupError(`setup.copy: ${glob} leaves the repository. Use a path below its top folder.`);
}

async function copyOne(source: string, worktree: string, path: string): Promise<boolean> {
  const info = await stat(source).catch(() => undefined);
  if (!info?.isFile()) return false;
  const target = join(worktree, path);
  const inside = await existingParent(dirname(target));
  const top = await realpath(worktree);
  if (inside !== top && !inside.startsWith(`${top}/`)) return false;
  await mkdir(dirname(target), { recursive: true });
  return copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw new SetupError(`${path} could not be copied into ${worktree}: ${error.message}`);
    },
  );
}

/** Where a folder that may not exist yet would really come to lie. */
async function existingParent(dir: string): Promise<string> {
  return realpath(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(dir) === dir) throw error;
    return existingParent(dirname(dir));
  });
}
