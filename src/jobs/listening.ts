/** Sockets of other programs on this machine, of which a sandbox hides those in folders that it shows. */
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a connection would leave the sandbox. Paths are absolute and real: a link in one cannot be mounted over. */
export async function listeningSockets(): Promise<string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const found = table.split('\n').flatMap((line) => {
    const [, inode = '', path = ''] = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) ([^@\s].*)$/.exec(line) ?? [];
    return path === '' ? [] : [{ inode, path }];
  });
  const isAbsolute = ({ path }: { path: string }): boolean => path.startsWith('/');
  const paths = found.filter(isAbsolute).map(({ path }) => path);
  const relative = new Map(found.filter((one) => !isAbsolute(one)).map(({ inode, path }) => [inode, path]));
  if (relative.size > 0) paths.push(...(await resolved(relative)));
  const real = await Promise.all([...new Set(paths)].map(socketAt));
  return [...new Set(real)].filter(
    (path) => path !== undefined && !/^\/(?:run|var\/run|tmp|var\/tmp|dev|proc)\//.test(path),
  ) as string[];
}

/** The system keeps the path as its program has named it: below the folder where that works. */
async function resolved(relative: ReadonlyMap<string, string>): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => ofProcess(`/proc/${pid}`, relative)));
  return found.flat();
}

/** None where it has ended, or belongs to another user. */
async function ofProcess(dir: string, relative: ReadonlyMap<string, string>): Promise<string[]> {
  try {
    const fds = await readdir(join(dir, 'fd'));
    const open = await Promise.all(fds.map((fd) => readlink(join(dir, 'fd', fd)).catch(() => '')));
    const names = open.flatMap((to) => relative.get(/^socket:\[(\d+)\]$/.exec(to)?.[1] ?? '') ?? []);
    if (names.length === 0) return [];
    const cwd = await readlink(join(dir, 'cwd'));
    return names.map((name) => join(cwd, name));
  } catch {
    return [];
  }
}

/** Undefined where nothing, or something else, is there by now. */
async function socketAt(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSocket() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}
