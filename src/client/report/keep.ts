/**
 * Writes `report.md` and `report.html` into the run's folder. An attached `start` does so when it sees the end,
 * otherwise the first `ralphctl report` after it.
 * Invariant: an open run has none.
 */
import { join } from 'node:path';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { htmlReport } from '../../report/html.js';
import { markdownReport } from '../../report/markdown.js';
import type { Report } from '../../report/schema.js';
import { writeAtomically } from '../../run-files/run.js';

/** Returns the path of the page. */
export async function keepReport(root: string, ref: RunRef, report: Report): Promise<string> {
  const dir = runDir(root, ref.project, ref.runId);
  const page = join(dir, 'report.html');
  await writeAtomically(page, htmlReport(report));
  await writeAtomically(join(dir, 'report.md'), markdownReport(report));
  return page;
}
