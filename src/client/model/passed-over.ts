/** Newer runs than the shown one, whose files cannot be read: nothing else of them is shown. Invariant: reads only. */
import type { RunRef } from '../../protocol/run-ref.js';
import { readable } from '../../run-files/readable.js';
import { listRuns } from '../../run-files/run.js';

/** A sentence for each, and one line about all of them. */
export async function passedOver(
  root: string,
  { project, runId }: RunRef,
): Promise<{ text: string | undefined; short: string }> {
  const texts: string[] = [];
  for (const one of await listRuns(root, project).catch(() => []))
    if (one > runId) await readable(root, { project, runId: one }, (problem) => texts.push(problem));
  const runs = texts.length === 1 ? 'run is' : 'runs are';
  return { text: texts.join('. ') || undefined, short: `${texts.length} newer ${runs} left out: ralphctl doctor` };
}
