/**
 * Landed ideas whose change is no longer in the target, or not in all its files: a commit that names no idea took it back
 * (as one in a checkout that lags does), or the branch was reset or rewritten.
 * Invariant: an idea counts as taken back only when nothing of its change is left and some of it is certainly gone; and
 * as partly taken back when that is so in some of its files, until the next landing has named it. What later ideas made
 * of it is work, not loss. Moves no ref and touches no file.
 */

import { type Git, git } from '../runner.js';
import { isWithin } from '../within.js';
import { changedPaths } from './checkout.js';
import { hasForeign, type LineCommit, readLine } from './first-parents.js';
import { ideaHistory, type Landed, landedOnce } from './landed.js';
import { whatIsLeft } from './left.js';

export interface TakenBack {
  idea: string;
  /** What it landed as. */
  landed: string;
  /** The commit that took it back, and when (epoch ms); absent: the branch was reset or rewritten without it. */
  by?: { commit: string; subject: string; at?: number };
  /** The files in which that commit took it back, where the rest of the idea is still there. */
  part?: string[];
  /** ralphctl's own rollback, so that the next start may run the idea. */
  rolledBack?: true;
  /** Its trailer on the target is in force: no start runs it before a person says so. */
  stays?: true;
  /** There is no such branch any more. */
  noBranch?: true;
}

export interface Look {
  repo: string;
  target: string;
  /** The backlog inside the repository: its ticks are not what an idea is about. */
  backlogPath?: string | undefined;
  /** Only ideas that commits took back between the landing of this idea and the one before it. */
  before?: string | undefined;
  /** Only these ideas; absent: all. */
  only?: ReadonlySet<string>;
  /** Only ideas of which nothing is left, which takes less time. */
  whole?: boolean;
}

const MOST_LOOKED_AT = 50;

/** Ideas that one commit or another took back, newest landing first. */
export async function takenBack(
  look: Look,
  read: Landed = landedOnce(look.repo, look.target, look.backlogPath),
): Promise<TakenBack[]> {
  const { repo, target, backlogPath, only } = look;
  const { landed: known } = await read();
  const landed = only ? new Map([...known].filter(([idea]) => only.has(idea))) : known;
  const oldest = [...landed.values()].at(-1);
  if (!oldest || !(await hasForeign(repo, target, oldest))) return [];
  const line = await readLine(repo, target, oldest);
  const found: TakenBack[] = [];
  const fresh = sinceLanding(line, look.before);
  const all = suspects(line, landed, look);
  const some = look.whole ? all.filter(([, at]) => !standsAsLanded(line, at, backlogPath)) : all;
  for (const [idea, at] of some.slice(0, MOST_LOOKED_AT)) {
    const took = await whoTookBack(look, idea, { line, at, fresh });
    if (took && !(look.whole && took.part))
      found.push({ idea, landed: landed.get(idea) ?? '', ...took, ...(took.part ? {} : { stays: true }) });
  }
  return found;
}

/** Whether no later commit has changed one of the files of a landing. */
function standsAsLanded(line: readonly LineCommit[], at: number, backlogPath: string | undefined): boolean {
  const touched = new Set(line.slice(0, at).flatMap(({ files }) => [...files.keys()]));
  // A merge of several ideas has the files of all of them.
  if ((line[at]?.landed.length ?? 0) > 1) return false;
  const own = [...(line[at]?.files.keys() ?? [])].filter((path) => !isWithin(path, backlogPath));
  return own.some((path) => !touched.has(path));
}

/** Commits that name no idea since the newest landing; with `before`, between that landing and the one before it. */
function sinceLanding(line: readonly LineCommit[], before: string | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { sha, landed, reverted } of line) {
    if (landed.some((idea) => idea !== before)) break;
    if (landed.length === 0 && reverted.length === 0) found.add(sha);
  }
  return found;
}

/** Ideas with a file that a later commit changed which names no idea; where on the line they landed. */
function suspects(
  line: readonly LineCommit[],
  landed: ReadonlyMap<string, string>,
  { before, backlogPath }: Look,
): [idea: string, at: number][] {
  const touched = new Set<string>();
  const found = new Map<string, number>();
  let open = true;
  for (const [at, commit] of line.entries()) {
    if (commit.landed.length === 0 && commit.reverted.length === 0) {
      if (open) for (const path of commit.files.keys()) touched.add(path);
      continue;
    }
    if (before !== undefined && !commit.landed.includes(before)) open = false;
    const hit = [...commit.files.keys()].some((path) => !isWithin(path, backlogPath) && touched.has(path));
    if (hit) for (const id of commit.landed) if (landed.has(id) && !found.has(id)) found.set(id, at);
  }
  return [...found];
}

interface Where {
  line: readonly LineCommit[];
  /** Where on the line the idea landed. */
  at: number;
  /** A part that an earlier commit took has been named before. */
  fresh: ReadonlySet<string>;
}

async function whoTookBack(
  { repo, target, backlogPath }: Look,
  idea: string,
  { line, at, fresh }: Where,
): Promise<Pick<TakenBack, 'by' | 'part'> | undefined> {
  const [landing] = (await ideaHistory({ repo, target, backlogPath }, idea)).landings;
  if (!landing) return undefined;
  const paths = (await changedPaths(repo, landing.from, landing.to)).filter((path) => !isWithin(path, backlogPath));
  const left = await whatIsLeft(repo, landing);
  const { kept, unsure } = await left(`refs/heads/${target}`);
  const older = versions(line.slice(at), landing.commits);
  const tip = await blobs(git(repo), target, paths);
  const restored = (path: string): boolean => older.get(path)?.has(tip.get(path) ?? NONE) === true;
  const lost = paths.filter((path) => (unsure.has(path) ? restored(path) : !kept.has(path)));
  if (lost.length === 0) return undefined;
  const partly = paths.some((path) => kept.has(path) && !unsure.has(path));
  const foreign = line.slice(0, at).filter((commit) => commit.landed.length === 0 && commit.reverted.length === 0);
  const later = partly ? foreign.filter(({ sha }) => fresh.has(sha)) : foreign;
  const touching = later.filter((commit) => lost.some((path) => commit.files.has(path))).reverse();
  for (const commit of touching.slice(0, MOST_STEPS)) {
    // What an idea had removed before is not this commit's doing.
    const before = await left(`${commit.sha}^`);
    const after = await left(commit.sha);
    const took = (path: string): boolean =>
      (before.kept.has(path) || before.unsure.has(path)) &&
      ((!after.kept.has(path) && !after.unsure.has(path)) || older.get(path)?.has(blobOf(commit, path)) === true);
    const part = lost.filter((path) => took(path) && !(partly && isMove(commit, path)));
    const by = { commit: commit.sha, subject: commit.subject, at: commit.at };
    if (part.length > 0) return partly ? { by, part } : { by };
  }
  return undefined;
}

/** A file may be gone because the commit made others of it. */
const isMove = ({ files }: LineCommit, path: string): boolean =>
  named(files.get(path)?.to ?? '-') === NONE && [...files.values()].some(({ from }) => named(from) === NONE);

const MOST_STEPS = 20;
const NONE = 'none';
const named = (blob: string): string => (/^0+$/.test(blob) ? NONE : blob);
const blobOf = (commit: LineCommit, path: string): string => named(commit.files.get(path)?.to ?? '-');

/** Blobs that files had before a landing. `line` begins with what brought it there. */
function versions(line: readonly LineCommit[], commits: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [n, { sha, files }] of line.entries()) {
    for (const [path, { from, to }] of files) {
      const seen = found.get(path) ?? new Set();
      seen.add(named(from));
      if (n > 0 && !commits.includes(sha)) seen.add(named(to));
      found.set(path, seen);
    }
  }
  return found;
}

async function blobs(repo: Git, target: string, paths: readonly string[]): Promise<Map<string, string>> {
  const specs = paths.slice(0, 500).map((path) => `:(top,literal)${path}`);
  const args = ['ls-tree', '-r', '-z', '--full-tree', `refs/heads/${target}`, '--', ...specs];
  const { stdout } = await repo.result(args, { read: true });
  const found = new Map<string, string>();
  for (const entry of stdout.split('\0')) {
    const [, blob, path] = /^\d+ \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
    if (blob && path) found.set(path, blob);
  }
  return found;
}
