/**
 * What a person is shown of a run: the status view, the explanation of one idea, statistics (A8).
 * May import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry, IdeaStatus, RunState, RunSummary } from '../protocol/run.js';
import type { RunSettings } from '../protocol/run-settings.js';
import type { IdeaLine, RunStatistics, RunStatus, WhyView } from '../protocol/views.js';
import type { WarningLine } from '../protocol/warnings.js';
import { Gates } from './gates.js';
import type { Graph } from './graph.js';
import { legalCommands as legalForIdea, situationOf } from './idea-table.js';
import { addStats } from './iterations.js';
import { budgetWarnings, runBudgetLines } from './run-budget.js';
import { legalCommands, type RunFacts } from './run-table.js';
import { rankReady, scoreParts } from './score.js';
import { agentName } from './slots.js';

const NEXT_SHOWN = 10;
/** Most ideas listed one by one, so that the answer fits a payload however large the run; `counts` has all of them. */
export const MAX_LISTED = 200;

/** Counts leave Blues out: they are never executed themselves. */
export function countByStatus(entries: readonly IdeaEntry[]): Record<IdeaStatus, number> {
  const counts: Record<IdeaStatus, number> = {
    pending: 0,
    running: 0,
    paused: 0,
    'needs-human': 0,
    'wants-slot': 0,
    landing: 0,
    landed: 0,
    blocked: 0,
    timeout: 0,
    failed: 0,
    skipped: 0,
    abandoned: 0,
  };
  for (const entry of entries) if (!entry.card.blue) counts[entry.status] += 1;
  return counts;
}

export function ideaLine(entry: IdeaEntry): IdeaLine {
  return {
    id: entry.card.id,
    title: entry.card.title,
    status: entry.status,
    ...(entry.slot === undefined ? {} : { agentName: agentName(entry.slot) }),
    ...(entry.reason ? { reason: entry.reason } : {}),
    ...(entry.hold ? { held: true as const } : {}),
    ...(entry.approval ? { approval: true as const } : {}),
    ...(entry.busy ? { busy: entry.busy } : {}),
    ...(entry.iterations ? { iterations: entry.iterations } : {}),
  };
}

export function statistics(state: AutopilotState, now: number): RunStatistics {
  const counts = countByStatus(state.entries);
  let iterations = state.totals.iterations;
  for (const entry of state.entries) if (entry.iterations) iterations = addStats(iterations, entry.iterations);
  const failed = counts.failed + counts.blocked + counts.timeout;
  const total = state.entries.filter((entry) => !entry.card.blue).length;
  const conflictsResolved = state.entries.filter((entry) => entry.status === 'landed' && entry.rounds > 0).length;
  return {
    runtimeMs: now - state.totals.startedAt,
    landed: counts.landed,
    failed,
    remaining: total - counts.landed - failed - counts.skipped - counts.abandoned,
    iterations: {
      total: iterations.count,
      averageMs: iterations.count === 0 ? 0 : Math.round(iterations.totalMs / iterations.count),
      fastestMs: iterations.minMs,
      slowestMs: iterations.maxMs,
    },
    merges: {
      landed: state.totals.landings,
      conflictsResolved,
      pending: state.lane.length,
    },
  };
}

/** All that a person is warned of: the run itself first, then its ideas. */
export function warningLines(state: AutopilotState, settings: RunSettings): WarningLine[] {
  const { failuresInARow: failed, budget, entries } = state;
  const lines: WarningLine[] = [];
  if (settings.errorThreshold > 0 && failed >= settings.errorThreshold) {
    lines.push({ kind: 'errors', text: `${failed} ideas failed one after another; look at them, then resume or stop` });
  }
  if (budget && settings.budget) lines.push(...budgetWarnings(budget, settings.budget));
  for (const { card, warnings = [] } of entries) {
    for (const warning of warnings) if (lines.length < MAX_LISTED) lines.push({ idea: card.id, ...warning });
  }
  return lines;
}

/** How the run stands, as people see it: one that waits for its agents' limits is paused, and goes on by itself. */
export function runStanding(state: AutopilotState): { run: RunState; why?: string; until?: number } {
  const { run, why: reason, limits, budget } = state;
  if ((run === 'running' || run === 'waiting_user') && limits?.still) return { run: 'paused', ...limits.still };
  if (run === 'paused' && budget?.paused === 'day')
    return { run, ...(reason ? { why: reason } : {}), until: budget.dayEndsAt };
  return { run, ...(reason ? { why: reason } : {}) };
}

export function runStatus(
  ref: { project: string; runId: string },
  state: AutopilotState,
  settings: RunSettings,
  graph: Graph,
  now: number,
): RunStatus {
  const accounts = state.limits
    ? new Gates(state.limits, settings).lines().filter((line) => line.state !== 'open')
    : [];
  const { run, why: reason, until } = runStanding(state);
  const budget = state.budget && settings.budget ? runBudgetLines(state.budget, settings.budget) : [];
  const warnings = warningLines(state, settings);
  return {
    project: ref.project,
    runId: ref.runId,
    state: run,
    ...(reason ? { why: reason } : {}),
    ...(until === undefined ? {} : { resumesAt: until }),
    ...(accounts.length > 0 ? { accounts } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(budget.length > 0 ? { budget } : {}),
    target: state.target,
    slots: state.slots,
    mode: state.mode ?? 'autopilot',
    ...(state.review ? { review: true as const } : {}),
    possible: legalCommands(factsOf(state)),
    counts: countByStatus(state.entries),
    total: state.entries.filter((entry) => !entry.card.blue).length,
    active: listed(state, ['running', 'paused', 'wants-slot', 'landing']),
    attention: listed(state, ['needs-human', 'blocked', 'failed', 'timeout'], waitsForPerson),
    lane: state.lane.slice(0, MAX_LISTED),
    ...(state.landing ? { landing: state.landing } : {}),
    next: rankReady(graph, settings.weights).slice(0, NEXT_SHOWN),
    statistics: statistics(state, now),
  };
}

/** Status by status in the given order, backlog order within one. */
function listed(
  state: AutopilotState,
  statuses: readonly IdeaStatus[],
  also: (entry: IdeaEntry) => boolean = () => false,
): IdeaLine[] {
  const found = new Map<IdeaStatus, IdeaEntry[]>(statuses.map((status) => [status, []]));
  const others: IdeaEntry[] = [];
  for (const entry of state.entries) (found.get(entry.status) ?? (also(entry) ? others : undefined))?.push(entry);
  return [...found.values(), others].flat().slice(0, MAX_LISTED).map(ideaLine);
}

/** Held back by a person, or waiting for an approval: nothing happens to it before a person says so. */
const waitsForPerson = ({ approval, hold, status }: IdeaEntry): boolean =>
  approval === true || (hold === true && status === 'pending');

function factsOf(state: AutopilotState): RunFacts {
  let pausedIdeas = 0;
  let asking = 0;
  for (const { approval, status, pauseAsked } of state.entries) {
    if (approval) asking += 1;
    else if (status === 'paused' || pauseAsked) pausedIdeas += 1;
  }
  return { state: state.run, mode: state.mode ?? 'autopilot', review: state.review === true, pausedIdeas, asking };
}

/** `landing`: the idea that is landing now. */
export function why(id: string, settings: RunSettings, graph: Graph, landing?: string): WhyView | undefined {
  const entry = graph.entry(id);
  if (!entry) return undefined;
  const parts = scoreParts(entry, graph, settings.weights);
  const rank = entry.status === 'pending' ? rankReady(graph, settings.weights).indexOf(id) + 1 : 0;
  return {
    idea: id,
    title: entry.card.title,
    status: graph.isDone(id) ? 'landed' : entry.status,
    score: parts.reduce((sum, part) => sum + part.value, 0),
    parts,
    ...(rank > 0 ? { rank } : {}),
    waitsFor: graph.waitsFor(id).map((dep) => `${dep} (${describeWait(dep, graph)})`),
    ...(entry.reason ? { reason: entry.reason } : {}),
    ...(entry.told ? { told: entry.told } : {}),
    ...(entry.hold ? { held: true as const } : {}),
    possible: legalForIdea(situationOf(entry, landing)),
  };
}

function describeWait(id: string, graph: Graph): string {
  const entry = graph.entry(id);
  if (!entry) return 'unknown';
  return entry.card.blue ? 'its children are not all done' : entry.status;
}

/** Ideas that did not land and are named in a summary: the result of a workflow must stay a small payload. */
const NOT_LANDED_SHOWN = 1000;

/** What a run leaves behind: its result in Temporal, and `summary.json`. */
export function runSummary(
  outcome: RunSummary['outcome'],
  entries: readonly IdeaEntry[],
  status: RunStatus,
): RunSummary {
  const notLanded = entries
    .filter((entry) => !entry.card.blue && entry.status !== 'landed')
    .slice(0, NOT_LANDED_SHOWN)
    .map(({ card, status: state, reason }) => ({ idea: card.id, status: state, ...(reason ? { reason } : {}) }));
  // What this run landed has the commit that it landed as.
  const before = entries.filter((entry) => !entry.card.blue && entry.status === 'landed' && !entry.commit).length;
  return { outcome, landed: status.counts.landed, ...(before > 0 ? { landedBefore: before } : {}), notLanded, status };
}
