/**
 * Tells whether a value from an events file has the shape of an event. A file may be damaged, or someone may have edited
 * it, and no view may fail because of one line.
 * Invariant: checks every field of every kind; the compiler compares the names with the protocol. Never throws. A run may
 * have 100,000 events, so this builds nothing per event. May import protocol only.
 */
import { RUN_MODES } from '../protocol/command.js';
import type { Asking, RunEvent, StampedEvent } from '../protocol/events.js';
import { IDEA_ID } from '../protocol/idea.js';
import type { AccountLine, TroubleKind } from '../protocol/limits.js';
import { IDEA_STATUSES, type ShownState } from '../protocol/states.js';
import type { Rung, WarningLine } from '../protocol/warnings.js';

type Check = (value: unknown) => boolean;
type Shape = readonly (readonly [name: string, check: Check])[];

/** Bounds that keep every sum and every date valid: a count, an amount, and a time or duration in milliseconds. */
const MOST_COUNT = 1e9;
const MOST_NUMBER = 1e15;
const MOST_MS = 4e15;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const upTo =
  (most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= 0 && value <= most;
const amount = upTo(MOST_NUMBER);
const ms = upTo(MOST_MS);
const count: Check = (value) => Number.isInteger(value) && upTo(MOST_COUNT)(value);
const exitCode: Check = (value) => value === null || Number.isSafeInteger(value);
const may =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const texts = listOf(text);
const id: Check = (value) => typeof value === 'string' && IDEA_ID.test(value);
const among = (values: Iterable<string>): Check => {
  const known = new Set<unknown>(values);
  return (value) => known.has(value);
};
/** The compiler requires every value of the type. */
const oneOf = <T extends string>(all: Readonly<Record<T, true>>): Check => among(Object.keys(all));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fits = (value: Readonly<Record<string, unknown>>, shape: Shape): boolean => {
  for (const [name, check] of shape) if (!check(value[name])) return false;
  return true;
};

function object<T = Record<string, unknown>>(fields: Readonly<Record<keyof T, Check>>): Check {
  const shape: Shape = Object.entries<Check>(fields);
  return (value) => isObject(value) && fits(value, shape);
}

const SIGNALS = new Map<unknown, Check>([
  ['complete', object({})],
  ['none', object({})],
  ['blocked', object({ reason: text })],
  ['needs-human', object({ question: text })],
  ['progress', object({ percent: amount })],
]);
const signal: Check = (value) => isObject(value) && SIGNALS.get(value.kind)?.(value) === true;

const state = oneOf<ShownState>({
  ...{ idle: true, running: true, pausing: true, paused: true, waiting_user: true, stopping: true },
  ...{ 'waits for you': true, completed: true, stopped: true, aborted: true },
});
const asking = oneOf<Asking>({
  ...{ question: true, approval: true, tripwire: true, budget: true, confinement: true },
  ...{ baseline: true, escalation: true, landing: true, trouble: true },
});
const warning = oneOf<WarningLine['kind']>({
  ...{ stuck: true, iterations: true, budget: true, outside: true, worker: true, errors: true },
});
const trouble = oneOf<TroubleKind>({ limited: true, provider: true, auth: true, launch: true });
const rung = oneOf<Rung['do']>({ nudge: true, fresh: true, stronger: true, other: true, ask: true });
const accountState = oneOf<AccountLine['state']>({ open: true, parked: true, probing: true });
const tests = object({ passed: count, failed: count, skipped: count, total: count });
const place = { number: count, of: count, phase: text };
const spent = {
  ...{ iterations: count, ms: amount, tokens: amount, dollars: amount, unknownTokens: count, unknownDollars: count },
};
const by = may(text);
const why = may(text);

type Fields<Kind extends RunEvent['kind']> = Readonly<
  Record<Exclude<keyof Extract<RunEvent, { kind: Kind }>, 'kind'>, Check>
>;

const FIELDS: { readonly [Kind in RunEvent['kind']]: Fields<Kind> } = {
  run: {
    ...{ state, why, landed: count, before: may(count), total: count },
    ...{ mode: may(among(RUN_MODES)), slots: may(count), spent: may(object(spent)) },
  },
  idea: {
    ...{ idea: id, title: text, status: among(IDEA_STATUSES), agentName: may(text), reason: may(text) },
    ...{ commit: may(text), held: may(flag), approval: may(flag), retries: may(count) },
  },
  landing: { idea: id },
  bounced: { idea: id, why: text },
  iteration: {
    ...{ idea: id, serial: count, iteration: count, max: count, agentName: text, agent: may(text) },
    ...{ model: may(text), base: may(text), step: may(object({ ...place, id: text })) },
  },
  'iteration-end': {
    ...{ idea: id, serial: count, iteration: count, signal, turnedDown: may(text) },
    ...{ outcome: among(['ok', 'timeout', 'failed']), message: may(text), durationMs: ms, commits: count },
    ...{ agent: may(text), model: may(text), words: may(text), escaped: may(texts) },
    usage: may(object({ inputTokens: may(amount), outputTokens: may(amount), costUsd: may(amount) })),
  },
  'gate-start': { idea: id, command: text, number: count, of: count, merged: may(flag) },
  gate: {
    ...{ idea: id, merged: may(flag), newTests: may(texts), knownTests: may(texts), pass: flag },
    commands: may(listOf(object({ command: text, exitCode, durationMs: ms, tests: may(tests) }))),
    ...{ command: may(text), exitCode: may(exitCode), log: may(text), tests: may(tests), flaky: may(texts) },
    ...{ tolerated: may(texts), tripwires: may(texts), escaped: may(texts), late: may(texts), durationMs: ms },
  },
  'step-start': { idea: id, step: text, ...place },
  step: {
    ...{ idea: id, step: text, phase: text, state: among(['complete', 'skipped', 'failed']), why },
    ...{ number: may(count), of: may(count) },
  },
  waiting: { idea: id, why: text, ms },
  asks: { idea: id, asking, question: text },
  answered: { idea: id, text: may(text), by },
  command: { verb: text, idea: may(id), reason: may(text), text: may(text), by, done: text },
  refused: { verb: text, idea: may(id), text: may(text), by, why: text },
  delivered: { idea: id, serial: count, notes: count, fromProgram: may(count) },
  interrupted: { idea: id, iteration: count },
  parked: {
    idea: id,
    trouble: object({ kind: trouble, agent: text, account: may(text), message: text, resetAt: may(ms) }),
  },
  held: { idea: id, why: text },
  account: {
    account: object<AccountLine>({
      ...{ key: text, agents: texts, state: accountState, kind: may(trouble), reason: may(text) },
      ...{ since: may(ms), until: may(ms), probe: may(text) },
    }),
  },
  'all-limited': { why: text, until: may(ms) },
  agent: { idea: id, agent: text, before: may(text), why },
  escalated: { idea: id, rung, iterations: count },
  alert: { row: text, state: among(['delivered', 'failed', 'bell']), events: count, why },
  warning: { idea: may(id), warning, text },
};

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries<Check>(fields)]),
);
/** Of a kind that only a newer version knows. */
const UNKNOWN: Shape = [['idea', may(id)]];

/** ISO 8601 with a year of four digits: views calculate with the time, and no sum may leave the range of dates. */
const isTime = (at: unknown): boolean =>
  typeof at === 'string' && /^\d{4}-\d\d-\d\dT/.test(at) && Number.isFinite(Date.parse(at));

/** Also true for an unknown kind, which a newer version may have written. */
export function isEvent(value: unknown): value is StampedEvent {
  if (!isObject(value) || typeof value.kind !== 'string' || !isTime(value.at)) return false;
  return fits(value, SHAPES.get(value.kind) ?? UNKNOWN);
}
