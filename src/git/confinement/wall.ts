/**
 * The wall between agents and ralphctl's own git. Before each git command of ralphctl in a repository with a run, it
 * compares the files that decide which programs git runs with their state at the start of the run.
 * Invariant: while agent code may run, a relevant change is restored before ralphctl's git reads it, and a copy is
 * kept. While none runs, a change is a person's and is accepted. Checking unchanged files costs no process.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { exclusive } from '../locks.js';
import { patiently, textAt } from '../regular.js';
import { beforeEachCommand } from '../runner.js';
import { agentsWorkIn } from '../worktree-pipes.js';
import { exists } from '../worktrees/list.js';
import { changedSettings } from './wall-config.js';
import { deepChanges, isDeep } from './wall-deep-changes.js';
import { changedAt, type Files, fingerprint, putBack, readFiles, same, stamp, textOf } from './wall-files.js';
import { fixLink } from './wall-link.js';
import { findPipes, hasPipe, type Remembered, remember, removePipe } from './wall-pipes.js';
import { takeReplacements } from './wall-replace.js';
import {
  activeSections,
  type Breach,
  forgetSection,
  giveUpSection,
  isRunning,
  noteBreach,
  noteSection,
  readBreaches,
  type Section,
} from './wall-sections.js';
import {
  readSnapshot,
  type Snapshot,
  settingsOf,
  snapshotFile,
  snapshotFor,
  type WallPlace,
  writeSnapshot,
} from './wall-snapshot.js';

export type { WallPlace } from './wall-snapshot.js';

export interface Wall extends WallPlace {
  snapshot: Snapshot;
  /** Fingerprint of the files at the last clean check. */
  seen: string;
  remembered: Remembered;
}

/** A process that writes again and again does not block ralphctl for ever. */
const MOST_ROUNDS = 5;
const walls: Wall[] = [];

/** Builds or finds the wall of a run. */
export async function raiseWall(place: WallPlace, createdAt: string): Promise<Wall> {
  return exclusive(`wall:${place.dir}`, async () => {
    const known = walls.find((one) => one.dir === place.dir);
    // The repository of a known wall may have been moved.
    if (known && known.commonDir === place.commonDir && known.snapshot.createdAt >= createdAt) return known;
    if (known) walls.splice(walls.indexOf(known), 1);
    const wall = { ...place, snapshot: await snapshotFor(place, createdAt), seen: '', remembered: new Map() };
    walls.push(wall);
    beforeEachCommand(passWall);
    agentsWorkIn(place.linked);
    return wall;
  });
}

/** The wall of an open run, for a command that only reads; undefined where none exists or no agent code runs. */
export async function findWall(place: WallPlace): Promise<Wall | undefined> {
  const snapshot = await readSnapshot(place);
  if (!snapshot) return undefined;
  const running = await Promise.all((await activeSections(place.dir)).map(isRunning));
  return running.includes(true) ? raiseWall(place, snapshot.createdAt) : undefined;
}

const below = (dir: string, folder: string): boolean => dir === folder || dir.startsWith(`${folder}/`);

/** The wall around a ralphctl folder, or around the user's checkout. */
export const wallAt = (dir: string): Wall | undefined =>
  walls.find((one) => one.linked.some((folder) => below(dir, folder))) ?? walls.find((one) => below(dir, one.root));

/** Runs before each git command in `dir`; returns additions to its environment. */
async function passWall(dir: string): Promise<Record<string, string>> {
  if (walls.length === 0) return {};
  const ours = walls.find((one) => one.linked.some((folder) => below(dir, folder)));
  const wall = ours ?? walls.find((one) => below(dir, one.root)) ?? (await wallOfCheckout(dir));
  if (!wall) return {};
  await checkWall(wall);
  if (ours) await checkLink(ours, dir);
  return settingsOf(wall);
}

/** One check at a time for each worktree: ralphctl records the list of fixes before anyone gets it. */
function checkLink(wall: Wall, dir: string): Promise<void> {
  return exclusive(`link:${dir}`, async () => {
    const fixes = await fixLink(dir, wall.commonDir);
    const changes = fixes.map((what) => ({ what, file: join(dir, '.git') }));
    if (changes.length > 0) await noteBreach(wall.dir, { at: Date.now(), changes });
  });
}

/** Another checkout of the user, which shares the repository. */
async function wallOfCheckout(dir: string): Promise<Wall | undefined> {
  const link = /^gitdir: ([^\n]+)\n?$/.exec((await textAt(join(dir, '.git'))) ?? '')?.[1];
  if (link === undefined) return undefined;
  const commonDir = dirname(dirname(resolve(dir, link)));
  return walls.find((one) => one.commonDir === commonDir);
}

/**
 * Takes every pipe in the git directory away: git would wait there for ever.
 * @throws RepositoryError where no agent code runs, so that a person made them
 */
export async function clearPipes({ commonDir, dir, remembered }: Wall): Promise<void> {
  await exclusive(`check:${dir}`, async () => {
    const names = await findPipes(commonDir);
    // Those in place of configuration and hooks are compared, and put back.
    const mine = names.filter((name) => !/^(?:config(?:\.worktree)?$|hooks\/)/.test(name));
    const [first] = mine;
    if (first === undefined) return;
    const active = await activeSections(dir);
    const path = join(commonDir, first);
    if (active.length === 0)
      throw new RepositoryError(
        `${path} is a named pipe, and git would wait there for ever.`,
        `Remove it: rm ${shellQuoted(path)}`,
      );
    const changes = mine.map((name) => ({
      what: `put a named pipe at .git/${name}`,
      file: join(commonDir, name),
      pipe: true as const,
    }));
    await noteBreach(dir, { at: Math.min(...changes.map(({ file }) => changedAt(file))), changes }, active);
    for (const name of mine) await removePipe(commonDir, name, remembered);
  });
}

/** Compares, and restores forbidden changes. */
export async function checkWall(wall: Wall): Promise<void> {
  if (await patiently(() => hasPipe(wall.commonDir))) await clearPipes(wall);
  await remember(wall.commonDir, wall.remembered);
  if ((await look(wall)) === wall.seen) return;
  await exclusive(`check:${wall.dir}`, async () => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const now = await look(wall);
      if (now === wall.seen) return;
      if (await compare(wall)) wall.seen = now;
    }
    if ((await look(wall)) === wall.seen) return;
    throw new RepositoryError(
      `Somebody keeps changing ${join(wall.commonDir, 'config')} or files beside it. ralphctl runs no git there until that stops.`,
      'Find the process, for example with: lsof +D .git',
    );
  });
}

const look = (wall: Wall): Promise<string> =>
  patiently(() => `${stamp(snapshotFile(wall))}\n${fingerprint(wall.commonDir, wall.snapshot.files)}`);

/** True when nothing had to be restored: the checked files are as they should be. */
async function compare(wall: Wall): Promise<boolean> {
  // A restored file that did not exist before looks unchanged. Others also wait until the change has been reported.
  wall.seen = '';
  const { commonDir, dir } = wall;
  // Another ralphctl process may have accepted a user's change for good.
  wall.snapshot = (await readSnapshot(wall)) ?? wall.snapshot;
  const was = wall.snapshot.files;
  const is = await readFiles(commonDir, was);
  // The repository was moved or lost its .git: there is nothing to restore into, and git fails by itself.
  if (!(await exists(join(commonDir, 'HEAD')))) return true;
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => !same(was[name], is[name]));
  if (changed.length === 0) return true;
  const active = await activeSections(dir);
  const bad = active.length === 0 ? [] : await serious(changed, was, is);
  if (bad.length > 0) {
    await repel(wall, bad, active);
    return false;
  }
  wall.snapshot = { ...wall.snapshot, files: is };
  await writeSnapshot(wall, wall.snapshot);
  return false;
}

interface Bad {
  name: string;
  what: string;
  /** Settings that changed. */
  keys?: readonly string[];
}

/** The changed files that only a person changes on purpose, with their changes. */
async function serious(changed: readonly string[], was: Files, is: Files): Promise<Bad[]> {
  const found = await Promise.all(
    changed.map(async (name): Promise<Bad[]> => {
      if (isDeep(name)) return describeDeep(name, await deepChanges(name, was, is), was, is);
      if (!name.startsWith('config')) return [{ name, what: `${said(was[name], is[name])} .git/${name}` }];
      if (is[name]?.link !== undefined && is[name]?.link !== was[name]?.link)
        return [{ name, what: `replaced .git/${name}` }];
      const keys = await changedSettings(textOf(was[name]), textOf(is[name]));
      return keys.length > 0 ? [{ name, what: settings(name, keys), keys }] : [];
    }),
  );
  return found.flat();
}

function describeDeep(name: string, changes: readonly string[], was: Files, is: Files): Bad[] {
  if (changes.length === 0) return [];
  if (!changes[0]) return [{ name, what: `${said(was[name], is[name])} .git/${name}` }];
  return [{ name, what: settings(name, changes), keys: changes }];
}

function settings(name: string, keys: readonly string[]): string {
  const few = keys.slice(0, 5).join(', ') + (keys.length > 5 ? ` and ${keys.length - 5} more` : '');
  return `set ${few} in .git/${name}`;
}

const said = (was: unknown, is: unknown): string =>
  was === undefined ? 'made' : is === undefined ? 'removed' : 'changed';

async function repel(
  { commonDir, dir, snapshot }: Wall,
  bad: readonly Bad[],
  active: readonly Section[],
): Promise<void> {
  const at = Math.min(...bad.map(({ name }) => changedAt(join(commonDir, name))));
  const all = bad.map(({ name, ...found }) => {
    const file = join(commonDir, name);
    const kept = join(dir, 'kept', `${basename(name)}-${randomBytes(4).toString('hex')}`);
    return { name, ...found, file, kept };
  });
  // Recorded first, so that no reader finds a restored file without a recorded breach.
  const changes = all.map(({ name: _, ...change }) => change);
  await noteBreach(dir, { at, changes }, active);
  for (const { name, file, kept } of all) await putBack(file, snapshot.files[name], kept);
}

/** Agent code starts. The caller also calls {@link leaveSection}. */
export async function enterSection(wall: Wall, given: Pick<Section, 'name' | 'outputFile'>): Promise<Section> {
  await checkWall(wall);
  // Changes by a person while nothing ran belong to that person.
  if ((await activeSections(wall.dir)).length === 0) {
    const replaced = await takeReplacements(wall.root, wall.commonDir);
    if (JSON.stringify(replaced) !== JSON.stringify(wall.snapshot.replaced)) {
      wall.snapshot = { ...wall.snapshot, replaced };
      await writeSnapshot(wall, wall.snapshot);
    }
  }
  return noteSection(wall.dir, given);
}

/** After the last of its processes: its changes are restored by then. */
export async function leaveSection(wall: Wall, section: Section): Promise<void> {
  try {
    await checkWall(wall);
  } catch (error) {
    await giveUpSection(wall.dir, section);
    throw error;
  }
  await forgetSection(wall.dir, section);
}

/** Changes restored since then that `name` may have made. `worktree`: where it worked. */
export async function breachesBy(wall: Wall, name: string, since: number, worktree?: string): Promise<Breach[]> {
  await clearPipes(wall);
  await checkWall(wall);
  if (worktree !== undefined) await checkLink(wall, worktree);
  const fresh = await takeReplacements(wall.root, wall.commonDir, wall.snapshot.replaced);
  const changes = Object.keys(fresh).map((ref) => ({ what: `made ${ref}`, file: join(wall.commonDir, ref) }));
  if (changes.length > 0) await noteBreach(wall.dir, { at: Date.now(), changes });
  return readBreaches(wall.dir, name, since);
}
