/**
 * Keeps what an agent said about bug reports in the project's folder: one file per report, named by a hash of it.
 * Invariant: a reading applies to the text that the agent read. A file that cannot be used counts as none.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import type { BugReport, Reading } from '../protocol/triage.js';
import { writeAtomically } from './run.js';
import { reportFile } from './triage.js';

const gate = z.object({ pass: z.boolean(), reason: z.string(), quote: z.string() });
const stored = z.looseObject({
  version: z.literal(1),
  report: z.string(),
  agent: z.string(),
  at: z.string(),
  project: gate,
  actionable: gate,
  minutes: z.number().positive(),
  notes: z.string(),
  files: z.array(z.string()),
}) as unknown as z.ZodType<Reading & { report: string }>;

const folder = (root: string, project: string): string => join(projectDir(root, project), 'triage', 'read');

export async function keepReading(root: string, project: string, report: BugReport, reading: Reading): Promise<void> {
  await mkdir(folder(root, project), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ version: 1, report: report.id, ...reading }, null, 2);
  await writeAtomically(join(folder(root, project), reportFile(report)), text);
}

/** The readings that match the present text of these reports, by id. */
export async function readingsOf(
  root: string,
  project: string,
  reports: readonly BugReport[],
): Promise<Map<string, Reading>> {
  const dir = folder(root, project);
  const there = new Set(await readdir(dir).catch(() => []));
  const found = new Map<string, Reading>();
  if (there.size === 0) return found;
  for (const report of reports) {
    const name = reportFile(report);
    const read = there.has(name) ? await readNote(join(dir, name), stored, 'skip') : undefined;
    if (read?.report === report.id) found.set(report.id, read);
  }
  return found;
}
