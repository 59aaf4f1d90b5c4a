/**
 * Turns errors of the operating system into sentences for a person.
 * Invariant: every sentence names what ralphctl could not do, where, and the fix. This is the one place that knows the
 * codes.
 * Must import the base of user-facing errors and words for a shell only.
 */
import { dirname } from 'node:path';
import { shellWord } from '../protocol/shell-words.js';
import { EXIT, UserError } from '../protocol/user-error.js';

export class SystemError extends UserError {
  constructor(
    readonly code: string,
    readonly path: string | undefined,
    what: string,
    fix: string,
  ) {
    super(`${what}. ${fix}`, EXIT.usage, fix);
  }
  override get details(): Readonly<Record<string, unknown>> {
    return { code: this.code, ...(this.path === undefined ? {} : { path: this.path }) };
  }
}

/** No room for another file, or for more of one. */
export const isFull = (error: unknown): boolean => {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
};

/** What goes by itself or with room made elsewhere: the same call works later, and nobody has to change it. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Whether the error, or one that it caused, passes. */
export function isPassing(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    if (PASSING.has(String((at as NodeJS.ErrnoException).code))) return true;
  }
  return false;
}

interface Meaning {
  what: string;
  /** The beginning of a sentence. `path`: quoted for a shell. */
  fix: (path: string, dir: string) => string;
}

const AGAIN = 'then call the command again';
const space = (what: string): Meaning => ({
  what,
  fix: (_, dir) => `Free disk space (see df -h ${dir}) or inodes (df -i)`,
});
const permission = (what: string): Meaning => ({
  what,
  fix: (path, dir) => `Look at owner and mode: ls -ld ${dir} ${path}`,
});
const inTheWay = (what: string): Meaning => ({
  what,
  fix: (path) => `Move it away: mv ${path} ${path}.away`,
});

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: space('the disk is full'),
  EDQUOT: space('your disk quota is used up'),
  EROFS: {
    what: 'the disk is read-only',
    fix: (_, dir) => `Make it writable (see findmnt -T ${dir})`,
  },
  EACCES: permission('permission denied'),
  EPERM: permission('operation not permitted'),
  EISDIR: inTheWay('a folder is in its place'),
  ENXIO: inTheWay('a socket or a pipe is in its place'),
  ENOTEMPTY: inTheWay('a folder is in its place'),
  EEXIST: inTheWay('something else is in its place'),
  ENOTDIR: { what: 'a part of the path is a file, not a folder', fix: (path) => `Look at its parts: namei -l ${path}` },
  ELOOP: { what: 'its symbolic links lead in a circle', fix: (path) => `Look at its parts: namei -l ${path}` },
  EIO: {
    what: 'the disk reports an input/output error',
    fix: (_, dir) => `Look at the disk (dmesg; findmnt -T ${dir})`,
  },
  EMFILE: { what: 'this process has too many open files', fix: () => 'Allow more: ulimit -n 4096' },
  ENFILE: { what: 'this machine has too many open files', fix: () => 'End programs that you do not need' },
};

/** Codes after which nothing can be written there, whatever the call was. */
const WRITES = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

const ACTS: Readonly<Record<string, string>> = {
  mkdir: 'create the folder',
  mkdtemp: 'create a folder like',
  open: 'open',
  read: 'read',
  scandir: 'read the folder',
  opendir: 'read the folder',
  rename: 'write',
  link: 'write',
  write: 'write',
  copyfile: 'write',
  fsync: 'write',
  fdatasync: 'write',
  unlink: 'remove',
  rm: 'remove',
  rmdir: 'remove',
  chmod: 'change the mode of',
  truncate: 'write',
  ftruncate: 'write',
};

type Errno = NodeJS.ErrnoException & { dest?: string };

/** What a code means about a folder, for a sentence, and the fix. Undefined for an unknown code. */
export function meaningOf(code: string | undefined, folder: string): { what: string; fix: string } | undefined {
  const found = code === undefined ? undefined : MEANINGS[code];
  return found && { what: `${found.what} (${code})`, fix: found.fix(shellWord(folder), shellWord(folder)) };
}

const isSystem = (error: unknown): error is Errno & { code: string } =>
  error instanceof Error && typeof (error as Errno).code === 'string' && typeof (error as Errno).syscall === 'string';

/**
 * The sentence for an error of the system, or of one that it caused. Undefined for every other error.
 * @param where the place, for an error that names none: Node names no path where writing fails
 */
export function asSystemError(error: unknown, where?: string): SystemError | undefined {
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    if (at instanceof SystemError) return at;
    if (!isSystem(at)) continue;
    const meaning = MEANINGS[at.code];
    if (!meaning) continue;
    const path = at.dest ?? at.path ?? where;
    const act = WRITES.has(at.code) && at.syscall !== 'mkdir' ? 'write' : (ACTS[at.syscall ?? ''] ?? 'use');
    const first = path === undefined ? 'Make room for it' : meaning.fix(shellWord(path), shellWord(dirname(path)));
    const fix = `${first}, ${AGAIN}`;
    const what = path === undefined ? `cannot ${act} a file` : `cannot ${act} ${path}`;
    return new SystemError(at.code, path, `${what}: ${meaning.what} (${at.code})`, fix);
  }
  return undefined;
}

/** The same for a file of ours, where a code without a meaning here gets a sentence, too: ESTALE, EBUSY. */
export function anySystemError(error: unknown, path: string): SystemError | undefined {
  const known = asSystemError(error, path);
  const cause = error instanceof Error && !isSystem(error) ? error.cause : error;
  if (known || !isSystem(cause)) return known;
  const act = ACTS[cause.syscall ?? ''] ?? 'use';
  const [file, dir] = [shellWord(path), shellWord(dirname(path))];
  const fix = `Look at the file and its disk (ls -l ${file}; findmnt -T ${dir}), ${AGAIN}`;
  return new SystemError(cause.code, path, `cannot ${act} ${path}: the system says ${cause.code}`, fix);
}

/** Gives an error the path of the file that it is about. */
export function at(path: string): (error: unknown) => never {
  return (error) => {
    if (isSystem(error)) {
      error.path = path;
      delete error.dest;
    }
    throw error;
  };
}
