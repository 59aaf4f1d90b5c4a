/** How large the state folder is, by what is in it. Invariant: follows no link; a measure that ran out of time says so. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir, serverDir, sizesPath } from '../../config/paths.js';
import { readNote, STORED_VERSION } from '../../config/stored.js';
import { writeAtomically } from '../../run-files/run.js';
import { sizeOf } from './own.js';

export interface Sizes {
  /** ISO time. */
  at: string;
  bytes: number;
  /** The largest first: a folder of a project, or of the server. */
  parts: { path: string; bytes: number }[];
  /** The time was up: it is larger. */
  partial?: true;
}

const shape = z.looseObject({
  at: z.string(),
  bytes: z.number(),
  parts: z.array(z.looseObject({ path: z.string(), bytes: z.number() })),
  partial: z.literal(true).optional(),
}) as unknown as z.ZodType<Sizes>;

const MOST_PARTS = 50;

/** Also keeps what it found for `status`. */
export async function measure(root: string, stop: () => boolean, now = new Date()): Promise<Sizes> {
  const parts: Sizes['parts'] = [];
  const add = async (path: string): Promise<void> => {
    const bytes = await sizeOf(path, stop);
    if (bytes > 0) parts.push({ path, bytes });
  };
  await add(serverDir(root));
  for (const project of await folders(join(root, 'projects'))) {
    const dir = projectDir(root, project);
    for (const folder of await folders(dir)) await add(join(dir, folder));
  }
  const sizes: Sizes = {
    at: now.toISOString(),
    bytes: parts.reduce((sum, one) => sum + one.bytes, 0),
    parts: parts.sort((a, b) => b.bytes - a.bytes).slice(0, MOST_PARTS),
    ...(stop() ? { partial: true as const } : {}),
  };
  await writeAtomically(sizesPath(root), JSON.stringify({ version: STORED_VERSION, ...sizes })).catch(() => undefined);
  return sizes;
}

/** As the last cleaning measured it. */
export const lastSizes = (root: string): Promise<Sizes | undefined> =>
  readNote(sizesPath(root), shape, 'skip').catch(() => undefined);

async function folders(dir: string): Promise<string[]> {
  const found = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return found.filter((one) => one.isDirectory()).map(({ name }) => name);
}
