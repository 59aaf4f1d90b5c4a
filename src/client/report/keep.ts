/**
 * Writes `report.md` and `report.html` into the run's folder. An attached `start` does so when it sees the end,
 * otherwise the first `ralphctl report` after it.
 * Invariant: an open run has none.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { makeReport } from '../../report/build.js';
import { htmlReport } from '../../report/html.js';
import { markdownReport } from '../../report/markdown.js';
import type { Report } from '../../report/schema.js';
import { firstPart } from '../../report/text.js';
import { cleanedParts } from '../../run-files/cleaned.js';
import { writeAtomically } from '../../run-files/run.js';
import { called } from '../called.js';
import type { Context } from '../context.js';
import { gather } from './gather.js';
import { printLines, textWidth } from './print.js';

/** Returns the path of the page. */
export async function keepReport(root: string, ref: RunRef, report: Report): Promise<string> {
  const dir = runDir(root, ref.project, ref.runId);
  const page = join(dir, 'report.html');
  // What is left of the run tells less than its report did.
  if ((await cleanedParts(root, ref)).events && (await stat(page).catch(() => undefined))) return page;
  await writeAtomically(page, htmlReport(report));
  await writeAtomically(join(dir, 'report.md'), markdownReport(report));
  return page;
}

/* Prints the first part of the report when an attached `start` sees its run end. Never fails the end of a run. */

export async function reportAtEnd(context: Context, ref: RunRef): Promise<void> {
  try {
    const found = await gather(context, ref, { tails: true });
    if (!found) return;
    const report = makeReport(found.model, { ...found.extra, over: true });
    const page = await keepReport(context.root, ref, report);
    const width = textWidth();
    const lines = firstPart(report, width === undefined ? {} : { width });
    printLines([...lines, '', `the whole report: ${called(context)} report     as a page: ${page}`]);
  } catch {
    // The run's files may be unreadable. The summary is printed already.
  }
}
