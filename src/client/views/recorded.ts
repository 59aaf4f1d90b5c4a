/**
 * Reads a run from its files when no worker answers or the run is over. Its pinned backlog and its events give the same
 * entries as the workflow's state, so the same functions explain them.
 * Invariant: reads only, and needs neither server nor worker.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toCard } from '../../backlog/cards.js';
import { runDir } from '../../config/paths.js';
import { StoredFileError } from '../../config/stored-error.js';
import { firstState } from '../../decide/run/first-state.js';
import { RUN_TABLE } from '../../decide/run/table.js';
import { Graph } from '../../decide/scheduler/graph.js';
import { runStatus } from '../../decide/views/status.js';
import { addIteration, noIterations } from '../../decide/views/survey.js';
import type { IdeaModel, RunModel, Tally } from '../../model/model.js';
import type { Spent } from '../../protocol/budget.js';
import type { IdeaCourse } from '../../protocol/idea-run.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IterationStats, RunState } from '../../protocol/states.js';
import type { RunStatus } from '../../protocol/views.js';
import { retriedIdeas } from '../../run-files/carried.js';
import { hasBegun, readModel } from '../../run-files/read-model.js';
import { lastRevision } from '../../run-files/revisions.js';
import { knownIdeas, type LoadedRun, listRuns, loadIdea, loadRun } from '../../run-files/run.js';
import { settingsOf } from '../../run-files/settings.js';
import { usedSoFar } from '../../run-files/usage.js';

/** The last states of a run. */
const ENDED = new Set(['completed', 'stopped', 'aborted']);

export interface Recorded {
  run: LoadedRun;
  model: RunModel;
  settings: RunSettings;
  state: AutopilotState;
  graph: Graph;
  /** Whether the run's end is recorded. */
  over: boolean;
}

function unlessDamaged(error: unknown): undefined {
  if (error instanceof StoredFileError) throw error;
  return undefined;
}

/**
 * Undefined when this host has no files of the run.
 * @throws StoredFileError when they are damaged or of a newer version
 */
export async function recordedRun(root: string, project: string, runId: string): Promise<Recorded | undefined> {
  const ref = { project, runId };
  const config = await lastRevision(root, ref);
  const run = await loadRun(root, config > 0 ? { ...ref, config } : ref).catch(unlessDamaged);
  if (!run) return undefined;
  const [found, known] = await Promise.all([readModel(root, ref), knownIdeas(root, ref)]);
  if (!found) return undefined;
  const { model } = found;
  const added = await Promise.all([...known].filter((id) => !run.ideas.has(id)).map((id) => loadIdea(root, ref, id)));
  const ideas = [...run.ideas.values(), ...added.filter((idea) => idea !== undefined)];
  const settings = settingsOf(run.file.config, run.file.remote);
  const landed = ideas.flatMap(({ id }) => (model.ideas.get(id)?.landedBefore ? [id] : []));
  const { target } = run.file;
  const carried = { abandoned: [], hints: [], retries: await retriedIdeas(root, project) };
  const { startedAt = Date.parse(run.file.createdAt) } = model;
  const state = firstState(
    { agentsQueue: '', gitQueue: '', target, cards: ideas.map(toCard), landed, carried },
    settings,
    startedAt,
  );
  for (const entry of state.entries) {
    const told = model.ideas.get(entry.card.id);
    if (told) restore(entry, told);
    if (entry.status === 'landing') state.lane.push(entry.card.id);
  }
  const over = ENDED.has(model.state);
  if (saysState(model)) state.run = over ? 'completed' : runState(model.state);
  if (model.why) state.why = model.why;
  if (model.landing) state.landing = model.landing;
  state.totals.landings = state.entries.filter((entry) => entry.commit).length;
  if (state.budget) {
    const begun = { id: runId, createdAt: new Date(run.file.createdAt) };
    Object.assign(state.budget, await usedSoFar(root, project, begun, new Set()));
  }
  return { run, model, settings, state, graph: new Graph(state.entries, settings), over };
}

/** The run has told its state. */
export const saysState = ({ since }: RunModel): boolean => since !== undefined;

/** The run that is open while its server is down. */
export async function strandedRun(root: string, project: string): Promise<string | undefined> {
  for (const runId of await listRuns(root, project)) {
    const ended = await stat(join(runDir(root, project, runId), 'summary.json')).catch(() => undefined);
    if (ended) return undefined;
    if (await hasBegun(root, { project, runId })) return runId;
  }
  return undefined;
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

const spentOf = ({ iterations, ms, tokensIn, tokensOut, dollars, unknownTokens, unknownDollars }: Tally): Spent => ({
  ...{ iterations, ms, tokens: tokensIn + tokensOut, dollars, unknownTokens, unknownDollars },
});

function iterationsOf(runs: IdeaModel['iterations']): IterationStats {
  return runs
    .flatMap(({ durationMs, uncharged }) => (durationMs === undefined || uncharged ? [] : [durationMs]))
    .reduce((stats, durationMs) => addIteration(stats, durationMs), noIterations());
}

export function recordedStatus({ run, state, settings, graph }: Recorded): RunStatus {
  const { project, runId } = run.file;
  return runStatus({ project, runId }, state, settings, graph, Date.now());
}
