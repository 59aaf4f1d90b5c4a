/**
 * Which changes of a run are events that a person is alerted of.
 * Invariant: a change gives one event at most. A condition of the run is told once, until it ends and begins anew. Only
 * events that a row wants are kept. Pure; may import protocol and decide only.
 */
import type { AlertItem, AlertKind, AlertOutbox, AlertSettings } from '../../protocol/alerts.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunOutcome } from '../../protocol/states.js';
import { clip, MAX_REASON } from '../text.js';

/** A delivering workflow that does not answer must not let the run's state grow. The oldest are dropped. */
const MOST_WAITING = 300;

const newOutbox = (): AlertOutbox => ({ serial: 0, items: [], told: [] });

interface Event {
  kind: AlertKind;
  idea?: string;
  title?: string;
  text?: string | undefined;
  command: string;
}

export interface Changes {
  runId: string;
  /** Ideas whose status changed, as they were then. */
  turns: readonly IdeaEntry[];
  /** The run is over. */
  ended?: RunOutcome;
  /** epoch ms */
  now: number;
}

/** Adds the events of these changes to the run's outbox. */
export function noteAlerts(state: AutopilotState, settings: AlertSettings, changes: Changes): void {
  state.alerts ??= newOutbox();
  const outbox = state.alerts;
  const wanted = new Set(settings.rows.flatMap((row) => row.events));
  const { runId, now, ended } = changes;
  for (const event of [
    ...changes.turns.flatMap((entry) => ofIdea(entry) ?? []),
    ...ofRun(state, outbox),
    ...(ended ? [ofEnd(state, ended)] : []),
  ]) {
    if (wanted.has(event.kind)) outbox.items.push(itemOf(event, { runId, now, serial: ++outbox.serial }));
  }
  outbox.items.splice(0, outbox.items.length - MOST_WAITING);
}

/** Takes everything out of the outbox. */
export const takeAlerts = ({ alerts }: AutopilotState): AlertItem[] => alerts?.items.splice(0) ?? [];

/** Puts events back that nobody took. */
export function returnAlerts({ alerts }: AutopilotState, items: readonly AlertItem[]): void {
  alerts?.items.unshift(...items);
}

function itemOf(event: Event, { runId, now, serial }: { runId: string; now: number; serial: number }): AlertItem {
  const { kind, idea, title, text, command } = event;
  return {
    id: `${runId}.${idea ?? 'run'}.${kind}.${serial}`,
    kind,
    run: runId,
    ...(idea === undefined ? {} : { idea }),
    ...(title === undefined ? {} : { title: clip(title, MAX_REASON) }),
    ...(text ? { text: clip(text, MAX_REASON) } : {}),
    command,
    at: now,
  };
}

function ofIdea({ card, status, reason, approval, approvable, commit }: IdeaEntry): Event | undefined {
  const about = { idea: card.id, title: card.title, text: reason };
  if (card.blue) return undefined;
  if (approval) return { kind: 'question', ...about, command: `ralphctl approve ${card.id}` };
  switch (status) {
    case 'needs-human':
      return {
        kind: 'question',
        ...about,
        command: approvable ? `ralphctl approve ${card.id}` : `ralphctl answer ${card.id} "…"`,
      };
    case 'blocked':
      return { kind: 'blocked', ...about, command: `ralphctl retry ${card.id}` };
    case 'timeout':
      return { kind: 'timed-out', ...about, command: `ralphctl retry ${card.id}` };
    case 'failed':
      return { kind: 'failed', ...about, command: `ralphctl retry ${card.id}` };
    case 'landed':
      return { kind: 'landed', ...about, command: commit ? `git show ${commit.slice(0, 12)}` : 'ralphctl status' };
    default:
      return undefined;
  }
}

/** Conditions of the run that have just begun. */
function ofRun(state: AutopilotState, outbox: AlertOutbox): Event[] {
  const { review, limits, budget, why } = state;
  const holding: Event[] = [
    ...(review ? [{ kind: 'review' as const, text: why, command: 'ralphctl review' }] : []),
    ...(limits?.still
      ? [{ kind: 'all-limited' as const, text: limits.still.why, command: 'ralphctl limits retry' }]
      : []),
    ...(budget?.paused ? [{ kind: 'budget' as const, text: why, command: 'ralphctl budget raise' }] : []),
  ];
  const begun = holding.filter(({ kind }) => !outbox.told.includes(kind));
  outbox.told = holding.map(({ kind }) => kind);
  return begun;
}

function ofEnd({ entries }: AutopilotState, outcome: RunOutcome): Event {
  const ideas = entries.filter(({ card }) => !card.blue);
  const landed = ideas.filter(({ status }) => status === 'landed').length;
  return {
    kind: 'run-done',
    text: `${outcome}: ${landed} of ${ideas.length} ideas landed`,
    command: 'ralphctl status',
  };
}
