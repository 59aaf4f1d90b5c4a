/**
 * The index of a checkout: whether git can read it, and what makes it anew.
 * Invariant: reads only.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../process/temporary.js';
import { shellQuoted } from '../protocol/shell-words.js';
import { openToRead, orNone } from './regular.js';
import { git } from './runner.js';
import { gitDirOf } from './worktrees/operations.js';

/** For a git that compares commits: it reads the index all the same, and fails where that is broken. */
export const NO_INDEX = { GIT_INDEX_FILE: '/nonexistent/index' };

/** In a sentence. */
export interface BrokenIndex {
  file: string;
  /** There is none, and HEAD has files: git takes all of them for deleted. */
  gone?: true;
  /** The command that makes it anew and keeps the broken one aside. What was only staged is staged no more. */
  rebuild: string;
}

/** Undefined: git can read it, or HEAD has no files that it could lack. */
export async function brokenIndex(checkout: string): Promise<BrokenIndex | undefined> {
  const gitDir = await gitDirOf(checkout);
  if (gitDir === undefined) return undefined;
  const file = join(gitDir, 'index');
  if (await isGone(checkout, file)) return goneAt(checkout, file);
  return (await isReadable(checkout, file)) ? undefined : { file, rebuild: rebuildOf(checkout, file) };
}

const goneAt = (checkout: string, file: string): BrokenIndex => ({ file, gone: true, rebuild: resetOf(checkout) });

/** The next git would make one of what it adds alone. */
async function isGone(checkout: string, file: string): Promise<boolean> {
  const there = await lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (there) return false;
  const repo = git(checkout);
  // A bare repository needs none.
  const inside = await repo.result(['rev-parse', '--is-inside-work-tree'], { ok: [0, 128], read: true });
  if (inside.stdout.trim() !== 'true') return false;
  const files = await repo.result(['ls-tree', '--full-tree', '--name-only', 'HEAD'], { ok: [0, 128], read: true });
  return files.stdout !== '';
}

const resetOf = (checkout: string): string => `git -C ${shellQuoted(checkout)} reset -q`;

/** `git reset` keeps to a sparse checkout; it fails at a broken index, and not where there is none. */
export const rebuildOf = (checkout: string, file: string): string =>
  `mv ${shellQuoted(file)} ${shellQuoted(`${file}.broken`)} && ${resetOf(checkout)}`;

/**
 * What `work` returns, or, where it fails at a broken index of the checkout, what `instead` does. Without an index it would
 * not fail, and see all files of HEAD as deleted.
 */
export async function despiteIndex<T, U>(
  checkout: string,
  work: () => Promise<T>,
  instead: (broken: BrokenIndex) => U | Promise<U>,
): Promise<T | U> {
  const none = await goneIndex(checkout).catch(() => undefined);
  if (none) return instead(none);
  try {
    return await work();
  } catch (error) {
    const broken = await brokenIndex(checkout).catch(() => undefined);
    if (!broken) throw error;
    return instead(broken);
  }
}

async function goneIndex(checkout: string): Promise<BrokenIndex | undefined> {
  const gitDir = await gitDirOf(checkout);
  const file = gitDir && join(gitDir, 'index');
  return file && (await isGone(checkout, file)) ? goneAt(checkout, file) : undefined;
}

/** git renames a new one into its place, which must not look broken while it is read. */
const MOST_LOOKS = 5;

/** git takes a truncated index for a whole one where its bytes happen to fit; the checksum at the end does not lie. */
export async function isReadable(checkout: string, file: string): Promise<boolean> {
  for (let look = 1; ; look++) {
    const before = await stateOf(file);
    if (await looksReadable(checkout, file).catch(orNone)) return true;
    if (look === MOST_LOOKS || before === (await stateOf(file))) return false;
  }
}

const stateOf = (file: string): Promise<string> =>
  stat(file).then(
    ({ ino, size, mtimeMs, ctimeMs }) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
    () => '-',
  );

async function looksReadable(checkout: string, file: string): Promise<boolean> {
  const info = await stat(file).catch(orNone);
  // A link that leads nowhere is not the same as none.
  if (!info)
    return lstat(file).then(
      () => false,
      () => true,
    );
  if (!info.isFile()) return false;
  const sum = await sumOf(file, info.size);
  if (sum === 'right' && !(await isSplit(file))) return true;
  if (sum === 'wrong') return false;
  // With index.skipHash there is no sum, and a split one needs another file.
  const got = await git(checkout).result(['ls-files', '--', ':(top,literal).git'], {
    ok: [0, 128],
    read: true,
    env: { GIT_INDEX_FILE: file },
  });
  return got.code !== 128;
}

const SUMS = [
  ['sha1', 20],
  ['sha256', 32],
] as const;
/** Version and number of entries after the signature. */
const HEADER = 12;

async function sumOf(file: string, size: number): Promise<'right' | 'wrong' | 'none'> {
  const at = await openToRead(file);
  try {
    const start = Buffer.alloc(HEADER);
    await at.read(start, 0, HEADER, 0);
    if (size < HEADER + 20 || start.toString('latin1', 0, 4) !== 'DIRC') return 'wrong';
    for (const [algorithm, length] of SUMS) {
      if (size < HEADER + length) continue;
      const end = Buffer.alloc(length);
      await at.read(end, 0, length, size - length);
      if (end.every((byte) => byte === 0)) return 'none';
      const hash = createHash(algorithm);
      for await (const chunk of createReadStream(file, { end: size - length - 1 })) hash.update(chunk as Buffer);
      if (hash.digest().equals(end)) return 'right';
    }
    return 'wrong';
  } finally {
    await at.close();
  }
}

/** The extension that names its other file comes after the entries. A path with this word costs a process. */
async function isSplit(file: string): Promise<boolean> {
  let before = '';
  for await (const chunk of createReadStream(file)) {
    const text = before + (chunk as Buffer).toString('latin1');
    if (text.includes('link\0\0')) return true;
    before = text.slice(-8);
  }
  return false;
}

/** What `git ls-files` lists; where git cannot read the index, by the files of HEAD. */
export async function listFiles(checkout: string, ...args: string[]): Promise<string[]> {
  const list = async (env: Readonly<Record<string, string>> = {}): Promise<string[]> =>
    (await git(checkout).result(['ls-files', '-z', ...args], { read: true, env })).stdout.split('\0').filter(Boolean);
  return despiteIndex(
    checkout,
    () => list(),
    async () => {
      const scratch = await makeTemporary('index');
      try {
        const env = { GIT_INDEX_FILE: join(scratch, 'index') };
        await git(checkout).run(['read-tree', 'HEAD'], { env });
        return await list(env);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  );
}
