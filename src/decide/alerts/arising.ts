/**
 * Which changes of a run are events that a person is alerted of.
 * Invariant: a change gives one event at most. A condition of the run is told once, until it ends and begins anew. Only
 * events that a row wants are kept. Pure; may import protocol and decide only.
 */
import type { AlertBatch, AlertItem, AlertKind, AlertOutbox, AlertSettings } from '../../protocol/alerts.js';
import { cutAroundCommands } from '../../protocol/cut.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunOutcome } from '../../protocol/states.js';
import { needsPerson } from '../delivery/push.js';
import { commandNow, type Waiting } from '../idea/fix.js';
import { clip, landedText, MAX_REASON } from '../text.js';
import { isCounted, landedBefore } from '../views/survey.js';

/** Events that can be taken back; older ones of very many stay. */
const MOST_OPEN = 500;

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
  /** Asked where an event no longer holds. Absent or false: it is sent all the same, as older versions do. */
  mayTakeBack?: () => boolean;
}

/** Adds the events of these changes to the run's outbox, and takes back those that no longer hold. */
export function noteAlerts(state: AutopilotState, settings: AlertSettings, changes: Changes): void {
  state.alerts ??= newOutbox();
  const outbox = state.alerts;
  const wanted = new Set(settings.rows.flatMap((row) => row.events));
  const { runId, now, ended } = changes;
  const over: string[] = [];
  const add = (event: Event, of?: string): void => {
    if (!wanted.has(event.kind)) return;
    const item = itemOf(event, { runId, now, serial: ++outbox.serial });
    outbox.items.push(item);
    if (of !== undefined) outbox.open = [...(outbox.open ?? []), { of, id: item.id }].slice(-MOST_OPEN);
  };
  for (const entry of changes.turns) {
    over.push(...closed(outbox, entry.card.id));
    const event = ofIdea(entry);
    if (event) add(event, event.kind === 'landed' ? undefined : entry.card.id);
  }
  const { begun, gone } = ofRun(state, outbox);
  for (const kind of gone) over.push(...closed(outbox, conditionOf(kind)));
  for (const event of begun) add(event, conditionOf(event.kind));
  if (ended) add(ofEnd(state, ended));
  if (over.length > 0 && changes.mayTakeBack?.()) takeBack(outbox, over);
  outbox.items.splice(0, outbox.items.length - MOST_WAITING);
}

/** No id of an idea has a space. */
const conditionOf = (kind: AlertKind): string => `run ${kind}`;

/** Ids of its events, which no longer hold. */
function closed(outbox: AlertOutbox, of: string): string[] {
  const ids = (outbox.open ?? []).flatMap((one) => (one.of === of ? [one.id] : []));
  if (ids.length > 0) outbox.open = outbox.open?.filter((one) => one.of !== of) ?? [];
  return ids;
}

/** What has not left yet stays here; of the rest the delivering workflow is told. */
function takeBack(outbox: AlertOutbox, ids: readonly string[]): void {
  const here = new Set(outbox.items.map(({ id }) => id));
  outbox.items = outbox.items.filter(({ id }) => !ids.includes(id));
  const away = ids.filter((id) => !here.has(id));
  if (away.length > 0) outbox.over = [...(outbox.over ?? []), ...away].slice(-MOST_WAITING);
}

export type Taken = Required<Pick<AlertBatch, 'items' | 'over'>>;

/** Takes everything out of the outbox. */
export function takeAlerts({ alerts }: AutopilotState): Taken {
  const taken = { items: alerts?.items.splice(0) ?? [], over: alerts?.over ?? [] };
  delete alerts?.over;
  return taken;
}

/** Puts events back that nobody took. */
export function returnAlerts({ alerts }: AutopilotState, { items, over }: Taken): void {
  if (!alerts) return;
  alerts.items.unshift(...items);
  if (over.length > 0) alerts.over = [...over, ...(alerts.over ?? [])];
}

export const hasAlerts = ({ alerts }: AutopilotState): boolean =>
  alerts !== undefined && alerts.items.length + (alerts.over?.length ?? 0) > 0;

function itemOf(event: Event, { runId, now, serial }: { runId: string; now: number; serial: number }): AlertItem {
  const { kind, idea, title, text, command } = event;
  return {
    id: `${runId}.${idea ?? 'run'}.${kind}.${serial}`,
    kind,
    run: runId,
    ...(idea === undefined ? {} : { idea }),
    ...(title === undefined ? {} : { title: clip(title, MAX_REASON) }),
    ...(text ? { text: cutAroundCommands(text, MAX_REASON, MAX_REASON) } : {}),
    command,
    at: now,
  };
}

const KINDS = {
  approve: 'question',
  asks: 'question',
  blocked: 'blocked',
  'timed out': 'timed-out',
  failed: 'failed',
} as const satisfies Partial<Record<Waiting, AlertKind>>;

const waitingOf = ({ status, approval, approvable }: IdeaEntry): keyof typeof KINDS | undefined => {
  if (approval) return 'approve';
  switch (status) {
    case 'needs-human':
      return approvable ? 'approve' : 'asks';
    case 'timeout':
      return 'timed out';
    case 'blocked':
    case 'failed':
      return status;
    default:
      return undefined;
  }
};

function ofIdea(entry: IdeaEntry): Event | undefined {
  const { card, status, reason, commit, course } = entry;
  const { id, title, single } = card;
  if (card.blue) return undefined;
  const base = { idea: id, title, text: reason };
  const waiting = waitingOf(entry);
  if (waiting) {
    // An alert may be read late: its command answers no later question.
    const about = { id, reason, questionId: course?.question, ...(single ? { single } : {}) };
    return { kind: KINDS[waiting], ...base, command: commandNow(about, waiting) };
  }
  if (status !== 'landed') return undefined;
  return { kind: 'landed', ...base, command: commit ? `git show ${commit.slice(0, 12)}` : 'ralphctl status' };
}

/** Conditions of the run that have just begun, and those that are gone. */
function ofRun(state: AutopilotState, outbox: AlertOutbox): { begun: Event[]; gone: AlertKind[] } {
  const { review, limits, budget, why, delivery, waves, run } = state;
  const stuck = delivery?.held && needsPerson(delivery.held) ? delivery.held : undefined;
  const holding: Event[] = [
    ...(review ? [{ kind: 'review' as const, text: why, command: 'ralphctl review' }] : []),
    ...(limits?.still
      ? [{ kind: 'all-limited' as const, text: limits.still.why, command: 'ralphctl limits retry' }]
      : []),
    ...(stuck ? [{ kind: 'not-pushed' as const, text: stuck.why, command: 'ralphctl status' }] : []),
    ...(budget?.paused ? [{ kind: 'budget' as const, text: why, command: 'ralphctl budget raise' }] : []),
    ...(waves?.asks !== undefined && (run === 'paused' || run === 'pausing')
      ? [{ kind: 'question' as const, text: waves.asks, command: 'ralphctl resume' }]
      : []),
  ];
  const begun = holding.filter(({ kind }) => !outbox.told.includes(kind));
  const now = holding.map(({ kind }) => kind);
  const gone = outbox.told.filter((kind) => !now.includes(kind));
  outbox.told = now;
  return { begun, gone };
}

function ofEnd({ entries }: AutopilotState, outcome: RunOutcome): Event {
  const ideas = entries.filter(isCounted);
  const landed = ideas.filter(({ status }) => status === 'landed').length;
  return {
    kind: 'run-done',
    text: `${outcome}: ${landedText({ landed, landedBefore: landedBefore(entries), total: ideas.length })}`,
    command: 'ralphctl status',
  };
}
