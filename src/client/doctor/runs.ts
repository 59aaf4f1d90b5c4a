/** Finds the runs of a project whose files cannot be used, which every other command leaves out. */

import { openOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import { many } from '../../protocol/many.js';
import { UserError } from '../../protocol/user-error.js';
import { eventsPath } from '../../run-files/events.js';
import { leftOut } from '../../run-files/readable.js';
import { listRuns, loadRun } from '../../run-files/run.js';
import { runFix } from '../../run-files/shapes.js';
import { type Check, ok, warn } from './check.js';

/** Maximum number of rows; a count replaces the rest. */
const MOST = 5;

export async function checkRuns(root: string, project: string): Promise<Check[]> {
  const ids = await listRuns(root, project);
  const damaged: Check[] = [];
  for (const runId of ids) {
    const found = await damageOf(root, { project, runId });
    if (found) damaged.push(found);
  }
  if (ids.length === 0) return [];
  if (damaged.length === 0) return [ok('runs', `the files of ${many(ids.length, 'run')}`)];
  const more = damaged.length - MOST;
  const rest = more > 0 ? [warn('runs', `${more} more cannot be used`, 'fix those above, then: ralphctl doctor')] : [];
  return [...damaged.slice(0, MOST), ...rest];
}

async function damageOf(root: string, ref: { project: string; runId: string }): Promise<Check | undefined> {
  const what = `run ${ref.runId}`;
  const dir = runDir(root, ref.project, ref.runId);
  try {
    await loadRun(root, ref);
  } catch (error) {
    return warn(what, sentence(await leftOut(root, ref, error), error), runFix(dir));
  }
  try {
    await (await openOwn(eventsPath(root, ref)))?.close();
  } catch (error) {
    const fix = error instanceof UserError && error.fix !== undefined ? error.fix : runFix(dir);
    return warn(what, sentence(error instanceof Error ? error.message : String(error), error), fix);
  }
  return undefined;
}

/** Without its fix, which has a place of its own. */
function sentence(text: string, error: unknown): string {
  const fix = error instanceof UserError ? error.fix : undefined;
  const end = fix !== undefined && text.endsWith(fix) ? text.length - fix.length : text.indexOf(' Move it away: ');
  return (end < 0 ? text : text.slice(0, end)).trim();
}
