/**
 * What outlasts a run: that a person has abandoned an idea, hints that no prompt had yet, and how often an idea was tried
 * again. One file for each idea, in the project's folder.
 * Invariant: `abandoned` counts until a `retry` takes it back; hints are given to one run only, which gives back at its end
 * what was not delivered; retries count until the idea has landed. Files only, no decisions about a run.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { carriedDir } from '../config/paths.js';
import { readStored } from '../config/stored.js';
import type { CarriedOver } from '../protocol/activities.js';
import { writeAtomically } from './run.js';
import { CARRIED } from './shapes.js';

export interface Abandoned {
  /** ISO time. */
  at: string;
  reason?: string;
}

export interface Carried {
  version: 1;
  idea: string;
  abandoned?: Abandoned;
  hints?: string[];
  /** Run that has the hints. */
  takenBy?: string;
  retries?: number;
}

const fileOf = (root: string, project: string, idea: string): string => join(carriedDir(root, project), `${idea}.json`);

const read = (path: string): Promise<Carried | undefined> => readStored(path, CARRIED);

async function write(root: string, project: string, next: Carried): Promise<void> {
  const path = fileOf(root, project, next.idea);
  if (!next.abandoned && !next.hints?.length && !next.retries) {
    await rm(path, { force: true });
    return;
  }
  await mkdir(carriedDir(root, project), { recursive: true });
  await writeAtomically(path, JSON.stringify(next, null, 2));
}

const recordOf = async (root: string, project: string, idea: string): Promise<Carried> =>
  (await read(fileOf(root, project, idea))) ?? { version: 1, idea };

/** Ideas with a record. */
async function recorded(root: string, project: string): Promise<string[]> {
  const names = await readdir(carriedDir(root, project)).catch(() => []);
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

async function all(root: string, project: string): Promise<Carried[]> {
  const ideas = await recorded(root, project);
  const found = await Promise.all(ideas.map((idea) => read(fileOf(root, project, idea))));
  return found.filter((one) => one !== undefined);
}

export async function noteAbandoned(root: string, project: string, idea: string, reason?: string): Promise<void> {
  const before = await recordOf(root, project, idea);
  const abandoned = { at: new Date().toISOString(), reason: reason || undefined };
  await write(root, project, { ...before, abandoned });
}

/** False when the idea was not abandoned. */
export async function takeBackAbandoned(root: string, project: string, idea: string): Promise<boolean> {
  const { abandoned, ...rest } = await recordOf(root, project, idea);
  if (!abandoned) return false;
  await write(root, project, rest);
  return true;
}

export async function abandonedIdeas(root: string, project: string): Promise<Map<string, Abandoned>> {
  return new Map(
    (await all(root, project)).flatMap(({ idea, abandoned }) => (abandoned ? [[idea, abandoned] as const] : [])),
  );
}

export async function retriedIdeas(root: string, project: string): Promise<{ idea: string; count: number }[]> {
  return (await all(root, project)).flatMap(({ idea, retries }) => (retries ? [{ idea, count: retries }] : []));
}

/** Assigns hints to a run. A repeated call returns the same. */
export async function takeHints(
  root: string,
  { project, runId }: { project: string; runId: string },
  ideas: ReadonlySet<string>,
): Promise<{ idea: string; notes: string[] }[]> {
  const taken: { idea: string; notes: string[] }[] = [];
  for (const one of await all(root, project)) {
    if (!one.hints?.length || !ideas.has(one.idea) || (one.takenBy ?? runId) !== runId) continue;
    await write(root, project, { ...one, takenBy: runId });
    taken.push({ idea: one.idea, notes: one.hints });
  }
  return taken;
}

/** Ideas with hints that belong to no other run. */
export async function hintedIdeas(root: string, project: string, runId: string): Promise<string[]> {
  return (await all(root, project))
    .filter((one) => one.hints?.length && (one.takenBy ?? runId) === runId)
    .map(({ idea }) => idea);
}

/** What a run leaves to the next one, at its end. `known`: its ideas; records of others stay. */
export async function carryOver(
  root: string,
  { project, runId }: { project: string; runId: string },
  known: ReadonlySet<string>,
  { abandoned, hints, retries = [] }: CarriedOver,
): Promise<void> {
  const givenUp = new Map(abandoned.map((one) => [one.idea, one.reason]));
  const left = new Map(hints.map((one) => [one.idea, one.notes]));
  const counts = new Map(retries.map((one) => [one.idea, one.count]));
  for (const idea of new Set([
    ...givenUp.keys(),
    ...left.keys(),
    ...counts.keys(),
    ...(await recorded(root, project)),
  ])) {
    if (!known.has(idea)) continue;
    // The end of a run does not fail over a file that somebody else has to fix, nor does it replace one.
    const before = await read(fileOf(root, project, idea)).catch(() => 'unusable' as const);
    if (before === 'unusable') continue;
    const reason = givenUp.get(idea);
    const since = before?.abandoned ?? { at: new Date().toISOString(), reason: reason || undefined };
    // Hints of another run, or newer ones, must not be dropped here.
    const others = before?.takenBy === runId ? [] : (before?.hints ?? []);
    const count = counts.get(idea);
    const notes = [...(left.get(idea) ?? []), ...others];
    await write(root, project, {
      ...{ version: 1, idea },
      abandoned: givenUp.has(idea) ? since : undefined,
      hints: notes.length > 0 ? notes : undefined,
      retries: count || undefined,
    });
  }
}
