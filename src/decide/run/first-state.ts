/** The state a run begins with. May import protocol and decide only. */
import type { CarriedOver, KeptCommand, OpenRunResult } from '../../protocol/activities.js';
import type { RunMode } from '../../protocol/command.js';
import type { IdeaCard } from '../../protocol/idea.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { RunState } from '../../protocol/states.js';
import { firstBudget } from '../budget/run.js';
import { addPatch } from '../idea/amendments.js';
import { FIRST } from '../scheduler/score.js';
import { noIterations } from '../views/survey.js';
import { RUN_TABLE } from './table.js';

const newEntry = (card: IdeaCard): IdeaEntry => ({
  card,
  status: 'pending',
  seq: 0,
  life: 0,
  retries: 0,
  rounds: 0,
});

/** Commands from earlier runs still apply. */
export function firstEntry(card: IdeaCard, landed: boolean | 'ticked', retries = 0, carried?: CarriedOver): IdeaEntry {
  const entry = newEntry(card);
  if (landed) return { ...entry, status: 'landed', ...(landed === 'ticked' ? { ticked: true } : {}) };
  const notes = carried?.hints.find(({ idea }) => idea === card.id)?.notes;
  const abandoned = carried?.abandoned.find(({ idea }) => idea === card.id);
  const first: IdeaEntry = {
    ...entry,
    ...(notes ? { notes } : {}),
    retries,
    ...(abandoned
      ? { status: 'abandoned', reason: `${abandoned.reason ?? 'abandoned by a person'} (in an earlier run)` }
      : {}),
  };
  for (const one of carried?.kept ?? []) if (one.idea === card.id) carryOut(first, one);
  return first;
}

/** What a person said while no run was open. */
function carryOut(entry: IdeaEntry, { verb, n = 0, reason }: KeptCommand): void {
  if (verb === 'anew') {
    entry.anew = true;
    return;
  }
  if (verb === 'closed') {
    if (entry.status === 'abandoned') return;
    entry.status = 'skipped';
    entry.reason = `${reason ?? 'its pull request was closed'} (in an earlier run)`;
    return;
  }
  entry.told = { verb, ...(reason ? { reason } : {}) };
  switch (verb) {
    case 'limit':
      entry.patch = addPatch(entry.patch, { extra: n });
      return;
    // A person may say both: the first place stays, with the points on top.
    case 'bump':
      entry.boost = (entry.boost ?? 0) + FIRST;
      return;
    case 'score':
      entry.boost = (entry.boost ?? 0) + n;
      entry.points = n;
      return;
    case 'skip-step':
      entry.skipStep = reason === undefined ? {} : { why: reason };
      return;
    case 'skip':
    case 'rollback':
      if (entry.status === 'abandoned') return;
      entry.status = 'skipped';
      entry.reason = verb === 'skip' ? (reason ?? 'by a person') : takenOff(reason);
      return;
    default:
      return;
  }
}

const takenOff = (reason: string | undefined): string =>
  `taken off the target by a person${reason ? ` (${reason})` : ''}; it stays out until a retry`;

/** A5: START_AUTOPILOT or START_SEMI_AUTO from `idle`. */
const startState = (mode: RunMode | undefined): RunState =>
  RUN_TABLE.idle[mode === 'semi-auto' ? 'START_SEMI_AUTO' : 'START_AUTOPILOT'] as RunState;

/** `now` in epoch milliseconds. */
export function firstState(opened: OpenRunResult, settings: RunSettings, now: number): AutopilotState {
  const budget = firstBudget(settings.budget, opened.day);
  const landed = new Set(opened.landed);
  const ticked = new Set(opened.ticked);
  const retries = new Map((opened.carried?.retries ?? []).map(({ idea, count }) => [idea, count]));
  return {
    run: startState(settings.mode),
    mode: settings.mode,
    slots: settings.slots,
    entries: opened.cards.map((card) => {
      const over = landed.has(card.id) && (ticked.has(card.id) ? 'ticked' : true);
      return firstEntry(card, over, retries.get(card.id), opened.carried);
    }),
    lane: [],
    waiting: [],
    failuresInARow: 0,
    totals: { startedAt: now, landings: 0, bounces: 0, commits: 0, iterations: noIterations() },
    queues: { agents: opened.agentsQueue, git: opened.gitQueue },
    target: opened.target,
    budget,
    limits: opened.agents ? { agents: opened.agents, gates: [] } : undefined,
    ...(opened.leftOpen ? { leftOpen: opened.leftOpen } : {}),
    ...(opened.unpushed && settings.delivery?.mode === 'push' ? { delivery: { due: true as const } } : {}),
  };
}
