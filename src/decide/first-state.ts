/** The state a run begins with. May import protocol and decide only. */
import type { OpenRunResult } from '../protocol/activities.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { AutopilotState, IdeaEntry, RunSettings } from '../protocol/run.js';
import { noIterations } from './iterations.js';

export const newEntry = (card: IdeaCard): IdeaEntry => ({
  card,
  status: 'pending',
  seq: 0,
  life: 0,
  retries: 0,
  rounds: 0,
});

/** `now` in epoch milliseconds. */
export function firstState(opened: OpenRunResult, settings: RunSettings, now: number): AutopilotState {
  const landed = new Set(opened.landed);
  return {
    run: 'running',
    slots: settings.slots,
    entries: opened.cards.map((card) => ({ ...newEntry(card), status: landed.has(card.id) ? 'landed' : 'pending' })),
    lane: [],
    waiting: [],
    failuresInARow: 0,
    totals: { startedAt: now, landings: 0, bounces: 0, commits: 0, iterations: noIterations() },
    queues: { agents: opened.agentsQueue, git: opened.gitQueue },
    target: opened.target,
  };
}
