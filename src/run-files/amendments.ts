/**
 * Stores people's changes to ideas that are not in the backlog (`edit`, `split`), so that later runs start with them.
 * Each idea has one file in the project's folder.
 * Invariant: a change applies only to the text that the person changed; when the backlog's text differs, the backlog
 * wins. ralphctl reports both cases. Files only, no decisions about a run.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readStored, type StoredKind } from '../config/stored.js';
import type { Idea } from '../protocol/idea.js';
import { writeAtomically } from './run.js';
import { editedFields, ideaShape } from './shapes.js';

type Limits = Pick<Idea, 'maxIterations' | 'timeoutMinutes' | 'iterationTimeoutMinutes'>;
export type AmendedFields = Partial<Pick<Idea, 'title' | 'text' | 'success'> & Limits>;

export interface Amendment {
  version: 1;
  idea: string;
  /** Fingerprint of the idea in the backlog. */
  of: string;
  /** ISO time of the last change. */
  at: string;
  fields?: AmendedFields;
  /** The ideas that replace it. */
  parts?: Idea[];
}

const AMENDMENT: StoredKind<Amendment> = {
  schema: z.looseObject({
    version: z.literal(1),
    idea: z.string(),
    of: z.string(),
    at: z.string(),
    fields: z.looseObject(editedFields).optional(),
    parts: z.array(ideaShape).optional(),
  }) as unknown as z.ZodType<Amendment>,
  fix: 'Remove the file, then edit or split the idea again',
};

const folder = (root: string, project: string): string => join(projectDir(root, project), 'amendments');
const fileOf = (root: string, project: string, idea: string): string => join(folder(root, project), `${idea}.json`);

function fingerprint({ title, text, success, promise, plan, blue }: Idea): string {
  return createHash('sha256')
    .update(JSON.stringify([title, text, success, promise, plan, blue]))
    .digest('hex');
}

const read = (path: string): Promise<Amendment | undefined> => readStored(path, AMENDMENT);

/** Adds a change to an idea. `idea`: as the run received it. */
export async function amend(
  root: string,
  project: string,
  idea: Idea,
  change: Pick<Amendment, 'fields' | 'parts'>,
): Promise<void> {
  const path = fileOf(root, project, idea.id);
  const before = await read(path);
  const fields = { ...before?.fields, ...change.fields };
  const parts = change.parts ?? before?.parts;
  const next: Amendment = {
    version: 1,
    idea: idea.id,
    // A run that began with a change already has the changed text.
    of: before?.of ?? fingerprint(idea),
    at: new Date().toISOString(),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(parts ? { parts } : {}),
  };
  await mkdir(folder(root, project), { recursive: true });
  await writeAtomically(path, JSON.stringify(next, null, 2));
}

/** Removes all changes, or one kind. False when none existed. */
export async function forget(root: string, project: string, idea: string, what?: 'fields' | 'parts'): Promise<boolean> {
  const path = fileOf(root, project, idea);
  const before = await read(path);
  if (!before || (what && before[what] === undefined)) return false;
  const { fields, parts, ...rest } = before;
  const left = what === 'fields' ? parts && { parts } : what === 'parts' ? fields && { fields } : undefined;
  if (left) await writeAtomically(path, JSON.stringify({ ...rest, ...left }, null, 2));
  else await rm(path, { force: true });
  return true;
}

/** Ids of ideas with changes, applicable or not. */
export async function amendedIdeas(root: string, project: string): Promise<string[]> {
  const names = await readdir(folder(root, project)).catch(() => []);
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

/** Which ideas people split into which, oldest first; whether the split still applies, only the backlog tells. */
export async function splitIdeas(root: string, project: string): Promise<{ idea: string; parts: string[] }[]> {
  return (await allAmendments(root, project)).flatMap(({ idea, parts }) =>
    parts ? [{ idea, parts: parts.map(({ id }) => id) }] : [],
  );
}

/** Oldest first. */
async function allAmendments(root: string, project: string): Promise<Amendment[]> {
  const ideas = await amendedIdeas(root, project);
  const all = await Promise.all(ideas.map((idea) => read(fileOf(root, project, idea))));
  return all.filter((one) => one !== undefined).sort((a, b) => a.at.localeCompare(b.at));
}

export interface Amended {
  ideas: Idea[];
  /** Sentences for the person who starts a run: changes that apply, and changes that no longer apply. */
  said: string[];
  /** Ids of ideas whose changes no longer apply. */
  stale: string[];
  /** Ids of ideas that a split added. The backlog has no lines for them. */
  parts: string[];
}

/** The ideas of a backlog with their changes. `landed`: ids that need no more work. `again`: ids that a person wants again. */
export async function amended(
  root: string,
  project: string,
  ideas: readonly Idea[],
  landed: () => Promise<ReadonlySet<string>>,
  again: readonly string[] = [],
): Promise<Amended> {
  const known = await allAmendments(root, project);
  const state: Amended = { ideas: [...ideas], said: [], stale: [], parts: [] };
  if (known.length === 0) return state;
  const done = await landed();
  // The parts of an idea may have changes too.
  for (const one of known) if (one.parts) take(state, one, done, 'parts', again);
  for (const one of known) if (one.fields && !one.parts) take(state, one, done, 'fields');
  return state;
}

function take(
  state: Amended,
  one: Amendment,
  landed: ReadonlySet<string>,
  what: 'fields' | 'parts',
  again: readonly string[] = [],
): void {
  const { idea: id, of, at, fields, parts = [] } = one;
  const now = state.ideas.find((idea) => idea.id === id);
  // Once its last part had landed, the whole got a tick.
  const over = (now?.done || landed.has(id)) && !parts.some((part) => again.includes(part.id));
  if (!now || over || state.stale.includes(id)) return;
  const verb = what === 'parts' ? 'split' : 'edit';
  const when = at.slice(0, 16).replace('T', ' ');
  const taken = what === 'parts' ? parts.find((part) => state.ideas.some((idea) => idea.id === part.id)) : undefined;
  const cause =
    fingerprint(now) !== of
      ? 'the backlog has a newer text for it'
      : taken && `the backlog now has an idea ${taken.id}`;
  if (cause) {
    state.stale.push(id);
    state.said.push(`the ${verb} of ${id} (${when} UTC) no longer applies: ${cause}`);
    return;
  }
  const back = `return to the backlog with: ralphctl ${verb} ${id} --forget`;
  if (what === 'parts') {
    state.said.push(`${id} is split into ${parts.map((part) => part.id).join(', ')} (${when} UTC); ${back}`);
    state.parts.push(...parts.map((part) => part.id));
    const { plan: _, ...group } = now;
    state.ideas = state.ideas.flatMap((idea) =>
      idea === now ? [{ ...group, blue: true, done: false }, ...parts] : [idea],
    );
  } else {
    state.said.push(`${id} keeps its edit (${when} UTC); ${back}`);
    state.ideas = state.ideas.map((idea) => (idea === now ? { ...idea, ...fields } : idea));
  }
}
