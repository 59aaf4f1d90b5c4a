/**
 * Reads a run from its files when no worker answers or the run is over. Its pinned backlog and its events give the same
 * entries as the workflow's state, so the same functions explain them.
 * Invariant: reads only, and needs neither server nor worker.
 */
import { stat } from 'node:fs/promises';
import { toCard } from '../../backlog/cards.js';
import { runDir } from '../../config/paths.js';
import { firstState } from '../../decide/run/first-state.js';
import { RUN_TABLE } from '../../decide/run/table.js';
import { Graph } from '../../decide/scheduler/graph.js';
import { withPossible } from '../../decide/views/possible.js';
import { runStatus } from '../../decide/views/status.js';
import { addIteration, noIterations } from '../../decide/views/survey.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { spentOf } from '../../model/tally.js';

import type { Idea, IdeaCard } from '../../protocol/idea.js';
import type { IdeaCourse } from '../../protocol/idea-run.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IterationStats, RunState } from '../../protocol/states.js';
import { UserError } from '../../protocol/user-error.js';
import type { RunStatus } from '../../protocol/views.js';
import { ENDED, lastBegun } from '../../run-files/begun.js';
import { retriedIdeas } from '../../run-files/carried.js';
import { readModel } from '../../run-files/read-model.js';
import { leftOut, readableRuns } from '../../run-files/readable.js';
import { lastRevision } from '../../run-files/revisions.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from '../../run-files/run.js';
import { settingsOf } from '../../run-files/settings.js';
import { usedSoFar } from '../../run-files/usage.js';
import { warnOnce } from '../report/summaries.js';

export interface Recorded {
  run: LoadedRun;
  model: RunModel;
  settings: RunSettings;
  state: AutopilotState;
  graph: Graph;
  /** Whether the run's end is recorded. */
  over: boolean;
}

/** Undefined when this host has no files of the run that can be used; a warning names those that cannot. */
export async function recordedRun(root: string, project: string, runId: string): Promise<Recorded | undefined> {
  const ref = { project, runId };
  try {
    return await recordedWhole(root, ref);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!(error instanceof UserError) && !isMissing) throw error;
    if (!isMissing || (await stat(runDir(root, project, runId)).catch(() => undefined)))
      warnOnce(await leftOut(root, ref, error));
    return undefined;
  }
}

/** The newest run with files that can be used; warnings name newer ones. */
export async function newestRecorded(root: string, project: string): Promise<Recorded | undefined> {
  for await (const { file } of readableRuns(root, project, warnOnce)) {
    const recorded = await recordedRun(root, project, file.runId);
    if (recorded) return recorded;
  }
  return undefined;
}

async function recordedWhole(root: string, ref: { project: string; runId: string }): Promise<Recorded | undefined> {
  const { project, runId } = ref;
  const run = await withLastConfig(root, ref);
  const [found, known] = await Promise.all([readModel(root, ref), knownIdeas(root, ref)]);
  if (!found) return undefined;
  const { model, problems } = found;
  for (const problem of problems) warnOnce(problem);
  const more = [...known].filter((id) => !run.ideas.has(id));
  // The problems name those that are damaged.
  const added = await Promise.all(more.map((id) => loadIdea(root, ref, id).catch(() => undefined)));
  const ideas = [...run.ideas.values(), ...added.filter((idea) => idea !== undefined)];
  const settings = settingsOf(run.file.config, run.file.remote);
  const landed = ideas.flatMap(({ id }) => (model.ideas.get(id)?.landedBefore ? [id] : []));
  const ticked = landed.filter((id) => model.ideas.get(id)?.onlyTicked);
  const { target } = run.file;
  const carried = { abandoned: [], hints: [], retries: await retriedIdeas(root, project) };
  const { startedAt = Date.parse(run.file.createdAt) } = model;
  const state = firstState(
    { agentsQueue: '', gitQueue: '', target, cards: ideas.map((idea) => cardOf(idea, model)), landed, ticked, carried },
    settings,
    startedAt,
  );
  for (const entry of state.entries) {
    const told = model.ideas.get(entry.card.id);
    if (told) restore(entry, told);
    if (entry.status === 'landing') state.lane.push(entry.card.id);
  }
  const over = ENDED.has(model.state);
  if (model.since !== undefined) state.run = over ? 'completed' : runState(model.state);
  if (model.why) state.why = model.why;
  if (model.landing) state.landing = model.landing;
  state.totals.landings = state.entries.filter((entry) => entry.commit).length;
  if (state.budget) {
    const begun = { id: runId, createdAt: new Date(run.file.createdAt) };
    Object.assign(state.budget, await usedSoFar(root, project, begun, new Set()));
  }
  return { run, model, settings, state, graph: new Graph(state.entries, settings), over };
}

/** A person may have split it while the run was open. */
const cardOf = (idea: Idea, { ideas }: RunModel): IdeaCard =>
  toCard(ideas.get(idea.id)?.group ? { ...idea, blue: true } : idea);

/** The first configuration explains as much where the last one is damaged. */
async function withLastConfig(root: string, ref: { project: string; runId: string }): Promise<LoadedRun> {
  const config = await lastRevision(root, ref);
  if (config === 0) return loadRun(root, ref);
  return loadRun(root, { ...ref, config }).catch((error: Error) => {
    if (error instanceof UserError) warnOnce(error.message);
    return loadRun(root, ref);
  });
}

/** The run that is open while its server is down. */
export async function strandedRun(root: string, project: string): Promise<string | undefined> {
  const last = await lastBegun(root, project, warnOnce);
  return last?.over === false ? last.runId : undefined;
}

/** Some states are only how a run is shown, e.g. that it waits for a person: it goes on by itself. */
const runState = (shown: RunModel['state']): RunState =>
  Object.hasOwn(RUN_TABLE, shown) ? (shown as RunState) : 'running';

/** Puts an entry where the events left the idea. */
function restore(entry: IdeaEntry, idea: IdeaModel): void {
  const iterations = iterationsOf(idea.iterations);
  if (iterations.count > 0) entry.iterations = iterations;
  if (idea.told) entry.told = idea.told;
  if (idea.since === undefined) return;
  entry.since = idea.since;
  entry.card = { ...entry.card, title: idea.title };
  // That a Blue is done follows from its children.
  if (entry.card.blue && idea.status === 'landed') return;
  entry.status = idea.status;
  if (idea.reason) entry.reason = idea.reason;
  if (idea.commit) entry.commit = idea.commit;
  if (idea.held) entry.hold = true;
  if (idea.approval && idea.status === 'needs-human') entry.approvable = true;
  else if (idea.approval) entry.approval = true;
  if (idea.slot !== undefined) entry.slot = idea.slot;
  entry.course = courseOf(idea);
}

function courseOf({ percent, agent, model, step, asking, spent }: IdeaModel): IdeaCourse {
  return {
    ...(percent === undefined ? {} : { percent }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(step === undefined ? {} : { step: { number: step.number, of: step.of } }),
    ...(asking === undefined ? {} : { asking }),
    ...(spent.iterations > 0 ? { spent: spentOf(spent) } : {}),
  };
}

function iterationsOf(runs: IdeaModel['iterations']): IterationStats {
  return runs
    .flatMap(({ durationMs, uncharged }) => (durationMs === undefined || uncharged ? [] : [durationMs]))
    .reduce((stats, durationMs) => addIteration(stats, durationMs), noIterations());
}

export function recordedStatus({ run, state, settings, graph }: Recorded): RunStatus {
  const { project, runId } = run.file;
  return withPossible(runStatus({ project, runId }, state, settings, graph, Date.now()), state, graph);
}
