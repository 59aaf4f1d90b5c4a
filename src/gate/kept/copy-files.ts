/**
 * Copies ignored files (`.env`, `node_modules` and the like) from the user's checkout into a worktree.
 * Invariant: only files that git ignores there, so that they are never committed. Existing files are never overwritten.
 * Nothing is written outside the worktree, even through a link that an agent made.
 */
import { createHash } from 'node:crypto';
import { constants, copyFile, lstat, mkdir, readdir, readlink, realpath, stat, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { listFiles as filesListed } from '../../git/checkout-index.js';
import { listFiles, parseListing } from '../../process/table.js';
import { UserError } from '../../protocol/user-error.js';

/** Lists further ignored files to copy, in `.gitignore` syntax; other worktree tools also read it. */
export const INCLUDE_FILE = '.worktreeinclude';
/** Concurrent copies; more would only wait for the disk. */
const AT_ONCE = 16;

/**
 * Copied paths, relative to the top. `copy`: globs as in gitignore files, from the top of the repository. Files listed
 * in the checkout's {@link INCLUDE_FILE} are copied too.
 */
export async function copyFiles(from: string, worktree: string, copy: readonly string[]): Promise<string[]> {
  const wanted = await ignoredFiles(from, copy);
  if (wanted.size === 0) return [];
  const trees = await ignoredFolders(from);
  const copying = new Copying(from, await realpath(worktree), trees);
  const done: string[] = [];
  const queue = wanted[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const path of queue) done.push(...(await copying.one(path)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done.sort();
}

/** A text that differs once a file to copy, or a file behind a link among them, may have another content. */
export async function copiedState(from: string, copy: readonly string[]): Promise<string> {
  const wanted = [...(await ignoredFiles(from, copy))].sort();
  const listing = await listFiles(from, wanted);
  const ends: string[] = [];
  for (const [path, { kind }] of parseListing(listing)) {
    if (kind !== 'l') continue;
    const end = await stat(join(from, path), { bigint: true }).catch(() => undefined);
    ends.push(end ? `${path} ${end.ino} ${end.size} ${end.ctimeNs}` : path);
  }
  return createHash('sha256')
    .update([listing, ...ends].join('\0'))
    .digest('hex');
}

async function ignoredFiles(from: string, copy: readonly string[]): Promise<Set<string>> {
  const globs = copy.filter(Boolean);
  for (const glob of globs) refuseOutside(glob);
  const found = new Set<string>();
  if (globs.length > 0) {
    const specs = globs.map((glob) => `:(top,glob)${glob.replace(/^\.\//, '').replace(/\/+$/, '')}`);
    const [ignored, open] = await Promise.all([
      untracked(from, ['--ignored', '--exclude-standard', '--', ...specs]),
      untracked(from, ['--exclude-standard', '--', ...specs]),
    ]);
    if (open.length > 0)
      throw new SetupError(
        `setup.copy names ${open.slice(0, 3).join(', ')}, which git does not ignore, so an agent's commit would contain it. Add it to .gitignore or to .git/info/exclude.`,
      );
    for (const path of ignored) found.add(path);
  }
  for (const path of await included(from)) found.add(path);
  return found;
}

/** Files that {@link INCLUDE_FILE} names and git ignores; other tools also skip the rest. */
async function included(from: string): Promise<string[]> {
  const file = join(from, INCLUDE_FILE);
  if (!(await lstat(file).catch(() => undefined))?.isFile()) return [];
  const named = await untracked(from, ['--ignored', `--exclude-from=${file}`]);
  if (named.length === 0) return [];
  const ignored = new Set(await untracked(from, ['--ignored', '--exclude-standard']));
  return named.filter((path) => ignored.has(path));
}

/** Files, and nested repositories as `folder/`. */
const untracked = (from: string, args: readonly string[]): Promise<string[]> => filesListed(from, '--others', ...args);

/** Folders that are ignored as a whole; each ends with a slash. */
async function ignoredFolders(from: string): Promise<string[]> {
  const all = await untracked(from, ['--ignored', '--exclude-standard', '--directory']);
  return all.filter((path) => path.endsWith('/'));
}

function refuseOutside(glob: string): void {
  if (glob.startsWith('/') || glob.split('/').includes('..') || glob.split('/').includes('.git'))
    throw new SetupError(`setup.copy: ${glob} leaves the repository. Use a path below its top folder.`);
}

class Copying {
  readonly #folders = new Map<string, Promise<boolean>>();

  constructor(
    private readonly from: string,
    private readonly worktree: string,
    private readonly trees: readonly string[],
  ) {}

  async one(path: string): Promise<string[]> {
    // A repository among ignored files: all of it, because git does not look inside.
    if (path.endsWith('/')) return this.#below(path.slice(0, -1));
    const source = join(this.from, path);
    const info = await lstat(source).catch(() => undefined);
    if (!info?.isFile() && !info?.isSymbolicLink()) return [];
    if (!(await this.#folder(dirname(path)))) return [];
    const target = join(this.worktree, path);
    const copied = info.isFile() ? await create(path, () => copy(source, target)) : await this.#link(path);
    return copied ? [path] : [];
  }

  async #below(folder: string): Promise<string[]> {
    const done: string[] = [];
    // Includes empty folders: git does not accept a repository without refs/.
    if (!(await this.#folder(folder))) return done;
    for (const entry of await readdir(join(this.from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      done.push(...(await this.one(entry.isDirectory() ? `${path}/` : path)));
    }
    return done;
  }

  /**
   * Inside a tree a link stays a link, because programs locate themselves by it (`node_modules/.bin`). A single link
   * (`.env`, shared by several checkouts) becomes a copy of its target, which an agent may then change.
   */
  async #link(path: string): Promise<boolean> {
    const source = join(this.from, path);
    const target = join(this.worktree, path);
    const leadsTo = await stat(source).catch(() => undefined);
    const inTree = this.trees.some((tree) => path.startsWith(tree));
    if (!inTree && leadsTo?.isFile()) return create(path, () => copy(source, target));
    const text = await readlink(source);
    const end = resolve(dirname(source), text);
    const inside = relative(this.from, end);
    const outside = inside === '..' || inside.startsWith('../');
    // A link into the user's checkout would be wrong, and a relative one points elsewhere from here.
    if (outside) return create(path, () => symlink(isAbsolute(text) ? text : end, target));
    if (!isAbsolute(text)) return create(path, () => symlink(text, target));
    return create(path, () => symlink(relative(dirname(target), join(this.worktree, inside)) || '.', target));
  }

  /** Makes a folder of the worktree; false when it would really be outside. */
  #folder(dir: string): Promise<boolean> {
    const known = this.#folders.get(dir);
    if (known) return known;
    const made = this.#make(dir);
    this.#folders.set(dir, made);
    return made;
  }

  async #make(dir: string): Promise<boolean> {
    const target = join(this.worktree, dir);
    const inside = await existingParent(target);
    if (inside !== this.worktree && !inside.startsWith(`${this.worktree}/`)) return false;
    await mkdir(target, { recursive: true });
    return true;
  }
}

const copy = (source: string, target: string): Promise<void> =>
  copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);

async function create(path: string, how: () => Promise<void>): Promise<boolean> {
  try {
    await how();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new SetupError(`${path} could not be copied into the worktree: ${(error as Error).message}`);
  }
}

/** The real path of a folder that may not exist yet. */
async function existingParent(dir: string): Promise<string> {
  return realpath(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(dir) === dir) throw error;
    return existingParent(dirname(dir));
  });
}

/** A worktree that could not be set up. */
export class SetupError extends UserError {
  constructor(
    message: string,
    /** End of the command's output, plain text. */
    readonly tail = '',
    /** File with all of it. */
    readonly log?: string,
  ) {
    super(message);
  }
}
