/**
 * A copy of the index of the user's checkout, as it was when git could read it last. An agent that breaks the index breaks
 * what its person staged; the copy puts that back.
 * Invariant: an index that git can read is the user's, whatever is in it, and is never touched. One that it cannot read is
 * kept aside. The copy comes back only while HEAD is at the commit that it belongs to, and the same merge, rebase or
 * other operation is in progress, if any: else it would undo what was committed or merged since.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { type BrokenIndex, brokenIndex, isReadable, rebuildOf } from '../checkout-index.js';
import { RepositoryError } from '../errors.js';
import { exclusive } from '../locks.js';
import { textAt } from '../regular.js';
import { inspectRepository } from '../repository.js';
import { exists } from '../worktrees/list.js';
import { operationSigns } from '../worktrees/operations.js';
import type { OutsidePlace } from './outside.js';
import { changedAt, stamp, there } from './wall-files.js';
import { noteBreach, readJson, writeJson } from './wall-sections.js';

const FOLDER = 'index';
const RECORD = 'index.json';
const PRIVATE = 0o600;

interface Kept {
  /** The index that was copied. */
  file: string;
  /** Name of the copy. */
  name: string;
  /** Permissions of that index; the copy is nobody else's to read. */
  mode: number;
  /** Commit of HEAD and operation in progress then. */
  head: string;
  /** Of that index then. */
  stamp: string;
  /** State of a broken index that has been told. */
  told?: string;
}

const NOTHING = { file: '', name: '', mode: 0, head: '', stamp: '' };

/** What was found broken. */
export interface IndexDamage {
  /** A clause about the index. */
  what: string;
  /** For a person, where ralphctl could not help. */
  fix?: string;
}

/**
 * Copies an index that changed, puts back one that broke, and records that against the agent code that ran. Undefined:
 * there is nothing to tell.
 * @param dir of the wall
 */
export function watchIndex(place: OutsidePlace, dir: string): Promise<IndexDamage | undefined> {
  // What cannot be looked at or copied, such as on a full disk, fails nothing.
  return exclusive(`index:${dir}`, () => watch(place, dir)).catch(() => undefined);
}

async function watch({ root, gitDir, commonDir }: OutsidePlace, dir: string): Promise<IndexDamage | undefined> {
  const file = join(gitDir, 'index');
  const now = stamp(file);
  const kept = await readJson<Kept>(join(dir, RECORD));
  // A lock that goes is a reason to look again.
  const state = `${now} ${stamp(`${file}.lock`)}`;
  if (kept?.told === state) return undefined;
  const head = await headAndOperation({ gitDir, commonDir });
  if (now === kept?.stamp) {
    // HEAD moved and the index did not: it belongs to both.
    if (head !== kept.head) await writeJson(join(dir, RECORD), { ...kept, head });
    return undefined;
  }
  // A link leads where an agent can write later, unseen.
  const linked = kept?.name !== undefined && kept.name !== '' && there(file)?.isSymbolicLink() === true;
  if (now !== '-' && !linked && (await isReadable(root, file))) {
    await copy({ root, file, dir, head, stamp: now });
    return undefined;
  }
  // Once it was there: git takes every file for untracked now. Without a copy nobody knows.
  if (now === '-' && !kept?.name) return undefined;
  const at = changedAt(file);
  const back: PutBack =
    kept?.name && head !== UNKNOWN && kept.head === head
      ? await putBack(root, { file, broken: now, copy: join(dir, FOLDER, kept.name), mode: kept.mode })
      : 'no copy';
  if (back === 'written') return undefined;
  if (typeof back === 'string') await writeJson(join(dir, RECORD), { ...(kept ?? NOTHING), told: state });
  const damage = damageOf({ root, file, gone: now === '-' }, back);
  await noteBreach(dir, { at, changes: [{ file, ...damage, index: true }] });
  return damage;
}

/** `aside`: where the broken one is. */
type PutBack = { aside?: string } | 'locked' | 'written' | 'no copy';

function damageOf({ root, file, gone }: { root: string; file: string; gone: boolean }, back: PutBack): IndexDamage {
  const done = `${gone ? 'removed' : 'broke'} the index of ${root}`;
  if (typeof back === 'object')
    return {
      what: `${done}; ralphctl put back its last copy${back.aside ? ` and kept the broken one as ${back.aside}` : ''}`,
    };
  const lock = back === 'locked' ? `rm ${shellQuoted(`${file}.lock`)} && ` : '';
  const rebuild = gone ? `git -C ${shellQuoted(root)} reset -q` : rebuildOf(root, file);
  return { what: `${done}${gone ? '' : ', and git fails there'}`, fix: `${lock}${rebuild}` };
}

const UNKNOWN = '';

/** Of a merge, say, the index has the other side, which no commit has yet. */
async function headAndOperation(place: Pick<OutsidePlace, 'gitDir' | 'commonDir'>): Promise<string> {
  const head = await headOf(place);
  const operation = operationSigns.map((name) => stamp(join(place.gitDir, name))).filter((one) => one !== '-');
  return /^[0-9a-f]{40,64}$/.test(head) ? [head, ...operation].join(' ') : UNKNOWN;
}

/** Without a process: before the first git, the caller compares what else an agent may have changed. */
async function headOf({ gitDir, commonDir }: Pick<OutsidePlace, 'gitDir' | 'commonDir'>): Promise<string> {
  const head = ((await textAt(join(gitDir, 'HEAD'))) ?? '').trim();
  if (!head.startsWith('ref: ')) return head;
  const name = head.slice('ref: '.length);
  const loose = ((await textAt(join(commonDir, name))) ?? '').trim();
  if (loose !== '') return loose;
  const packed = (await textAt(join(commonDir, 'packed-refs'))) ?? '';
  return (
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${name}`))
      ?.split(' ', 1)[0] ?? ''
  );
}

interface Whole {
  root: string;
  file: string;
  dir: string;
  head: string;
  stamp: string;
}

async function copy({ root, file, dir, head, stamp: was }: Whole): Promise<void> {
  const name = randomUUID();
  const folder = join(dir, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const to = join(folder, name);
  const mode = await copyAged(file, to, constants.COPYFILE_FICLONE);
  await chmod(to, PRIVATE);
  // Somebody may have written meanwhile. The next look copies that.
  if (stamp(file) !== was || !(await isReadable(root, to))) return rm(to, { force: true });
  await writeJson(join(dir, RECORD), { file, name, mode, head, stamp: was } satisfies Kept);
  // Another process may be about to name its own copy.
  for (const other of await readdir(folder)) if (other !== name) await rm(join(folder, other), { force: true });
}

/**
 * git trusts what an index says of a file only where the index is newer: with a younger copy it would miss an edit.
 * @returns permissions of `from`
 */
async function copyAged(from: string, to: string, how: number): Promise<number> {
  const { mtimeMs, mode } = await stat(from);
  await copyFile(from, to, how);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(to, seconds, seconds);
  return mode & 0o777;
}

/** Under git's own lock, so that no git writes the index meanwhile. */
async function putBack(
  root: string,
  { file, broken, copy, mode }: { file: string; broken: string; copy: string; mode: number },
): Promise<PutBack> {
  const lock = `${file}.lock`;
  // A split index needs a file that git may have removed since.
  if (!(await exists(copy)) || !(await isReadable(root, copy))) return 'no copy';
  try {
    await copyAged(copy, lock, constants.COPYFILE_EXCL);
    await chmod(lock, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'locked';
    await rm(lock, { force: true });
    return 'no copy';
  }
  if (stamp(file) !== broken) {
    await rm(lock, { force: true });
    return 'written';
  }
  const aside = broken === '-' ? undefined : await freeName(file);
  if (aside !== undefined) await rename(file, aside);
  await rename(lock, file);
  return aside === undefined ? {} : { aside };
}

async function freeName(file: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${file}.broken` : `${file}.broken-${number}`;
    if (!(await exists(name))) return name;
  }
}

/** The command for a broken index of a checkout: with the copy, where it still fits. */
export async function indexRepair(
  checkout: string,
  { file, gone, rebuild }: BrokenIndex,
  dir: string,
): Promise<string> {
  const kept = await readJson<Kept>(join(dir, RECORD));
  const copy = join(dir, FOLDER, kept?.name ?? '');
  const head = await headAndOperation(await inspectRepository(checkout));
  if (!kept?.name || kept.file !== file || head === UNKNOWN || kept.head !== head || !(await exists(copy)))
    return rebuild;
  const aside = gone ? '' : `mv ${shellQuoted(file)} ${shellQuoted(`${file}.broken`)} && `;
  return `${aside}cp ${shellQuoted(copy)} ${shellQuoted(file)}`;
}

/** @throws RepositoryError where git cannot read the index of the checkout, with the command that helps */
export async function refuseBrokenIndex(checkout: string, dir: string): Promise<void> {
  const broken = await brokenIndex(checkout);
  if (!broken) return;
  const repair = await indexRepair(checkout, broken, dir);
  const lost = repair === broken.rebuild ? ' What was staged and not committed is lost; files stay as they are.' : '';
  throw new RepositoryError(
    broken.gone
      ? `the index of ${checkout} is gone (${broken.file}).${lost}`
      : `git cannot read the index of ${checkout} (${broken.file}).${lost}`,
    `Put a new one in its place: ${repair}`,
  );
}
