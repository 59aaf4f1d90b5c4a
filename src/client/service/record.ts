/**
 * `service.json` in a project's folder: what `service install` has put where, so that `service uninstall` removes exactly
 * that and `service status` sees what has moved.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../../config/paths.js';
import { readStored, STORED_VERSION } from '../../config/stored.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { writeAtomically } from '../../run-files/run.js';

export interface ServiceRecord {
  manager: 'systemd' | 'launchd';
  /** Of the unit or the agent, as its manager knows it. */
  name: string;
  unit: string;
  /** SHA-256 of the unit as it was written. */
  sha256: string;
  envFile: string;
  repo: string;
  node: string;
  program: string;
  /** Install turned lingering on. */
  lingering?: boolean | undefined;
  installedAt: string;
}

const shape = z.looseObject({
  manager: z.enum(['systemd', 'launchd']),
  name: z.string(),
  unit: z.string(),
  sha256: z.string(),
  envFile: z.string(),
  repo: z.string(),
  node: z.string(),
  program: z.string(),
  lingering: z.boolean().optional(),
  installedAt: z.string(),
}) as unknown as z.ZodType<ServiceRecord>;

/** An id given by hand. It names files, so nothing else may get into their paths. @throws UserError */
export function assertProjectId(id: string): string {
  if (/^[a-z0-9-]+$/.test(id)) return id;
  const fix = 'See the id of a project, in its repository: ralphctl service status --json';
  throw new UserError(`${JSON.stringify(id)} is no id of a project. ${fix}`, EXIT.usage, fix);
}

export const recordPath = (root: string, project: string): string => join(projectDir(root, project), 'service.json');
export const envFilePath = (root: string, project: string): string => join(projectDir(root, project), 'service.env');

export const readRecord = (root: string, project: string): Promise<ServiceRecord | undefined> =>
  readStored(recordPath(root, project), {
    schema: shape,
    fix: (path) => `Remove it, then: ralphctl service install --force (${path})`,
  });

export const writeRecord = (root: string, project: string, record: ServiceRecord): Promise<void> =>
  writeAtomically(recordPath(root, project), JSON.stringify({ version: STORED_VERSION, ...record }, null, 2));

export const removeRecord = (root: string, project: string): Promise<void> =>
  rm(recordPath(root, project), { force: true });

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether the file is as install wrote it. `other`: without a record, or changed since. */
export async function unitOnDisk(
  path: string,
  record: ServiceRecord | undefined,
): Promise<'none' | 'written' | 'other'> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return 'none';
  return record?.unit === path && record.sha256 === digest(text) ? 'written' : 'other';
}

/** Services of other projects of this state folder. */
export async function otherServices(root: string, own: string): Promise<[project: string, record: ServiceRecord][]> {
  const found: [string, ServiceRecord][] = [];
  for (const project of (await readdir(join(root, 'projects')).catch(() => [])).sort()) {
    if (project === own) continue;
    const record = await readRecord(root, project).catch(() => undefined);
    if (record) found.push([project, record]);
  }
  return found;
}
