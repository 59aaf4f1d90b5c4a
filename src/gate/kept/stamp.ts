/**
 * The state of kept folders after set-up, so that the next idea provably starts from it.
 * Invariant: a stamp is taken only right after a set-up that began without files of another idea. It counts only while
 * the commit whose code ran in that set-up is part of the checkout, and while it is the text whose hash the state folder
 * has. Stored in the worktree's private git directory.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../../git/regular.js';
import { git } from '../../git/runner.js';
import { readSubmodules } from '../../git/worktrees/submodules.js';
import { contentOf, listFiles, parseListing } from '../../process/table.js';

export interface KeptStamp {
  /** HEAD when set-up ran. */
  commit: string;
  listing: string;
  /** Content of files with several names: adding or removing a link elsewhere changes their change time. */
  linked: Record<string, string>;
}

export interface StampPlace {
  worktree: string;
  gitDir: string;
  /** A folder of the state, for the hash of the stamp: an overwritten stamp does not count. */
  proofs: string;
}

const file = (gitDir: string): string => join(gitDir, 'ralphctl-kept');
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const proof = ({ gitDir, proofs }: StampPlace): string => join(proofs, digest(gitDir).slice(0, 32));

/** Undefined: the present state is unknown. */
export async function readKept(place: StampPlace): Promise<KeptStamp | undefined> {
  const { gitDir, worktree } = place;
  const [text, hash] = await Promise.all(
    [file(gitDir), proof(place)].map((path) => readRegular(path).catch(() => undefined)),
  );
  if (text === undefined || hash !== digest(text)) return undefined;
  const stamp = parse(text);
  if (!stamp) return undefined;
  const args = ['merge-base', '--is-ancestor', stamp.commit, 'HEAD'];
  const part = await git(worktree).result(args, { ok: [0, 1, 128], read: true });
  return part.code === 0 ? stamp : undefined;
}

function parse(text: string): KeptStamp | undefined {
  try {
    const { commit, listing, linked } = JSON.parse(text) as Partial<KeptStamp>;
    const whole = /^[0-9a-f]{40,64}$/.test(commit ?? '') && typeof listing === 'string' && typeof linked === 'object';
    return whole ? ({ commit, listing, linked } as KeptStamp) : undefined;
  } catch {
    return undefined;
  }
}

export async function writeKept(place: StampPlace, stamp: KeptStamp): Promise<void> {
  const text = JSON.stringify(stamp);
  await mkdir(place.proofs, { recursive: true, mode: 0o700 });
  // A stamp without its hash only makes set-up run again.
  await replaceRecord(proof(place), digest(text));
  await replaceRecord(file(place.gitDir), text);
}

/** An agent may have left a pipe or a link under either name. */
export async function replaceRecord(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { recursive: true, force: true });
  await writeFile(fresh, text, { mode: 0o600, flag: 'wx' });
  await rename(fresh, path);
}

export async function clearKept(place: StampPlace): Promise<void> {
  await Promise.all([file(place.gitDir), proof(place)].map((path) => rm(path, { force: true })));
}

/** The state of these paths as it is now. */
export async function takeStamp(worktree: string, paths: readonly string[]): Promise<KeptStamp> {
  const [commit, listing] = await Promise.all([
    git(worktree).run(['rev-parse', 'HEAD'], { read: true }),
    listFiles(worktree, paths),
  ]);
  const linked: Record<string, string> = {};
  for (const [path, one] of parseListing(listing))
    if (one.kind === 'f' && one.links > 1) linked[path] = await contentOf(join(worktree, path));
  return { commit, listing, linked };
}

/** Everything in a worktree outside the repository, ignored or not, and submodules; whole folders as `name/`. */
export async function keptPaths(worktree: string): Promise<string[]> {
  const [text, submodules] = await Promise.all([
    git(worktree).run(['ls-files', '-z', '--others', '--directory'], { read: true }),
    readSubmodules(worktree),
  ]);
  const filled: string[] = [];
  for (const { path } of submodules)
    if ((await readdir(join(worktree, path)).catch(() => [])).length > 0) filled.push(`${path}/`);
  return [...text.split('\0').filter(Boolean), ...filled];
}
