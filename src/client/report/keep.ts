/**
 * The report that stays with a run: `report.md` and `report.html` in its folder, written when an attached `start` sees the
 * end, else by the first `ralphctl report` after it.
 * Invariant: a run that is open has none.
 */
import { join } from 'node:path';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { htmlReport } from '../../report/html.js';
import { markdownReport } from '../../report/markdown.js';
import type { Report } from '../../report/schema.js';
import { writeAtomically } from '../../run-files/run.js';

/** Path of the page. */
export async function keepReport(root: string, ref: RunRef, report: Report): Promise<string> {
  const dir = runDir(root, ref.project, ref.runId);
  const page = join(dir, 'report.html');
  await writeAtomically(page, htmlReport(report));
  await writeAtomically(join(dir, 'report.md'), markdownReport(report));
  return page;
}
