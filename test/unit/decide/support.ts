/** Builders for decision tests: small cards, settings with the documented defaults, reports that number themselves. */
import { Autopilot, type Effect, firstState } from '../../../src/decide/run/autopilot.js';
import type { OpenRunResult } from '../../../src/protocol/activities.js';
import type { IdeaCard } from '../../../src/protocol/idea.js';
import type { IdeaReport } from '../../../src/protocol/idea-run.js';
import type { AgentChoice } from '../../../src/protocol/limits.js';
import type { IdeaEntry } from '../../../src/protocol/run.js';
import type { RunSettings } from '../../../src/protocol/run-settings.js';
import type { IdeaStatus, IterationStats, ReadyWork } from '../../../src/protocol/states.js';

export const SETTINGS: RunSettings = {
  slots: 3,
  stepDelayMs: 500,
  weights: { unblocks: 10, critical: 50, quickWin: 30, nearComplete: 20, retry: -15 },
  gateWhen: 'claim',
  maxLandingRounds: 2,
  errorThreshold: 3,
  errorStrategy: 'retry',
  maxRetries: 2,
  retryBaseMs: 2000,
  maxRateLimitRetries: 3,
  rateLimitBackoffMs: 5000,
  rateLimitFactor: 3,
  ownTrouble: true,
};

export const settings = (over: Partial<RunSettings> = {}): RunSettings => ({ ...SETTINGS, ...over });

export const card = (id: string, more: Partial<IdeaCard> = {}): IdeaCard => ({ id, title: `Idea ${id}`, ...more });

export const entryOf = (one: IdeaCard, more: Partial<IdeaEntry> = {}): IdeaEntry => ({
  card: one,
  status: 'pending',
  seq: 0,
  life: 0,
  retries: 0,
  rounds: 0,
  ...more,
});

export const stats = (count: number, ms = 1000): IterationStats =>
  count === 0 ? { count: 0, totalMs: 0, minMs: 0, maxMs: 0 } : { count, totalMs: count * ms, minMs: ms, maxMs: ms };

export const workOf = (idea: string, head = `head-of-${idea}`): ReadyWork => ({
  worktree: `/w/${idea}`,
  branch: `ralph/${idea}`,
  base: 'base',
  head,
  agentName: 'ed-001',
});

export function pilotOf(
  cards: IdeaCard[],
  over: Partial<RunSettings> = {},
  landed: string[] = [],
  more: Pick<OpenRunResult, 'agents' | 'leftOpen'> = {},
): Autopilot {
  const all = settings(over);
  const opened = { agentsQueue: 'agents', gitQueue: 'git', target: 'main', cards, landed, ...more };
  return new Autopilot(firstState(opened, all, 0), all);
}

export const statusOf = (pilot: Autopilot, idea: string): IdeaStatus | undefined => pilot.graph.entry(idea)?.status;
export const slotOf = (pilot: Autopilot, idea: string): number | undefined => pilot.graph.entry(idea)?.slot;

/** Says what a child would say; sequence numbers go up by themselves unless given. */
export function say(
  pilot: Autopilot,
  idea: string,
  kind: IdeaReport['kind'],
  more: Partial<IdeaReport> = {},
): IdeaReport {
  const entry = pilot.graph.entry(idea);
  const report: IdeaReport = {
    idea,
    life: entry?.life ?? 0,
    seq: (entry?.seq ?? 0) + 1,
    kind,
    iterations: stats(1),
    ...(kind === 'ready' ? { work: workOf(idea) } : {}),
    ...more,
  };
  pilot.report(report);
  return report;
}

export const closed = (
  pilot: Autopilot,
  idea: string,
  outcome: IdeaReport['outcome'],
  reason = 'because',
): IdeaReport => say(pilot, idea, 'closed', { outcome, reason });

export const landedResult = (commit = 'c0ffee', note?: string) =>
  ({ kind: 'landed', commit, commits: 2, durationMs: 5, ...(note ? { note } : {}) }) as const;
export const conflictResult = (files = ['a.ts']) =>
  ({ kind: 'conflict', onto: 'tip', files, detail: 'both changed it', durationMs: 5 }) as const;

/** Commands in a form that reads well in a failed assertion. */
export const brief = (commands: readonly Effect[]): string[] => commands.map(briefly);

const withAgent = (choice: AgentChoice | undefined): string =>
  choice ? ` ${choice.agent}${choice.probe ? '?' : ''}` : '';

function briefly(one: Effect): string {
  switch (one.do) {
    case 'start':
    case 'grant':
      return `${one.do} ${one.idea} @${one.slot}${withAgent(one.choice)}`;
    case 'agent':
      return `agent ${one.idea}${withAgent(one.choice) || ' park'}`;
    case 'verdict':
      return `${one.verdict.kind} ${one.idea}`;
    case 'land':
      return `land ${one.idea}`;
    case 'tell':
      return `${one.signal} ${one.idea}`;
    case 'git-task':
      return `${one.task} ${one.idea}`;
    case 'undo':
    case 'look':
    case 'cancel-landing':
      return `${one.do} ${one.idea}`;
    case 'push':
      return one.known ? 'push again' : 'push';
    case 'wave':
      return `wave ${one.wave}`;
    case 'configure':
      return `configure ${one.revision}`;
  }
}

export const decided = (pilot: Autopilot, rollover = false, now = 0): string[] => brief(pilot.decide(rollover, now));
