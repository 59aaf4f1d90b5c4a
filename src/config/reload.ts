/**
 * The table of keys that can change in an open run, and when a change takes effect. `config reload` and the flags of
 * `start` use it, a script writes docs/configuration.md from it, and a test checks that every key has a row.
 * Imports this folder only.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './schema/config.js';

/** When a change takes effect; `never`: the run keeps its value from the start. */
export type Counts = 'now' | 'iteration' | 'landing' | 'worktree' | 'never';

export const COUNTS_TEXT: Readonly<Record<Counts, string>> = {
  now: 'at once',
  iteration: 'next iteration',
  landing: 'next landing',
  worktree: 'next worktree',
  never: 'next run',
};

interface ReloadRow {
  counts: Counts;
  /** With `never`: the reason, and the alternative. */
  why?: string;
}

/** By key. A row applies to every key below it that has no row of its own. */
export const RELOAD_TABLE: Readonly<Record<string, ReloadRow>> = {
  $schema: { counts: 'never', why: 'it is for editors' },
  version: { counts: 'never', why: 'there is one version' },
  target: {
    counts: 'never',
    why: 'ideas already work on this branch. End the run first: ralphctl stop',
  },
  backlogFormat: {
    counts: 'never',
    why: 'the run keeps its ideas. Add those of another file with: ralphctl enqueue FILE',
  },
  backlog: { counts: 'never', why: 'the run keeps its ideas. Add those of another file with: ralphctl enqueue FILE' },
  awake: { counts: 'now' },
  slots: { counts: 'now' },
  agent: { counts: 'iteration' },
  agents: { counts: 'iteration' },
  fallback: { counts: 'now' },
  gate: { counts: 'iteration' },
  setup: { counts: 'worktree' },
  maxIterations: { counts: 'iteration' },
  timeoutMinutes: { counts: 'iteration' },
  iterationTimeoutMinutes: { counts: 'iteration' },
  idleTimeoutMinutes: { counts: 'iteration' },
  stepDelayMs: { counts: 'iteration' },
  autoCommit: { counts: 'iteration' },
  commit: { counts: 'iteration' },
  weights: { counts: 'now' },
  landing: { counts: 'landing' },
  'landing.mode': { counts: 'never', why: 'the start of a run records the remote. End the run first: ralphctl stop' },
  'landing.pr.repo': { counts: 'never', why: 'ideas are in review there. End the run first: ralphctl stop' },
  'landing.pr.forge': { counts: 'never', why: 'ideas are in review there. End the run first: ralphctl stop' },
  'landing.pr.pollSeconds': { counts: 'now' },
  'landing.stack': { counts: 'now' },
  'landing.remote': { counts: 'never', why: 'the start of a run records the remote. End the run first: ralphctl stop' },
  worktrees: { counts: 'worktree' },
  'worktrees.root': { counts: 'never', why: 'its worktrees are there. End the run first: ralphctl stop' },
  signals: { counts: 'iteration' },
  prompt: { counts: 'iteration' },
  errors: { counts: 'iteration' },
  'errors.threshold': { counts: 'now' },
  limits: { counts: 'now' },
  disk: { counts: 'iteration' },
  confinement: { counts: 'iteration' },
  sandbox: { counts: 'iteration' },
  escalation: { counts: 'iteration' },
  budget: { counts: 'now' },
  warnings: { counts: 'iteration' },
  notify: { counts: 'now' },
  waves: { counts: 'never', why: 'the start of a run records them. End the run first: ralphctl stop' },
  triage: { counts: 'now' },
  logs: { counts: 'iteration' },
  retention: { counts: 'now' },
  metrics: { counts: 'now' },
  payloads: { counts: 'now' },
};

/** The row of a key, or of the nearest key above it. */
export function reloadRow(key: string): ReloadRow | undefined {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const row = RELOAD_TABLE[at];
    if (row) return row;
  }
  return undefined;
}

/** Values by their full key. A list is one value. */
export function flatten(value: unknown, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  if (value === undefined) return flat;
  const whole = value === null || typeof value !== 'object' || Array.isArray(value);
  if (whole || (prefix !== '' && Object.keys(value as object).length === 0)) return flat.set(prefix, value);
  for (const [key, inner] of Object.entries(value as object)) {
    for (const [path, leaf] of flatten(inner, prefix === '' ? key : `${prefix}.${key}`)) flat.set(path, leaf);
  }
  return flat;
}

export interface Change {
  key: string;
  /** Undefined: not set. */
  from: unknown;
  to: unknown;
  counts: Counts;
  why?: string;
}

/** The differences, by key. */
export function changesOf(from: Config, to: Config): Change[] {
  const [before, after] = [flatten(from), flatten(to)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.flatMap((key) => {
    if (isDeepStrictEqual(before.get(key), after.get(key))) return [];
    const { counts, why } = reloadRow(key) ?? { counts: 'never' as const };
    return [{ key, from: before.get(key), to: after.get(key), counts, ...(why ? { why } : {}) }];
  });
}

/** `wanted`, with the values of `current` for keys that cannot change in an open run. */
export function reloaded(current: Config, wanted: Config): Config {
  const next = structuredClone(wanted);
  for (const [key, { counts }] of Object.entries(RELOAD_TABLE))
    if (counts === 'never') keep(key.split('.'), { ...current }, next as Part);
  return next;
}

/** Gives `to` the value that `from` has at this place, or none where it has none. */
function keep([name = '', ...rest]: readonly string[], from: Part, to: Part): void {
  const [old, now] = [from[name], to[name]];
  if (rest.length === 0) {
    if (old === undefined) delete to[name];
    else to[name] = structuredClone(old);
  } else if (isPart(old) || isPart(now)) {
    const inner = isPart(now) ? now : {};
    keep(rest, isPart(old) ? old : {}, inner);
    to[name] = inner;
  }
}

type Part = Record<string, unknown>;
const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value);
