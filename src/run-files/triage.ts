/**
 * Stores people's verdicts about bug reports in the project's folder: one file per report, named by a hash of the
 * report.
 * Invariant: a verdict applies to the text that the person judged. When title or body change, the gates judge again.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote, readStored, type StoredKind } from '../config/stored.js';
import type { BugReport, Overrule } from '../protocol/triage.js';
import { writeAtomically } from './run.js';

interface StoredOverrule extends Overrule {
  version: 1;
  report: string;
  /** ISO time. */
  at: string;
}

const OVERRULE: StoredKind<StoredOverrule> = {
  schema: z.looseObject({
    version: z.literal(1),
    report: z.string(),
    at: z.string(),
    verdict: z.enum(['accept', 'reject']),
    reason: z.string(),
  }) as unknown as z.ZodType<StoredOverrule>,
  fix: 'Remove the file, then accept or reject the report again',
};

const folder = (root: string, project: string): string => join(projectDir(root, project), 'triage');
const overrules = (root: string, project: string): string => join(folder(root, project), 'overruled');

/** Of its text: another text has another name. */
export const reportFile = ({ id, title, body }: BugReport): string =>
  `${createHash('sha256')
    .update(JSON.stringify([id, title, body]))
    .digest('hex')
    .slice(0, 40)}.json`;

export async function overrule(root: string, project: string, report: BugReport, said: Overrule): Promise<void> {
  const stored: StoredOverrule = { version: 1, report: report.id, at: new Date().toISOString(), ...said };
  await mkdir(overrules(root, project), { recursive: true, mode: 0o700 });
  await writeAtomically(join(overrules(root, project), reportFile(report)), JSON.stringify(stored, null, 2));
}

/** The verdicts that match the present text of these reports, by id. */
export async function overrulesOf(
  root: string,
  project: string,
  reports: readonly BugReport[],
): Promise<Map<string, Overrule>> {
  const dir = overrules(root, project);
  const there = new Set(await readdir(dir).catch(() => []));
  const found = new Map<string, Overrule>();
  if (there.size === 0) return found;
  for (const report of reports) {
    const name = reportFile(report);
    const stored = there.has(name) ? await readStored(join(dir, name), OVERRULE) : undefined;
    if (stored) found.set(report.id, { verdict: stored.verdict, reason: stored.reason });
  }
  return found;
}

const source = z.looseObject({ version: z.literal(1), file: z.string() });
const noteOf = (root: string, project: string): string => join(folder(root, project), 'source.json');

/** The file of the last triage, so that a later verdict needs only a report id. */
export async function lastSource(root: string, project: string): Promise<string | undefined> {
  return (await readNote(noteOf(root, project), source, 'skip'))?.file;
}

export const forgetSource = (root: string, project: string): Promise<void> =>
  rm(noteOf(root, project), { force: true });

export async function keepSource(root: string, project: string, file: string): Promise<void> {
  await mkdir(folder(root, project), { recursive: true, mode: 0o700 });
  await writeAtomically(noteOf(root, project), JSON.stringify({ version: 1, file }));
}
