/** `metrics.json`: where the worker serves its metrics, or why it does not. Commands read it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../../config/paths.js';
import { readNote, STORED_VERSION } from '../../config/stored.js';
import { writeAtomically } from '../../run-files/run.js';

export interface MetricsRecord {
  /** Of the page. */
  address: string;
  /** Why it is not served, and the fix. */
  problem?: string | undefined;
  fix?: string | undefined;
}

const shape = z.looseObject({ address: z.string(), problem: z.string().optional(), fix: z.string().optional() });
const pathOf = (root: string, project: string): string => join(projectDir(root, project), 'metrics.json');

export async function writeMetricsRecord(root: string, project: string, record: MetricsRecord): Promise<void> {
  await writeAtomically(pathOf(root, project), JSON.stringify({ version: STORED_VERSION, ...record }));
}

export const removeMetricsRecord = (root: string, project: string): Promise<void> =>
  rm(pathOf(root, project), { force: true });

/** Of the last worker that was to serve metrics; it may be gone. */
export const readMetricsRecord = (root: string, project: string): Promise<MetricsRecord | undefined> =>
  readNote(pathOf(root, project), shape, 'skip');
