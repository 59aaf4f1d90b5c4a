/**
 * The queue of alerts: which events go out together, to which row, and when.
 * Invariant: every event is in exactly one alert of every row that wants it, and an alert that has once left never gains
 * an event: its receiver may have taken it, and drops whatever comes under its id again. A row has one delivery at a
 * time; events that come meanwhile wait for the next one. What is stored is bounded: of very many events of a kind only
 * the number stays. Pure; may import protocol and decide only.
 */
import type { Alert, AlertBatch, AlertItem, AlertKind, AlertQueue, WaitingAlerts } from '../../protocol/alerts.js';
import type { RunRef } from '../../protocol/run-ref.js';
import {
  type Check,
  isAlertKind,
  isAlertSettings,
  isAmount,
  isCount,
  isName,
  isText,
  listOf,
  maybe,
  shaped,
} from '../messages/shape.js';

/** Events of one kind that a row keeps with their texts; a batch of a run fits. */
const MOST_OF_A_KIND = 20;
/** Further events of a row, which only the taking back of others brings up. */
const MOST_MORE = 200;
const SEEN_KEPT = 1000;

/** A row may have the name of a member of every object, such as `constructor`. */
const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

export const newQueue = ({ ref, settings }: Pick<AlertBatch, 'ref' | 'settings'>): AlertQueue => ({
  ref,
  settings,
  lanes: {},
  sending: {},
  seen: [],
});

/** Adds events to every row that wants them. An event that is known changes nothing; the newest settings count. */
export function takeBatch(queue: AlertQueue, { ref, settings, items, over = [] }: AlertBatch): void {
  queue.ref = ref;
  queue.settings = settings;
  const rows = new Set(settings.rows.map(({ name }) => name));
  for (const name of Object.keys(queue.lanes)) if (!rows.has(name)) delete queue.lanes[name];
  for (const name of Object.keys(queue.again ?? {})) if (!rows.has(name)) putAgain(queue, name, undefined);
  const seen = new Set(queue.seen);
  for (const item of items) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    for (const { name, events } of settings.rows) if (events.includes(item.kind)) add(queue, name, item);
  }
  queue.seen = [...seen].slice(-SEEN_KEPT);
  if (over.length > 0) takeBack(queue, new Set(over));
}

/** Events that no longer hold are not sent. */
function takeBack(queue: AlertQueue, over: ReadonlySet<string>): void {
  for (const [name, lane] of Object.entries(queue.lanes)) {
    const left = without(lane, over);
    if (left) queue.lanes[name] = left;
    else delete queue.lanes[name];
  }
  for (const [name, alert] of Object.entries(queue.again ?? {})) putAgain(queue, name, restOf(alert, over));
}

/** Undefined: nothing is left of it. */
function without(lane: WaitingAlerts, over: ReadonlySet<string>): WaitingAlerts | undefined {
  const { items, counts, more = [] } = lane;
  const holds = ({ id }: AlertItem): boolean => !over.has(id);
  const gone = [...items, ...more].filter((item) => !holds(item));
  if (gone.length === 0) return lane;
  const left: WaitingAlerts = { ...lane, items: items.filter(holds), counts: { ...counts }, more: more.filter(holds) };
  for (const { kind } of gone) {
    left.counts[kind] = (left.counts[kind] ?? 1) - 1;
    fill(left, kind);
    if (!left.items.some((item) => item.kind === kind)) delete left.counts[kind];
  }
  if (left.more?.length === 0) delete left.more;
  return left.items.length > 0 ? left : undefined;
}

/** A further event takes the place of one that was taken back. */
function fill(lane: WaitingAlerts, kind: AlertKind): void {
  const { more = [] } = lane;
  const next = more.find((item) => item.kind === kind);
  if (!next || lane.items.filter((item) => item.kind === kind).length >= MOST_OF_A_KIND) return;
  lane.items.push(next);
  lane.more = more.filter((item) => item !== next);
}

/** Rows whose alert under way tells one of these events. */
export const underWay = ({ sending }: AlertQueue, over: readonly string[]): string[] =>
  Object.entries(sending).flatMap(([row, { items }]) => (items.some(({ id }) => over.includes(id)) ? [row] : []));

/**
 * The delivery to the row was cancelled before it came about: what still holds of it waits again. `alone` false: it is
 * joined with what came since, as older versions do.
 */
export function putBack(queue: AlertQueue, row: string, over: ReadonlySet<string>, alone = true): void {
  const alert = own(queue.sending, row);
  delete queue.sending[row];
  if (!alert || !queue.settings.rows.some(({ name }) => name === row)) return;
  const left = restOf(alert, over);
  if (!left) return;
  const later = own(queue.lanes, row);
  if (alone) putAgain(queue, row, left);
  else queue.lanes[row] = later ? joined(left, later) : left;
}

/** It keeps its id: whoever took the alert knows all of it. */
function restOf({ id, items, counts }: Alert, over: ReadonlySet<string>): Alert | undefined {
  const left = without({ items, counts }, over);
  return left && { id, items: left.items, counts: left.counts };
}

function putAgain(queue: AlertQueue, row: string, alert: Alert | undefined): void {
  const { [row]: _, ...others } = queue.again ?? {};
  const again = alert ? { ...others, [row]: alert } : others;
  if (Object.keys(again).length > 0) queue.again = again;
  else delete queue.again;
}

function joined(first: WaitingAlerts, then: WaitingAlerts): WaitingAlerts {
  const counts = { ...first.counts };
  for (const [kind, count] of Object.entries(then.counts) as [AlertKind, number][])
    counts[kind] = (counts[kind] ?? 0) + count;
  return {
    ...first,
    items: [...first.items, ...then.items],
    counts,
    more: [...(first.more ?? []), ...(then.more ?? [])],
  };
}

function add(queue: AlertQueue, row: string, item: AlertItem): void {
  const lane = own(queue.lanes, row) ?? { items: [], counts: {} };
  queue.lanes[row] = lane;
  const before = lane.counts[item.kind] ?? 0;
  lane.counts[item.kind] = before + 1;
  if (before < MOST_OF_A_KIND) lane.items.push(item);
  else if ((lane.more?.length ?? 0) < MOST_MORE) {
    const { title: _, text: __, ...bare } = item;
    lane.more = [...(lane.more ?? []), bare];
  }
}

/** Alerts to deliver now. They are under way until {@link delivered}. */
export function takeDue(queue: AlertQueue, now: number): { row: string; alert: Alert }[] {
  return rowsOf(queue).flatMap((row) => {
    const at = dueAt(queue, row, now);
    if (at === undefined || at > now) return [];
    const alert = own(queue.again ?? {}, row) ?? takeOut(queue, row, mayGo(queue, now));
    if (!alert) return [];
    putAgain(queue, row, undefined);
    queue.sending[row] = alert;
    return [{ row, alert }];
  });
}

/** Rows for which something waits. */
const rowsOf = ({ lanes, again = {} }: AlertQueue): string[] => [
  ...new Set([...Object.keys(lanes), ...Object.keys(again)]),
];

/** The delivery to this row is over, whatever came of it. */
export function delivered(queue: AlertQueue, row: string): void {
  delete queue.sending[row];
}

/** When to look again without a new event, epoch ms. */
export function wakeAt(queue: AlertQueue, now: number): number | undefined {
  const times = rowsOf(queue).flatMap((row) => dueAt(queue, row, now) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

export const isEmpty = (queue: AlertQueue): boolean =>
  rowsOf(queue).length === 0 && Object.keys(queue.sending).length === 0;

/** Undefined while a delivery to the row is under way: its end is an event. */
function dueAt(queue: AlertQueue, row: string, now: number): number | undefined {
  if (own(queue.sending, row)) return undefined;
  // It is under way: neither its group nor quiet hours hold back another try.
  if (own(queue.again ?? {}, row)) return now;
  const lane = own(queue.lanes, row);
  if (!lane) return undefined;
  const ready = lane.items.filter(({ kind }) => mayGo(queue, now)(kind));
  if (ready.length === 0) return quietEnd(queue, now);
  // Nothing more can come of a run that is over.
  if (ready.some(({ kind }) => kind === 'run-done')) return now;
  return Math.min(...ready.map(({ at }) => at)) + queue.settings.groupMs;
}

function mayGo(queue: AlertQueue, now: number): (kind: AlertKind) => boolean {
  if (quietEnd(queue, now) === undefined) return () => true;
  return (kind) => queue.settings.urgent.includes(kind);
}

const quietEnd = ({ settings }: AlertQueue, now: number): number | undefined =>
  quietUntil(settings.quiet, settings.timeZone, now);

function takeOut(queue: AlertQueue, row: string, may: (kind: AlertKind) => boolean): Alert | undefined {
  const lane = own(queue.lanes, row);
  if (!lane) return undefined;
  const [going, staying] = [part(lane, may), part(lane, (kind) => !may(kind))];
  if (staying.items.length > 0) queue.lanes[row] = staying;
  else delete queue.lanes[row];
  const [first] = going.items;
  return first && { id: lane.id ?? first.id, items: going.items, counts: going.counts };
}

function part({ items, counts, more = [] }: WaitingAlerts, is: (kind: AlertKind) => boolean): WaitingAlerts {
  const kinds = (Object.keys(counts) as AlertKind[]).filter(is);
  const rest = more.filter(({ kind }) => is(kind));
  return {
    items: items.filter(({ kind }) => is(kind)),
    counts: Object.fromEntries(kinds.map((kind) => [kind, counts[kind]])),
    ...(rest.length > 0 ? { more: rest } : {}),
  };
}

/*
 * Quiet hours, by the clock of a named time zone.
 * Invariant: the same moment gives the same answer on every machine, so that a workflow may ask. Pure; imports nothing.
 */

const MINUTE = 60_000;
const DAY = 24 * 60;

interface Hours {
  /** Minutes of the day. `from` after `to`: across midnight. */
  from: number;
  to: number;
}

/** When the quiet hours that hold now end, epoch ms; undefined outside of them. */
export function quietUntil(hours: Hours | undefined, timeZone: string, now: number): number | undefined {
  if (!hours) return undefined;
  const minute = minuteOf(now, timeZone);
  const { from, to } = hours;
  const quiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!quiet) return undefined;
  const begun = now - (now % MINUTE);
  const end = begun + ((to - minute + DAY) % DAY) * MINUTE;
  // The clock may be put forward or back in between.
  const off = minuteOf(end, timeZone) - to;
  const short = ((off + DAY + DAY / 2) % DAY) - DAY / 2;
  return Math.max(begun + MINUTE, end - short * MINUTE);
}

/** The minute of the day that clocks there show. */
export function minuteOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return read('hour') * 60 + read('minute');
}

/*
 * Whether an input is a batch of alerts: anyone who reaches the server can send one.
 * Pure; may import protocol and decide only.
 */

export const isBatch: Check<AlertBatch> = shaped<AlertBatch>({
  ref: shaped<RunRef>({ project: isName, runId: isName, config: maybe(isCount) }),
  settings: isAlertSettings,
  over: maybe(listOf(isName)),
  items: listOf(
    shaped<AlertItem>({
      ...{ id: isName, kind: isAlertKind, run: isName, idea: maybe(isName), title: maybe(isText) },
      ...{ text: maybe(isText), command: isText, at: isAmount },
    }),
  ),
});
