/**
 * The order in which the next start takes the ideas of a run that is over, as `start --dry-run` shows it.
 * Invariant: reads only. The ideas are those of the run; the backlog may have changed since.
 */
import { Graph } from '../../decide/scheduler/graph.js';
import { rounds } from '../../decide/scheduler/rounds.js';
import type { RunModel } from '../../model/model.js';
import { lastRevision } from '../../run-files/revisions.js';
import { knownIdeas, loadIdea, loadRun } from '../../run-files/run.js';
import { settingsOf } from '../../run-files/settings.js';
import { beginning } from '../plan/beginning.js';

/** Empty where nothing says: without files of the run, and after waves, because each reads its source anew. */
export async function nextOrder(root: string, model: RunModel): Promise<string[]> {
  const ref = { project: model.project, runId: model.runId };
  const config = await lastRevision(root, ref);
  const { file, ideas } = await loadRun(root, config > 0 ? { ...ref, config } : ref);
  if (file.waves) return [];
  const known = [...(await knownIdeas(root, ref))].filter((id) => !ideas.has(id));
  const added = (await Promise.all(known.map((id) => loadIdea(root, ref, id)))).filter((one) => one !== undefined);
  const landed = [...model.ideas.values()].flatMap(({ id, group, status }) =>
    !group && status === 'landed' ? [id] : [],
  );
  const settings = settingsOf(file.config);
  const begins = { project: ref.project, target: file.target, ideas: [...ideas.values(), ...added], landed };
  const { entries } = await beginning(root, begins, settings);
  return rounds(new Graph(entries, settings), settings.weights).map(({ id }) => id);
}
