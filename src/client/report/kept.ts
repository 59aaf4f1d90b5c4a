/**
 * The report that was kept of a run whose events were cleaned: what is left of the run tells less than its report did.
 * Invariant: reads only.
 */
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { cleanedParts } from '../../run-files/cleaned.js';
import { safeLines } from '../output.js';

/** Undefined where the events are there, or no report was kept. */
export async function keptReport(root: string, ref: RunRef): Promise<string | undefined> {
  if ((await cleanedParts(root, ref)).events === undefined) return undefined;
  const text = await readOwn(join(runDir(root, ref.project, ref.runId), 'report.md')).catch(() => undefined);
  return text === undefined ? undefined : safeLines(text);
}
