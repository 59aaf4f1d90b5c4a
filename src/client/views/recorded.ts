/**
 * Reads a run from its files when no worker answers or the run is over. Its pinned backlog and its events give the same
 * entries as the workflow's state, so the same functions explain them.
 * Invariant: reads only, and needs neither server nor worker.
 */
import { toCard } from '../../backlog/cards.js';
import { StoredFileError } from '../../config/stored.js';
import { firstState } from '../../decide/run/first-state.js';
import { RUN_TABLE } from '../../decide/run/table.js';
import { Graph } from '../../decide/scheduler/graph.js';
import { runStatus } from '../../decide/views/status.js';
import { addIteration, noIterations } from '../../decide/views/survey.js';
import { landedIdeas } from '../../git/landing/landed.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IterationStats, RunState, ShownState } from '../../protocol/states.js';
import type { RunStatus } from '../../protocol/views.js';
import { retriedIdeas } from '../../run-files/carried.js';
import { type IdeaRecord, type RunRecord, readRecord } from '../../run-files/idea-record.js';
import { lastRevision } from '../../run-files/revisions.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from '../../run-files/run.js';
import { settingsOf } from '../../run-files/settings.js';
import { needNoWork } from '../../run-files/ticks.js';

/** The last states of a run. */
const ENDED = new Set(['completed', 'stopped', 'aborted']);

export interface Recorded {
  run: LoadedRun;
  record: RunRecord;
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
  const [record, known, onTarget] = await Promise.all([
    readRecord(root, ref),
    knownIdeas(root, ref),
    landedIdeas(run.file.repo, run.file.target).catch(() => []),
  ]);
  const added = await Promise.all([...known].filter((id) => !run.ideas.has(id)).map((id) => loadIdea(root, ref, id)));
  const ideas = [...run.ideas.values(), ...added.filter((idea) => idea !== undefined)];
  const settings = settingsOf(run.file.config);
  const landed = needNoWork(ideas, new Set(onTarget), run.file.again);
  const { target } = run.file;
  const carried = { abandoned: [], hints: [], retries: await retriedIdeas(root, project) };
  const startedAt = Date.parse(record.startedAt ?? run.file.createdAt);
  const state = firstState(
    { agentsQueue: '', gitQueue: '', target, cards: ideas.map(toCard), landed, carried },
    settings,
    startedAt,
  );
  for (const entry of state.entries) {
    const told = record.ideas.get(entry.card.id);
    if (told) restore(entry, told);
    if (entry.status === 'landing') state.lane.push(entry.card.id);
  }
  const { run: last } = record;
  const over = last !== undefined && ENDED.has(last.state);
  if (last) state.run = over ? 'completed' : runState(last.state);
  if (last?.why) state.why = last.why;
  if (record.landing) state.landing = record.landing;
  state.totals.landings = state.entries.filter((entry) => entry.commit).length;
  return { run, record, settings, state, graph: new Graph(state.entries, settings), over };
}

/** Some states are only for display, for example that the run waits for a person: it resumes by itself. */
const runState = (shown: ShownState): RunState => (Object.hasOwn(RUN_TABLE, shown) ? (shown as RunState) : 'running');

/** Gives an entry the status that the events gave the idea. */
function restore(entry: IdeaEntry, { last, runs, told }: IdeaRecord): void {
  const iterations = iterationsOf(runs);
  if (iterations.count > 0) entry.iterations = iterations;
  if (told) entry.told = told;
  if (!last) return;
  entry.card = { ...entry.card, title: last.title };
  // The status of a Blue follows from its children.
  if (entry.card.blue && last.status === 'landed') return;
  entry.status = last.status;
  if (last.reason) entry.reason = last.reason;
  if (last.commit) entry.commit = last.commit;
  if (last.held) entry.hold = true;
  if (last.approval && last.status === 'needs-human') entry.approvable = true;
  else if (last.approval) entry.approval = true;
  const slot = Number(/\d+$/.exec(last.agentName ?? '')?.[0]);
  if (slot > 0) entry.slot = slot;
}

/** Another run of the same number follows a run that was not charged. */
function iterationsOf(runs: IdeaRecord['runs']): IterationStats {
  const ends = runs.flatMap(({ ended }) => ended ?? []);
  return ends
    .filter((end, at) => ends[at + 1]?.iteration !== end.iteration)
    .reduce((stats, { durationMs }) => addIteration(stats, durationMs), noIterations());
}

export function recordedStatus({ run, state, settings, graph }: Recorded): RunStatus {
  const { project, runId } = run.file;
  return runStatus({ project, runId }, state, settings, graph, Date.now());
}
