/**
 * Views of a run for people: status, statistics and its result (A8).
 * May import protocol and decide only.
 */
import { many } from '../../protocol/many.js';
import { type AutopilotState, type IdeaEntry, MOST_NOT_LANDED, type RunSummary } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { MAY_BE_FINISHED, WAITS_FOR_YOU } from '../../protocol/states.js';
import type { IdeaLine, LeftOut, RunStatistics, RunStatus } from '../../protocol/views.js';
import type { WarningLine } from '../../protocol/warnings.js';
import { AccountBreakers } from '../accounts/breaker.js';
import { budgetWarnings, runBudgetLines } from '../budget/run.js';
import { deliveryLine, heldAfterRun } from '../delivery/push.js';
import { moneyFacts, resumeCommand } from '../run/control.js';
import { legalInterventions, type RunFacts } from '../run/table.js';
import { targetWarning } from '../run/target-busy.js';
import type { Graph } from '../scheduler/graph.js';
import { bestReady, score } from '../scheduler/score.js';
import { agentName } from '../scheduler/slots.js';
import { isInReview } from '../scheduler/stack.js';
import { wavesLine } from '../waves/rest.js';
import { notLandedOf } from './progress.js';
import { runStanding } from './standing.js';
import { addStats, landedBefore, MAX_LISTED, runSpent, type Survey, survey } from './survey.js';

export const NEXT_SHOWN = 10;

export function ideaLine(entry: IdeaEntry): IdeaLine {
  return {
    id: entry.card.id,
    title: entry.card.title,
    status: entry.status,
    agentName: entry.slot === undefined ? undefined : agentName(entry.slot),
    beside: entry.beside,
    gating: entry.gating,
    reason: entry.reason || undefined,
    single: entry.card.single,
    held: entry.hold,
    approval: approvalOf(entry),
    busy: entry.busy,
    review: reviewOf(entry),
    below: belowOf(entry),
    since: entry.since,
    course: courseOf(entry),
    retries: entry.retries > 0 ? entry.retries : undefined,
    commit: entry.commit || undefined,
    iterations: entry.iterations,
  };
}

/** What its next iteration or landing waits for, or what answers its question. */
export const approvalOf = ({ approval, approvable }: IdeaEntry): true | undefined => approval ?? approvable;

function reviewOf(entry: IdeaEntry): IdeaLine['review'] {
  const { review } = entry;
  return review && isInReview(entry) ? { number: review.number, url: review.url } : undefined;
}

function belowOf({ below, status }: IdeaEntry): IdeaLine['below'] {
  return below && status !== 'pending' ? { idea: below.idea, number: below.number } : undefined;
}

/** An idea that failed or waits is not finished, whatever its agent said. */
function courseOf({ course, status, approvable, approval, donePaused }: IdeaEntry): IdeaEntry['course'] {
  if (course?.percent === undefined || course.percent < 100) return course;
  if (MAY_BE_FINISHED.has(status) || approvable || approval || donePaused) return course;
  const { percent: _, ...rest } = course;
  return rest;
}

export function statistics(state: AutopilotState, now: number, found: Survey = survey(state.entries)): RunStatistics {
  const { counts, total } = found;
  const iterations = addStats(state.totals.iterations, found.iterations);
  const failed = counts.failed + counts.blocked + counts.timeout;
  return {
    runtimeMs: now - state.totals.startedAt,
    startedAt: state.totals.startedAt,
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
      conflictsResolved: found.conflictsResolved,
      pending: state.lane.length,
    },
  };
}

/** The warnings about the run itself. */
export function runWarnings(state: AutopilotState, settings: RunSettings): WarningLine[] {
  const { failuresInARow: failed, budget } = state;
  const lines: WarningLine[] = [];
  if (settings.errorThreshold > 0 && failed >= settings.errorThreshold) {
    lines.push({
      kind: 'errors',
      text: `${many(failed, 'idea')} failed one after another; look at ${failed === 1 ? 'it' : 'them'}, then resume with: ralphctl review`,
    });
  }
  if (budget && settings.budget) lines.push(...budgetWarnings(budget, settings.budget));
  const push = deliveryLine(state.delivery, settings.delivery);
  if (push) lines.push({ kind: 'push', text: push.text, ...(push.since === undefined ? {} : { since: push.since }) });
  const busy = targetWarning(state);
  if (busy) lines.push(busy);
  return lines;
}

/** `next`: what the ready pool already knows; otherwise this scores all ready ideas. */
export function runStatus(
  ref: { project: string; runId: string; config?: number },
  state: AutopilotState,
  settings: RunSettings,
  graph: Graph,
  now: number,
  next = bestReady(graph, settings.weights, NEXT_SHOWN),
): RunStatus {
  const accounts = state.limits
    ? new AccountBreakers(state.limits, settings).lines().filter((line) => line.state !== 'open')
    : [];
  const { run, why: reason, until } = runStanding(state, graph);
  const budget = state.budget && settings.budget ? runBudgetLines(state.budget, settings.budget) : [];
  const found = survey(state.entries);
  const warnings = runWarnings(state, settings);
  for (const { card, warnings: own = [] } of found.warned.shown) {
    for (const warning of own) if (warnings.length < MAX_LISTED) warnings.push({ idea: card.id, ...warning });
  }
  const more = leftOut({
    active: found.active.total - found.active.shown.length,
    attention: found.attention.total - found.attention.shown.length,
    held: found.held.total - found.held.shown.length,
    lane: state.lane.length - MAX_LISTED,
    warnings: found.warned.total - found.warned.shown.length,
  });
  return {
    project: ref.project,
    runId: ref.runId,
    config: ref.config,
    state: run,
    since: run === WAITS_FOR_YOU ? lastChange(state) : undefined,
    why: reason || undefined,
    resumesAt: until,
    accounts: accounts.length > 0 ? accounts : undefined,
    warnings: warnings.length > 0 ? warnings : undefined,
    budget: budget.length > 0 ? budget : undefined,
    target: state.target,
    slots: state.slots,
    mode: state.mode ?? 'autopilot',
    review: state.review,
    resume: resumeCommand(state, settings),
    possible: legalInterventions(factsOf(state, settings, found)),
    counts: found.counts,
    landedBefore: landedBefore(state.entries),
    total: found.total,
    active: found.active.shown.map(ideaLine),
    attention: found.attention.shown.map(ideaLine),
    held: found.held.total > 0 ? found.held.shown.map(ideaLine) : undefined,
    approvals: found.approvals,
    errands: found.gitTasks,
    more,
    lane: state.lane.slice(0, MAX_LISTED),
    landing: state.landing || undefined,
    next: state.run === 'stopping' ? [] : next,
    scores: Object.fromEntries(
      next.flatMap((id) => {
        const entry = graph.entry(id);
        return entry ? [[id, score(entry, graph, settings.weights)] as const] : [];
      }),
    ),
    spent: runSpent(state),
    delivery: deliveryLine(state.delivery, settings.delivery),
    waves: wavesLine(state, settings, graph),
    statistics: statistics(state, now, found),
  };
}

/** A run comes to wait for a person with the last change of an idea. */
function lastChange({ entries }: AutopilotState): number | undefined {
  let last: number | undefined;
  for (const { since } of entries) if (since !== undefined && since > (last ?? 0)) last = since;
  return last;
}

/** The number left out of each list; undefined when nothing is. */
function leftOut(counts: Required<LeftOut>): LeftOut | undefined {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

const factsOf = (state: AutopilotState, settings: RunSettings, { pausedIdeas, approvals }: Survey): RunFacts => ({
  state: state.run,
  mode: state.mode ?? 'autopilot',
  review: state.review === true,
  pausedIdeas,
  asking: approvals,
  ...moneyFacts(state, settings),
});

/** Commands in an idea's reason that need an open run. A new run starts everything that has not landed. */
const afterTheRun = (reason: string): string =>
  reason.replace(
    /ralphctl (?:retry(?: --fresh)?|resume|unblock|limit|approve|review)\b(?! [\w.-]+ --take-over)(?: [\w.-]+)?(?: \d+)?/g,
    'ralphctl start',
  );

/** The result of a run: its result in Temporal, and `summary.json`. */
export function runSummary(
  outcome: RunSummary['outcome'],
  entries: readonly IdeaEntry[],
  status: RunStatus,
): RunSummary {
  const notLanded = notLandedOf(entries)
    .slice(0, MOST_NOT_LANDED)
    .map(({ card, status: state, reason, takenOff }) => ({
      idea: card.id,
      status: state,
      // No start runs what a rollback took off, before its retry.
      reason: reason ? (takenOff ? reason : afterTheRun(reason)) : undefined,
    }));
  const before = landedBefore(entries);
  return {
    ...{ outcome, landed: status.counts.landed, landedBefore: before > 0 ? before : undefined, notLanded },
    status: pushAfterTheRun(status),
  };
}

function pushAfterTheRun(status: RunStatus): RunStatus {
  const { delivery, warnings } = status;
  if (!delivery) return status;
  const text = heldAfterRun(delivery.text);
  return {
    ...status,
    delivery: { ...delivery, text },
    warnings: warnings?.map((one) => (one.kind === 'push' ? { ...one, text } : one)),
  };
}
