/**
 * Stores facts that outlast a run: abandoned ideas, undelivered hints, retry counts, and commands that people gave
 * without an open run (`kept.ts`). Each idea has one file in the project's folder.
 * Invariant: `abandoned` counts until a `retry`. One run takes the hints, and returns the undelivered ones at its end.
 * Retries, kept limits and kept score changes count until the idea has landed. Other kept commands apply to one run.
 * Files only, no decisions about a run.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { carriedDir } from '../config/paths.js';
import { readStored, type StoredKind } from '../config/stored.js';
import type { CarriedOver, KeptCommand } from '../protocol/activities.js';
import { writeAtomically } from './run.js';
import { texts } from './shapes.js';

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
  /** Run that took the hints and the kept commands. */
  takenBy?: string;
  retries?: number;
  kept?: Kept[];
}

export interface Kept extends Omit<KeptCommand, 'idea'> {
  /** ISO time. */
  at: string;
}

const CARRIED: StoredKind<Carried> = {
  schema: z.looseObject({
    version: z.literal(1),
    idea: z.string(),
    abandoned: z.looseObject({ at: z.string(), reason: z.string().optional() }).optional(),
    hints: texts.optional(),
    takenBy: z.string().optional(),
    kept: z
      .array(
        z.looseObject({ verb: z.string(), at: z.string(), n: z.number().optional(), reason: z.string().optional() }),
      )
      .optional(),
    retries: z.number().optional(),
  }) as unknown as z.ZodType<Carried>,
  fix: 'Remove the file, then abandon the idea or give the command again',
};

/** Verbs that count until the idea has landed (`rollback`, `closed`: until a `retry`). The others apply to one run. */
export const LASTING: ReadonlySet<Kept['verb']> = new Set(['limit', 'bump', 'score', 'rollback', 'closed', 'anew']);

/** Verbs with which the next start leaves the idea out. */
export const LEAVES_OUT: ReadonlySet<Kept['verb']> = new Set(['skip', 'rollback', 'closed']);

const fileOf = (root: string, project: string, idea: string): string => join(carriedDir(root, project), `${idea}.json`);

const read = (path: string): Promise<Carried | undefined> => readStored(path, CARRIED);

export async function writeCarried(root: string, project: string, next: Carried): Promise<void> {
  const path = fileOf(root, project, next.idea);
  if (!next.abandoned && !next.hints?.length && !next.retries && !next.kept?.length) {
    await rm(path, { force: true });
    return;
  }
  await mkdir(carriedDir(root, project), { recursive: true });
  await writeAtomically(path, JSON.stringify(next, null, 2));
}

export const recordOf = async (root: string, project: string, idea: string): Promise<Carried> =>
  (await read(fileOf(root, project, idea))) ?? { version: 1, idea };

/** Ids of ideas with a record. */
async function recorded(root: string, project: string): Promise<string[]> {
  const names = await readdir(carriedDir(root, project)).catch(() => []);
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

export async function allCarried(root: string, project: string): Promise<Carried[]> {
  const ideas = await recorded(root, project);
  const found = await Promise.all(ideas.map((idea) => read(fileOf(root, project, idea))));
  return found.filter((one) => one !== undefined);
}

/** Commands that an abandoned idea no longer needs: no run takes it before a retry. */
const DROPPED: ReadonlySet<Kept['verb']> = new Set(['retry', 'unblock', 'skip', 'skip-step', 'bump']);

export async function noteAbandoned(root: string, project: string, idea: string, reason?: string): Promise<void> {
  const { kept = [], ...before } = await recordOf(root, project, idea);
  const abandoned = { at: new Date().toISOString(), ...(reason ? { reason } : {}) };
  await writeCarried(root, project, { ...before, abandoned, kept: kept.filter(({ verb }) => !DROPPED.has(verb)) });
}

/** Somebody closed its pull request. Noted at once, so that it outlasts a run that is cut off. */
export async function noteClosed(root: string, project: string, idea: string, reason: string): Promise<void> {
  const { kept = [], ...before } = await recordOf(root, project, idea);
  const closed: Kept = { verb: 'closed', at: new Date().toISOString(), reason };
  await writeCarried(root, project, { ...before, kept: [...kept.filter(isOfOthers), closed] });
}

/** Another pull request is open. */
export async function forgetClosed(root: string, project: string, idea: string): Promise<void> {
  const { kept = [], ...before } = await recordOf(root, project, idea);
  const left = kept.filter(isOfOthers);
  if (left.length < kept.length) await writeCarried(root, project, { ...before, kept: left });
}

const isOfOthers = ({ verb }: Kept): boolean => verb !== 'closed' && verb !== 'anew';

/** False when the idea was not abandoned. */
export async function takeBackAbandoned(root: string, project: string, idea: string): Promise<boolean> {
  const { abandoned, ...rest } = await recordOf(root, project, idea);
  if (!abandoned) return false;
  await writeCarried(root, project, rest);
  return true;
}

export async function abandonedIdeas(root: string, project: string): Promise<Map<string, Abandoned>> {
  return new Map(
    (await allCarried(root, project)).flatMap(({ idea, abandoned }) => (abandoned ? [[idea, abandoned] as const] : [])),
  );
}

export async function retriedIdeas(root: string, project: string): Promise<{ idea: string; count: number }[]> {
  return (await allCarried(root, project)).flatMap(({ idea, retries }) => (retries ? [{ idea, count: retries }] : []));
}

/** Assigns hints and kept commands to a run. A repeated call returns the same ones. */
export async function takeCarried(
  root: string,
  { project, runId }: { project: string; runId: string },
  ideas: ReadonlySet<string>,
): Promise<Required<Pick<CarriedOver, 'hints' | 'kept'>>> {
  const taken: Required<Pick<CarriedOver, 'hints' | 'kept'>> = { hints: [], kept: [] };
  for (const one of await allCarried(root, project)) {
    const { idea, hints = [], kept = [], takenBy = runId } = one;
    if (hints.length + kept.length === 0 || !ideas.has(idea)) continue;
    const mine = takenBy === runId;
    taken.kept.push(
      ...kept.filter(({ verb }) => mine || LASTING.has(verb)).map(({ at: _, ...command }) => ({ idea, ...command })),
    );
    if (!mine) continue;
    await writeCarried(root, project, { ...one, takenBy: runId });
    if (hints.length > 0) taken.hints.push({ idea, notes: hints });
  }
  return taken;
}

/** A person who names an idea again wants it to run. */
export const withoutThose = (kept: readonly KeptCommand[], again: readonly string[]): KeptCommand[] =>
  kept.flatMap((one) => {
    if (!again.includes(one.idea)) return one;
    return one.verb === 'rollback' ? [] : one.verb === 'closed' ? { idea: one.idea, verb: 'anew' } : one;
  });

function lasts(verb: Kept['verb'], idea: string, open: ReadonlyMap<string, string> | undefined): boolean {
  if (!LASTING.has(verb) || !open) return LASTING.has(verb);
  // A retry in the run cancels it.
  return verb === 'rollback' ? open.get(idea) === 'skipped' : open.has(idea);
}

/** Stores the facts for the next run at the end of this one. `known`: the ideas of this run; records of others stay. */
export async function carryOver(
  root: string,
  { project, runId }: { project: string; runId: string },
  known: ReadonlySet<string>,
  { abandoned, hints, retries = [], kept: said = [] }: CarriedOver,
  /** Final statuses of ideas that have not landed; absent: unknown. */
  open?: ReadonlyMap<string, string>,
): Promise<void> {
  const givenUp = new Map(abandoned.map((one) => [one.idea, one.reason]));
  const left = new Map(hints.map((one) => [one.idea, one.notes]));
  const counts = new Map(retries.map((one) => [one.idea, one.count]));
  const saidOf = (what: Kept['verb']) => new Set(said.flatMap(({ idea, verb }) => (verb === what ? [idea] : [])));
  const [off, anew] = [saidOf('rollback'), saidOf('anew')];
  for (const idea of new Set([
    ...givenUp.keys(),
    ...left.keys(),
    ...counts.keys(),
    ...off,
    ...anew,
    ...(await recorded(root, project)),
  ])) {
    if (!known.has(idea)) continue;
    // A damaged file does not fail the end of a run, and the run does not overwrite it: a person has to repair it.
    const before = await read(fileOf(root, project, idea)).catch(() => 'unusable' as const);
    if (before === 'unusable') continue;
    const reason = givenUp.get(idea);
    const since = before?.abandoned ?? { at: new Date().toISOString(), reason: reason || undefined };
    // Hints of another run, or newer ones, must stay.
    const others = before?.takenBy === runId ? [] : (before?.hints ?? []);
    const count = counts.get(idea);
    const notes = [...(left.get(idea) ?? []), ...others];
    const kept = (before?.kept ?? []).filter(({ verb }) => {
      if (verb === 'anew') return false;
      // Only a retry or a landing reverses it, whatever the end of the run made of the idea.
      if (verb === 'closed') return !anew.has(idea) && (!open || open.has(idea));
      return before?.takenBy !== runId || lasts(verb, idea, open);
    });
    if (anew.has(idea)) kept.push({ verb: 'anew', at: new Date().toISOString() });
    if (off.has(idea) && !kept.some(({ verb }) => verb === 'rollback'))
      kept.push({ verb: 'rollback', at: new Date().toISOString() });
    await writeCarried(root, project, {
      ...{ version: 1, idea },
      ...(givenUp.has(idea) ? { abandoned: since } : {}),
      ...(notes.length > 0 ? { hints: notes } : {}),
      ...(count ? { retries: count } : {}),
      ...(kept.length > 0 ? { kept } : {}),
    });
  }
}
