/**
 * Landed work that is on a branch under a person's own words: the commit that has it names no idea any more.
 * Invariant: without the name of its idea, a commit counts by its contents or by a proof that it replaced the landing:
 * it is by the author of the landing, of the same second, and has the same change or the same parent; or the reflog says
 * that the landing was amended; or every file of the landing still has its change. Reads no working tree, moves no ref.
 */

import { git } from '../runner.js';
import { isWithin } from '../within.js';
import type { Target } from './brought-back.js';
import { type LineCommit, PINNED_LOG, readEach } from './first-parents.js';
import { originalOf, workOf } from './original.js';
import { readAmends, readClaims } from './rewritten.js';

/** By idea: the commit that has its work now. */
export interface Reworded {
  /** Commits that are a landing in other words, and perhaps with another content, such as amended ones. */
  same: Map<string, string>;
  /** The newest commits that changed files of a landing whose work is on the branch. */
  within: Map<string, string>;
}

const MOST_READ = 1000;
const MOST_SEARCHED = 5000;
const MOST_AMENDED = 200;
/** Each takes processes of its own. */
const MOST_JUDGED = 20;

/** Of the ideas with a claim that the branch does not name. One process where it names all. */
export async function rewordedOn(about: Target, named: { has(idea: string): boolean }): Promise<Reworded> {
  const found: Reworded = { same: new Map(), within: new Map() };
  const { repo, target, backlogPath } = about;
  const [all, amends] = await Promise.all([readClaims(repo), readAmends(repo, target)]);
  const claims = [...all].filter(([idea]) => !named.has(idea)).slice(-MOST_READ);
  // What was amended may have lost its claim.
  const amended = [...new Set(amends.values())].slice(-MOST_AMENDED);
  if (claims.length + amended.length === 0) return found;
  const landings = await readEach(repo, [...claims.map(([, commit]) => commit), ...amended]);
  const claimed = claims.flatMap(([idea, commit]): Claimed[] => {
    const landing = landings.get(commit);
    return landing?.landed.includes(idea) ? [{ idea, landing }] : [];
  });
  const unclaimed = amended.flatMap((commit): Claimed[] => {
    const landing = landings.get(commit);
    const ideas = landing?.landed.filter((idea) => !named.has(idea) && !all.has(idea)) ?? [];
    return landing ? ideas.map((idea) => ({ idea, landing })) : [];
  });
  if (claimed.length + unclaimed.length === 0) return found;
  const onBranch = await readUnnamed(repo, target, { landings: [...claimed, ...unclaimed], amends });
  for (const { idea, landing } of [...claimed, ...unclaimed]) {
    const twins = onBranch.filter(({ author }) => author === landing.author);
    const twin =
      twins.find((one) => sameChange(one, landing, backlogPath)) ??
      onBranch.find(({ sha }) => amends.get(sha) === landing.sha) ??
      twins.find(({ parent }) => parent === landing.parent);
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

interface Sought {
  landings: readonly Claimed[];
  amends: ReadonlyMap<string, string>;
}

/** Commits on the branch that name no idea: by an author and second of a landing, or amended. Newest first. */
async function readUnnamed(repo: string, target: string, { landings, amends }: Sought): Promise<LineCommit[]> {
  const authors = new Set(landings.map(({ landing }) => landing.author));
  const args = ['log', '-z', '-n', String(MOST_SEARCHED), '--format=%H%x01%at %an <%ae>', `refs/heads/${target}`, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const alike = stdout.split('\0').flatMap((record) => {
    const [sha = '', author = ''] = record.split('\x01');
    return authors.has(author) || amends.has(sha) ? [sha] : [];
  });
  const read = await readEach(repo, alike);
  return [...read.values()].filter(({ landed, reverted }) => landed.length + reverted.length === 0);
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
async function hasAll(about: Target, idea: string, landing: LineCommit): Promise<string | undefined> {
  const { repo, target } = about;
  const original = await originalOf(repo, idea, landing);
  if (original === undefined) return undefined;
  const { paths, left } = await workOf(about, original);
  const { kept, unsure } = await left(`refs/heads/${target}`);
  const isThere = paths.every((path) => kept.has(path) || unsure.has(path)) && paths.some((path) => !unsure.has(path));
  if (paths.length === 0 || !isThere) return undefined;
  const files = paths.slice(0, 500).map((path) => `:(top,literal)${path}`);
  const args = ['log', '-n', '1', '--format=%H', `refs/heads/${target}`, '--not', landing.sha, '--', ...files];
  return (await git(repo).run(args, { read: true, config: PINNED_LOG })) || undefined;
}
