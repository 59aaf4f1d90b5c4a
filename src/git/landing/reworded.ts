/**
 * Landed work that is on a branch under a person's own words: the commit that has it names no idea any more.
 * Invariant: without the name of its idea, only contents count: either a commit by the author of the landing, of the same
 * second and with the same change; or every file of the landing still has its change. Reads no working tree, moves no ref.
 */

import { git } from '../runner.js';
import { isWithin } from '../within.js';
import type { Target } from './brought-back.js';
import { changedPaths } from './checkout.js';
import { type LineCommit, namedIdeas, PINNED_LOG, readEach } from './first-parents.js';
import { whatIsLeft } from './left.js';
import { readClaims } from './rewritten.js';

/** By idea: the commit that has its work now. */
export interface Reworded {
  /** Commits that are a landing in other words. */
  same: Map<string, string>;
  /** The newest commits that changed files of a landing whose work is on the branch. */
  within: Map<string, string>;
}

const MOST_READ = 1000;
const MOST_SEARCHED = 5000;
/** Each takes processes of its own. */
const MOST_JUDGED = 20;

/** Of the ideas with a claim that the branch does not name. One process where it names all. */
export async function rewordedOn(about: Target, named: { has(idea: string): boolean }): Promise<Reworded> {
  const found: Reworded = { same: new Map(), within: new Map() };
  const { repo, target, backlogPath } = about;
  const claims = [...(await readClaims(repo))].filter(([idea]) => !named.has(idea)).slice(-MOST_READ);
  if (claims.length === 0) return found;
  const landings = await readEach(
    repo,
    claims.map(([, commit]) => commit),
  );
  const claimed = claims.flatMap(([idea, commit]): Claimed[] => {
    const landing = landings.get(commit);
    return landing?.landed.includes(idea) ? [{ idea, landing }] : [];
  });
  if (claimed.length === 0) return found;
  const twins = await readTwins(repo, target, claimed);
  for (const { idea, landing } of claimed) {
    const twin = twins.get(landing.author)?.find((one) => sameChange(one, landing, backlogPath));
    if (twin) found.same.set(idea, twin.sha);
  }
  const others = await stillThere(
    about,
    claimed.filter(({ idea }) => !found.same.has(idea)),
  );
  for (const { idea, landing } of others.slice(0, MOST_JUDGED)) {
    const commit = await hasAll(about, idea, landing);
    if (commit !== undefined) found.within.set(idea, commit);
  }
  return found;
}

interface Claimed {
  idea: string;
  landing: LineCommit;
}

/** Commits on the branch that name no idea, by an author and second of a landing. */
async function readTwins(
  repo: string,
  target: string,
  claimed: readonly Claimed[],
): Promise<Map<string, LineCommit[]>> {
  const authors = new Set(claimed.map(({ landing }) => landing.author));
  const args = ['log', '-z', '-n', String(MOST_SEARCHED), '--format=%H%x01%at %an <%ae>', `refs/heads/${target}`, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const found = new Map<string, LineCommit[]>();
  const alike = stdout.split('\0').flatMap((record) => {
    const [sha = '', author = ''] = record.split('\x01');
    return authors.has(author) ? [sha] : [];
  });
  for (const commit of (await readEach(repo, alike)).values()) {
    if (commit.landed.length + commit.reverted.length > 0) continue;
    found.set(commit.author, [...(found.get(commit.author) ?? []), commit]);
  }
  return found;
}

/** Outside the backlog; where a landing changed nothing else, the backlog counts. */
function ownFiles({ files }: LineCommit, backlogPath: string | undefined): LineCommit['files'] {
  const own = new Map([...files].filter(([path]) => !isWithin(path, backlogPath)));
  return own.size > 0 ? own : files;
}

function sameChange(one: LineCommit, landing: LineCommit, backlogPath: string | undefined): boolean {
  const own = ownFiles(landing, backlogPath);
  return own.size > 0 && [...own].every(([path, { to }]) => one.files.get(path)?.to === to);
}

/** Without those of which a file is certainly as it was before. One process. */
async function stillThere({ repo, target, backlogPath }: Target, claimed: readonly Claimed[]): Promise<Claimed[]> {
  const asked = claimed.flatMap(({ landing }) => [...ownFiles(landing, backlogPath).keys()]);
  const paths = [...new Set(asked)].filter((path) => !path.includes('\n'));
  if (paths.length === 0) return [];
  const input = paths.map((path) => `refs/heads/${target}:${path}\n`).join('');
  const { stdout } = await git(repo).result(['cat-file', '--batch-check=%(objectname)'], { read: true, input });
  const lines = stdout.split('\n');
  const now = new Map(paths.map((path, n) => [path, lines[n]?.endsWith(' missing') ? '' : (lines[n] ?? '')]));
  const isBefore = (path: string, from: string): boolean => now.get(path) === (/^0+$/.test(from) ? '' : from);
  return claimed.filter(({ landing }) => {
    const own = [...ownFiles(landing, backlogPath)];
    return own.length > 0 && own.every(([path, { from }]) => !isBefore(path, from));
  });
}

/** The newest commit that changed its files, where all of them still have the change. */
async function hasAll({ repo, target, backlogPath }: Target, idea: string, landing: LineCommit) {
  const from = await beginOf(repo, idea, landing);
  if (from === undefined) return undefined;
  const all = await changedPaths(repo, from, landing.sha);
  const outside = all.filter((path) => !isWithin(path, backlogPath));
  const own = outside.length > 0 ? outside : all;
  const left = await whatIsLeft(repo, { from, to: landing.sha, apart: true });
  const { kept, unsure } = await left(`refs/heads/${target}`);
  const isThere = own.every((path) => kept.has(path) || unsure.has(path)) && own.some((path) => !unsure.has(path));
  if (own.length === 0 || !isThere) return undefined;
  const files = own.slice(0, 500).map((path) => `:(top,literal)${path}`);
  const args = ['log', '-n', '1', '--format=%H', `refs/heads/${target}`, '--not', landing.sha, '--', ...files];
  return (await git(repo).run(args, { read: true, config: PINNED_LOG })) || undefined;
}

/** Where a landing of several commits begins. */
async function beginOf(repo: string, idea: string, { sha, parent }: LineCommit): Promise<string | undefined> {
  const args = ['log', '--first-parent', '-n', '200', '-z', '--format=%H%n%B', sha, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const before = stdout.split('\0').find((record) => {
    const end = record.indexOf('\n');
    return !namedIdeas(record.slice(end + 1)).landed.includes(idea);
  });
  return before?.slice(0, before.indexOf('\n')) ?? parent;
}
