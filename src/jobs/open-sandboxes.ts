/**
 * Notes on disk of open sandboxes, one file each: what a killed job process leaves of them, the next worker removes.
 * Invariant: a sandbox that lives keeps its folders. A failure here loses only disk space.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { sandboxesDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { aliveness, type Identity, ownIdentity } from '../process/identity.js';
import { removeTree } from '../process/remove-tree.js';

interface Note {
  owner: Identity;
  folders: string[];
}

const shape = z.looseObject({
  owner: z.looseObject({ pid: z.int(), startTime: z.string() }),
  folders: z.array(z.string()),
}) as unknown as z.ZodType<Note>;

/** The project whose folder this is in; undefined: of none. */
export function projectAround(root: string, folder: string): string | undefined {
  const [projects, project] = relative(root, folder).split('/');
  return projects === 'projects' && project ? project : undefined;
}

/** Resolves to a function that removes the note. Never rejects. */
export async function noteSandbox(
  root: string,
  project: string,
  folders: readonly string[],
  owner?: Identity,
): Promise<() => Promise<void>> {
  const path = join(sandboxesDir(root, project), `${randomUUID()}.json`);
  try {
    await mkdir(sandboxesDir(root, project), { recursive: true, mode: 0o700 });
    const note = { owner: owner ?? (await ownIdentity()), folders };
    await writeFile(path, JSON.stringify(note), { flag: 'wx', mode: 0o600 });
  } catch {
    return () => Promise.resolve();
  }
  return () => rm(path, { force: true }).catch(() => undefined);
}

/** Removes what dead processes have left; how many sandboxes that were. */
export async function sweepSandboxes(root: string, project: string): Promise<number> {
  const dir = sandboxesDir(root, project);
  let swept = 0;
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    const note = await readNote(path, shape, 'skip').catch(() => undefined);
    if (note && (await aliveness(note.owner)) !== 'dead') continue;
    for (const folder of note?.folders ?? []) if (isOfSandbox(folder)) await removeTree(folder);
    await rm(path, { force: true }).catch(() => undefined);
    swept += 1;
  }
  return swept;
}

/** What ralphctl makes for one. A note that something else wrote must not remove other folders. */
const isOfSandbox = (folder: string): boolean =>
  /^ralphctl-sandbox-/.test(basename(folder)) || /\/projects\/[^/]+\/.+\/tmp$/.test(folder);
