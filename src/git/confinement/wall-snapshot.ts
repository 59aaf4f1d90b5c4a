/**
 * The state of the shared git directory that the wall restores.
 * Invariant: the state at the start of a newer run counts as the user's only where no code of an earlier run works.
 * Ideas of a terminated run continue in the next one, and so do their agents: then the earlier state, the sections,
 * the restored changes and the known tips stay.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freezeUserConfig } from './wall-config.js';
import { isDeep } from './wall-deep-changes.js';
import { type Files, readFiles } from './wall-files.js';
import { takeReplacements } from './wall-replace.js';
import { activeSections, isRunning, readJson, type Section, writeJson } from './wall-sections.js';

export interface Snapshot {
  /** 1: without the files of worktrees and submodules. */
  version: 1 | 2;
  /** Creation time of the newest run that has this wall; ISO. */
  createdAt: string;
  files: Files;
  /** Commits of refs/replace, by name. */
  replaced: Record<string, string>;
  /** The user's own settings are in `gitconfig`. */
  frozen: boolean;
  /** So are those of the system. */
  system?: boolean;
}

export interface WallPlace {
  commonDir: string;
  /** The user's checkout. */
  root: string;
  /** Folders below which our worktrees lie. */
  linked: readonly string[];
  /** Folder of the snapshot, sections and breaches. */
  dir: string;
  /** Whether code of a section goes on although the process that ran it is gone. Default: it does not. */
  isLeft?: (section: Section) => Promise<boolean>;
}

type Dir = Pick<WallPlace, 'dir'>;

const SNAPSHOT = 'snapshot.json';

export const snapshotFile = ({ dir }: Dir): string => join(dir, SNAPSHOT);
const userConfigFile = ({ dir }: Dir): string => join(dir, 'gitconfig');
/** Git reads the kept settings in place of those that agents may write meanwhile. */
export function settingsOf({ dir, snapshot }: Dir & { snapshot: Snapshot }): Record<string, string> {
  const { frozen, system } = snapshot;
  return {
    ...(frozen ? { GIT_CONFIG_GLOBAL: userConfigFile({ dir }) } : {}),
    ...(frozen && system ? { GIT_CONFIG_NOSYSTEM: '1' } : {}),
  };
}
export const readSnapshot = (at: Dir): Promise<Snapshot | undefined> => readJson(snapshotFile(at));
export const writeSnapshot = (at: Dir, snapshot: Snapshot): Promise<void> => writeJson(snapshotFile(at), snapshot);

/** The snapshot for a run that was created then. */
export async function snapshotFor(place: WallPlace, createdAt: string): Promise<Snapshot> {
  const kept = await readSnapshot(place);
  if (kept && kept.createdAt >= createdAt) return completed(place, kept);
  if (!kept || !(await anyoneWorks(place))) return begin(place, createdAt);
  // Another process may have begun the newer run meanwhile, and its agents are the ones at work.
  const latest = (await readSnapshot(place)) ?? kept;
  const carried = latest.createdAt >= createdAt ? latest : { ...latest, createdAt };
  if (carried !== latest) await writeSnapshot(place, carried);
  return completed(place, carried);
}

/** Not the sections of lost processes alone: a person's changes after a crash would count as an agent's. */
async function anyoneWorks({ dir, isLeft }: WallPlace): Promise<boolean> {
  for (const section of await activeSections(dir))
    if ((await isRunning(section)) || (await isLeft?.(section))) return true;
  return false;
}

/** Files that an earlier version did not watch count as the user's. */
async function completed(place: WallPlace, kept: Snapshot): Promise<Snapshot> {
  if (kept.version === 2) return kept;
  const deep = Object.entries(await readFiles(place.commonDir)).filter(([name]) => isDeep(name));
  const snapshot: Snapshot = { ...kept, version: 2, files: { ...Object.fromEntries(deep), ...kept.files } };
  await writeSnapshot(place, snapshot);
  return snapshot;
}

async function begin(place: WallPlace, createdAt: string): Promise<Snapshot> {
  const { dir, root, commonDir } = place;
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const frozen = await freezeUserConfig(root, userConfigFile(place));
  const replaced = await takeReplacements(root, commonDir);
  const files = await readFiles(commonDir);
  const snapshot: Snapshot = { version: 2, createdAt, files, replaced, frozen, system: frozen };
  await writeSnapshot(place, snapshot);
  return snapshot;
}
