/**
 * What the next start takes of a run that is over, and in which order, as `start --dry-run` shows it.
 * Invariant: reads only. The backlog and the configuration are those of now where they can be read, else those of the
 * run.
 */
import { Graph } from '../../decide/scheduler/graph.js';
import { rounds } from '../../decide/scheduler/rounds.js';
import { bestReady } from '../../decide/scheduler/score.js';
import { landedIdeas } from '../../git/landing/landed.js';
import { partOf } from '../../model/counts.js';
import type { NextIdea, RunModel } from '../../model/model.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { amended } from '../../run-files/amendments.js';
import { knownIdeas, loadIdea, loadNewest } from '../../run-files/run.js';
import { settingsOf } from '../../run-files/settings.js';
import type { RunFile } from '../../run-files/shapes.js';
import { needNoWork, repositoryPath } from '../../run-files/ticks.js';
import { beginning } from '../plan/beginning.js';
import type { NextBacklog } from '../plan/next-backlog.js';
import { configFor } from '../plan/run-config.js';
import { wantedAgain } from '../plan/wanted-again.js';

export interface Next {
  order: string[];
  /** Absent where the backlog of now is unknown. */
  ideas?: ReadonlyMap<string, NextIdea>;
}

/** Empty where nothing says: without files of the run, and after waves, because each reads its source anew. */
export async function nextOrder(root: string, model: RunModel, now?: NextBacklog): Promise<Next> {
  const ref = { project: model.project, runId: model.runId };
  const { file, ideas } = await loadNewest(root, ref);
  if (file.waves) return { order: [] };
  if (now) return ofNow(root, file, now, model.target);
  const begins = await asBegun(root, model, { file, ideas });
  return { order: [...(await ranked(root, begins, settingsOf(file.config))).keys()] };
}

/** The best of the ideas that are ready now, as an open run with very many ideas ranks them. */
export async function bestNow(root: string, model: RunModel, most: number): Promise<string[]> {
  const found = await loadNewest(root, { project: model.project, runId: model.runId });
  if (found.file.waves) return [];
  const settings = settingsOf(found.file.config);
  const { entries } = await beginning(root, await asBegun(root, model, found), settings);
  // What has begun is in no pool.
  for (const entry of entries) entry.status = model.ideas.get(entry.card.id)?.status ?? entry.status;
  return bestReady(new Graph(entries, settings), settings.weights, most);
}

async function asBegun(
  root: string,
  model: RunModel,
  { file, ideas }: Pick<Awaited<ReturnType<typeof loadNewest>>, 'file' | 'ideas'>,
): Promise<Parameters<typeof beginning>[1]> {
  const ref = { project: model.project, runId: model.runId };
  const known = [...(await knownIdeas(root, ref))].filter((id) => !ideas.has(id));
  const added = (await Promise.all(known.map((id) => loadIdea(root, ref, id)))).filter((one) => one !== undefined);
  const landed = [...model.ideas.values()].flatMap(({ id, group, status }) =>
    !group && status === 'landed' ? [id] : [],
  );
  return { project: ref.project, target: file.target, ideas: [...ideas.values(), ...added], landed };
}

/** The same steps as a plan, without its checks: those ask git much, and a screen asks often. */
async function ofNow(root: string, file: RunFile, now: NextBacklog, target: string): Promise<Next> {
  const { project, repo } = file;
  const backlog = { file: now.file, format: now.format, sha256: now.sha256 };
  const again = await wantedAgain({ root, project }, { repo, target, backlog }, now.written);
  const written = now.written.map((idea): Idea => (again.includes(idea.id) ? { ...idea, done: false } : idea));
  const onTarget = (await landedIdeas(repo, target, repositoryPath(repo, now.file))).filter(
    (id) => !again.includes(id),
  );
  const { ideas } = await amended(root, project, written, async () => new Set(onTarget));
  const landed = needNoWork(ideas, new Set(onTarget), again);
  const settings = settingsOf(configFor(now.config, {}, { format: now.format, waves: false }));
  const found = await ranked(root, { project, target, ideas, landed, again }, settings);
  return { order: [...found.keys()], ideas: found };
}

/** The ideas by rounds, then those that wait for ideas that stay out. */
async function ranked(
  root: string,
  begins: Parameters<typeof beginning>[1],
  settings: RunSettings,
): Promise<Map<string, NextIdea>> {
  const { entries } = await beginning(root, begins, settings);
  // The rounds take the ideas out of the pool.
  const before = new Graph(structuredClone(entries), settings);
  const titles = new Map(begins.ideas.map(({ id, title }) => [id, title]));
  const one = (id: string): [string, NextIdea] => {
    const after = before.waitsFor(id)[0];
    return [id, { title: titles.get(id) ?? id, ...(after === undefined ? {} : { after }) }];
  };
  const todo = entries.flatMap(({ card, ...entry }) => (!card.blue && partOf(entry) === 'todo' ? [card.id] : []));
  const placed = rounds(new Graph(entries, settings), settings.weights).map(({ id }) => id);
  return new Map([...new Set([...placed, ...todo])].map(one));
}
