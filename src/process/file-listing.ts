/**
 * A listing of folders that shows whether any file in them was changed: kind, inode, mode, size and change time of each. A
 * program can set the modification time of a file, but not its change time.
 * Invariant: reads only, follows no link. Costs some 4 µs a file where `find` can print, 25 µs elsewhere.
 */
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Listed {
  /** `f` file, `d` folder, `l` link; anything else is rare. */
  kind: string;
  inode: string;
  mode: string;
  links: number;
  size: string;
  changed: string;
}

const FORMAT = '%y %i %m %n %s %C@ %p\\0';

/** `paths` must exist below `dir`; entries are ended by NUL. Parse with {@link parseListing}. */
export async function listFiles(dir: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return '';
  const roots = paths.map((path) => `./${path.replace(/\/+$/, '')}`);
  const found = await execa('find', ['-P', ...roots, '-printf', FORMAT], {
    cwd: dir,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    reject: false,
    maxBuffer: 1 << 30,
    stripFinalNewline: false,
  });
  // Not every `find` can print, and one that could not read something says so.
  if (found.exitCode === 0) return found.stdout;
  const lines: string[] = [];
  for (const root of roots) await walk(dir, root, lines);
  return lines.join('');
}

async function walk(dir: string, path: string, lines: string[]): Promise<void> {
  const at = join(dir, path);
  const info = await lstat(at, { bigint: true });
  const kind = info.isDirectory() ? 'd' : info.isFile() ? 'f' : info.isSymbolicLink() ? 'l' : 'o';
  const { ino, mode, nlink, size, ctimeNs } = info;
  lines.push(`${kind} ${ino} ${mode.toString(8)} ${nlink} ${size} ${ctimeNs} ${path}\0`);
  if (kind !== 'd') return;
  const names = await readdir(at).catch(() => undefined);
  if (!names) lines.push(`unreadable 0 0 0 0 0 ${path}/\0`);
  for (const name of names ?? []) await walk(dir, `${path}/${name}`, lines);
}

/** By path, without `./`. */
export function parseListing(text: string): Map<string, Listed> {
  const files = new Map<string, Listed>();
  for (const line of text.split('\0')) {
    const [, kind = '', inode = '', mode = '', links, size = '', changed = '', path] =
      /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) \.\/([\s\S]*)$/.exec(line) ?? [];
    if (path !== undefined) files.set(path, { kind, inode, mode, links: Number(links), size, changed });
  }
  return files;
}

/** Hash of a file's content. */
export const contentOf = async (path: string): Promise<string> =>
  createHash('sha1')
    .update(await readFile(path))
    .digest('base64');
