/**
 * Takes into the model of a run that has told nothing yet which ideas it will leave out, so that its first counts are
 * those of the dry run.
 * Invariant: reads only. The events of the run overrule it.
 */
import { stat } from 'node:fs/promises';
import { count } from '../../model/counts.js';
import type { RunModel } from '../../model/model.js';
import { eventsPath } from '../../run-files/events.js';
import { keptForNext, leftOutOf } from '../../run-files/kept.js';
import type { RunFile } from '../../run-files/shapes.js';
import { readSummary } from '../../run-files/summary.js';

export async function takeLeftOut(root: string, model: RunModel, { again }: RunFile): Promise<void> {
  const { project, runId } = model;
  const told = await stat(eventsPath(root, { project, runId })).catch(() => undefined);
  if ((told && told.size > 0) || (await readSummary(root, { project, runId }, () => {}))) return;
  const kept = await keptForNext(root, project, runId).catch(() => []);
  const open = [...model.ideas.values()].filter(({ group, status }) => !group && status !== 'landed');
  const out = new Set(
    leftOutOf(
      kept,
      open.map(({ id }) => id),
      again,
    ),
  );
  const givenUp = new Set(kept.filter(({ abandoned }) => abandoned).map(({ idea }) => idea));
  for (const idea of open) {
    if (!out.has(idea.id)) continue;
    count(model.counts, idea, -1);
    idea.status = givenUp.has(idea.id) ? 'abandoned' : 'skipped';
    count(model.counts, idea, 1);
  }
}
