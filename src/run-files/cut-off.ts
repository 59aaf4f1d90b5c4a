/**
 * Records the use of an agent run whose worker was lost: no other code can report it.
 * Invariant: a run with a result is not recorded here. An unwritable row stops nothing.
 */
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iterationDir } from '../config/paths.js';
import type { AttemptMark } from './attempts.js';
import { writeUsage } from './usage.js';

export async function bookCutOff(root: string, project: string, mark: AttemptMark | undefined): Promise<void> {
  if (!mark?.run || mark.serial === 0) return;
  const { run, idea, serial, token, startedAt } = mark;
  const dir = iterationDir(root, project, run, idea, serial);
  const hasResult = await access(join(dir, 'result.json')).then(
    () => true,
    () => false,
  );
  // Its last output, because the mark may be found hours later.
  const last = await stat(join(dir, 'output.log')).catch(() => undefined);
  const began = Date.parse(startedAt);
  if (hasResult || !last || Number.isNaN(began)) return;
  const end = Math.max(began, last.mtimeMs);
  const attempt = token.slice(token.lastIndexOf('/') + 1);
  // Whether and how much the model answered is not known: counted as unknown.
  const use = { durationMs: Math.round(end - began), turns: 1, outcome: 'lost' };
  const row = { at: new Date(end).toISOString(), run, idea, serial, agent: '', account: '', attempt, ...use };
  await writeUsage(root, project, row).catch(() => undefined);
}
