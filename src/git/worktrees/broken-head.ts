/**
 * A checkout whose HEAD git cannot read. To git that is no repository at all, so only a look at the file explains it.
 * Must not start git.
 */
import { lstat, readFile, readlink, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The same rule as in git. */
const READABLE = /^(?:ref:\s*refs\/|[0-9a-f]{40})/;

/** The problem and its fix; undefined: no problem, or no git directory. */
export async function brokenHead(checkout: string, branch = 'main'): Promise<string | undefined> {
  const gitDir = await gitDirAt(checkout).catch(() => undefined);
  if (gitDir === undefined) return undefined;
  const file = join(gitDir, 'HEAD');
  const text = await headAt(file).catch(() => undefined);
  if (text !== undefined && READABLE.test(text)) return undefined;
  const how = text === undefined ? 'missing' : text.trim() === '' ? 'empty' : 'not one that git can read';
  // `git symbolic-ref` refuses to work there.
  return `HEAD of the checkout ${checkout} is broken (${file} is ${how}), so git finds no repository there. Fix it: echo 'ref: refs/heads/${branch}' > '${file}'`;
}

/** Only where the rest of a repository exists. */
async function gitDirAt(checkout: string): Promise<string | undefined> {
  const link = join(checkout, '.git');
  if ((await stat(link)).isDirectory()) return (await stat(join(link, 'objects'))).isDirectory() ? link : undefined;
  const named = /^gitdir: (.+)\n?$/.exec(await readFile(link, 'utf8'))?.[1];
  const gitDir = named === undefined ? undefined : resolve(checkout, named);
  return gitDir !== undefined && (await stat(gitDir)).isDirectory() ? gitDir : undefined;
}

async function headAt(file: string): Promise<string> {
  const info = await lstat(file);
  if (info.isSymbolicLink()) return `ref: ${await readlink(file)}`;
  // Anything else there, for example a pipe, must not block the read.
  return info.isFile() && info.size < 4096 ? readFile(file, 'utf8') : '?';
}
