/** The linked worktrees of a repository as they are registered, and whether each is whole. Reads files, starts nothing. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { headBranch, privateGitDir } from './worktree-list.js';

export interface Link {
  /** Its folder. */
  path: string;
  /** Short branch name; absent when detached. */
  branch?: string;
  /** Folder and registration name each other. */
  sound: boolean;
}

/** By the names of their registrations. */
export async function readLinks(commonDir: string): Promise<Record<string, Link>> {
  const names = await readdir(join(commonDir, 'worktrees')).catch(() => []);
  const links = await Promise.all(
    names.map(async (name): Promise<[string, Link][]> => {
      const own = join(commonDir, 'worktrees', name);
      const pointer = await readFile(join(own, 'gitdir'), 'utf8').catch(() => '');
      if (pointer.trim() === '') return [];
      const path = dirname(resolve(own, pointer.replace(/\n$/, '')));
      const branch = await headBranch(own).catch(() => undefined);
      const gitDir = await privateGitDir(path);
      const sound = gitDir !== undefined && basename(gitDir) === name;
      return [[name, { path, sound, ...(branch === undefined ? {} : { branch }) }]];
    }),
  );
  return Object.fromEntries(links.flat());
}

/** Branches below a prefix (`ralph/`) that are kept as files of their own or packed, with their commits. */
export async function readBranches(commonDir: string, prefix: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const packed = await readFile(join(commonDir, 'packed-refs'), 'utf8').catch(() => '');
  for (const line of packed.split('\n')) {
    const [, commit, name] = /^([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
    if (commit && name?.startsWith(`refs/heads/${prefix}`)) found[name] = commit;
  }
  const folder = join(commonDir, 'refs/heads', prefix);
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const commit = (await readFile(join(folder, entry), 'utf8').catch(() => '')).trim();
      if (/^[0-9a-f]{40,64}$/.test(commit)) found[`refs/heads/${prefix}${entry.replaceAll('\\', '/')}`] = commit;
    }),
  );
  return found;
}
