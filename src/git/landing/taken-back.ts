/**
 * Landed ideas whose change is no longer in the target, or not in all its files: a commit that names no idea, or a
 * landing that a person amended, took it back (as one in a checkout that lags does), or the branch was reset or rewritten.
 * Invariant: an idea counts as taken back only when nothing of its change is left and some of it is certainly gone; and
 * as partly taken back when that is so in some of its files, until the next landing has named it. What later ideas made
 * of it is work, not loss. What a person took back stays so, whatever ideas land or are rolled back in the same place
 * since. Moves no ref and touches no file.
 */

import { type Git, git } from '../runner.js';
import { isWithin } from '../within.js';
import { changedPaths } from './checkout.js';
import { hasForeign, type LineCommit, readLine } from './first-parents.js';
import { ideaHistory, type Landed, type Landing, landedOnce } from './landed.js';
import { whatIsLeft } from './left.js';
import { asLanded, type Rewritten, rewrittenOf } from './rewritten.js';

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
  const { landed: all, reworded, within } = await read();
  const known = new Map([...all].filter(([idea]) => !within.has(idea)));
  const landed = only ? new Map([...known].filter(([idea]) => only.has(idea))) : known;
  const oldest = await oldestOf(repo, landed, reworded);
  if (!oldest) return [];
  const rewritten = await rewrittenOf(look, known);
  if (rewritten.size === 0 && !(await hasForeign(repo, target, oldest))) return [];
  const line: Line = { commits: withNames(await readLine(repo, target, oldest), reworded), rewritten };
  const found: TakenBack[] = [];
  const fresh = sinceLanding(line, look.before);
  const suspected = suspects(line, landed, look);
  const some = look.whole ? suspected.filter(([, at]) => !standsAsLanded(line, at, backlogPath)) : suspected;
  for (const [idea, at] of some.slice(0, MOST_LOOKED_AT)) {
    const took = await whoTookBack(look, idea, { line, at, fresh });
    if (!took || (look.whole && took.part)) continue;
    const own = rewritten.get(line.commits[at]?.sha ?? '')?.original.sha ?? landed.get(idea) ?? '';
    found.push({ idea, landed: own, ...took, ...(took.part ? {} : { stays: true }) });
  }
  return found;
}

/** The first-parent line, newest first, and which of its commits a person made out of a landing. */
interface Line {
  commits: readonly LineCommit[];
  rewritten: ReadonlyMap<string, Rewritten>;
}

/** Landings are in order, newest first, but for reworded ones. */
async function oldestOf(
  repo: string,
  landed: ReadonlyMap<string, string>,
  reworded: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const own = [...landed].filter(([idea]) => reworded.has(idea)).map(([, commit]) => commit);
  const named = [...landed].filter(([idea]) => !reworded.has(idea)).at(-1)?.[1];
  const all = [...(named === undefined ? [] : [named]), ...own];
  if (own.length === 0 || all.length < 2) return all[0];
  return git(repo).run(['merge-base', '--octopus', ...all], { read: true });
}

/** What a person gave other words is a landing as before. */
function withNames(line: readonly LineCommit[], reworded: ReadonlyMap<string, string>): readonly LineCommit[] {
  const names = new Map<string, string[]>();
  for (const [idea, commit] of reworded) names.set(commit, [...(names.get(commit) ?? []), idea]);
  return line.map((one) => ({ ...one, landed: [...one.landed, ...(names.get(one.sha) ?? [])] }));
}

/** What a person changed with it, beyond what an idea did. */
function foreignFiles({ rewritten }: Line, { sha, landed, reverted, files }: LineCommit): ReadonlySet<string> {
  if (landed.length + reverted.length === 0) return new Set(files.keys());
  return rewritten.get(sha)?.otherwise ?? new Set();
}

const isForeign = ({ rewritten }: Line, { sha, landed, reverted }: LineCommit): boolean =>
  rewritten.has(sha) || landed.length + reverted.length === 0;

/** Whether no later commit has changed one of the files of a landing. */
function standsAsLanded({ commits, rewritten }: Line, at: number, backlogPath: string | undefined): boolean {
  const commit = commits[at];
  if (!commit || rewritten.has(commit.sha)) return false;
  const touched = new Set(commits.slice(0, at).flatMap(({ files }) => [...files.keys()]));
  // A merge of several ideas has the files of all of them.
  if (commit.landed.length > 1) return false;
  const own = [...commit.files.keys()].filter((path) => !isWithin(path, backlogPath));
  return own.some((path) => !touched.has(path));
}

/** Commits that name no idea since the newest landing; with `before`, between that landing and the one before it. */
function sinceLanding(line: Line, before: string | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  for (const commit of line.commits) {
    if (isForeign(line, commit)) found.add(commit.sha);
    else if (commit.landed.some((idea) => idea !== before)) break;
  }
  return found;
}

/** Ideas with a file that a person's later commit changed, or whose landing a person rewrote; where on the line they landed. */
function suspects(
  line: Line,
  landed: ReadonlyMap<string, string>,
  { before, backlogPath }: Look,
): [idea: string, at: number][] {
  const touched = new Set<string>();
  const found = new Map<string, number>();
  let open = true;
  for (const [at, commit] of line.commits.entries()) {
    const foreign = isForeign(line, commit);
    if (foreign && open) for (const path of foreignFiles(line, commit)) touched.add(path);
    if (!foreign && before !== undefined && !commit.landed.includes(before)) open = false;
    // Of a rewritten one, its own work may be missing.
    const hit =
      (open && line.rewritten.has(commit.sha)) ||
      [...commit.files.keys()].some((path) => !isWithin(path, backlogPath) && touched.has(path));
    if (hit) for (const id of commit.landed) if (landed.has(id) && !found.has(id)) found.set(id, at);
  }
  return [...found];
}

interface Where {
  line: Line;
  /** Where on the line the idea landed. */
  at: number;
  /** A part that an earlier commit took has been named before. */
  fresh: ReadonlySet<string>;
}

async function whoTookBack(
  { repo, target, backlogPath }: Look,
  idea: string,
  { line: whole, at, fresh }: Where,
): Promise<Pick<TakenBack, 'by' | 'part'> | undefined> {
  const line = whole.commits;
  const [named] = (await ideaHistory({ repo, target, backlogPath }, idea)).landings;
  const newest = named ?? landingAt(line[at]);
  if (!newest) return undefined;
  const own = line[at]?.sha === newest.to ? whole.rewritten.get(newest.to) : undefined;
  const landing = own ? asLanded(newest, own) : newest;
  const paths = (await changedPaths(repo, landing.from, landing.to)).filter((path) => !isWithin(path, backlogPath));
  const left = await whatIsLeft(repo, landing);
  const { kept, unsure } = await left(`refs/heads/${target}`);
  const older = versions(line.slice(at), landing.commits);
  const tip = await blobs(git(repo), target, paths);
  const restored = (path: string): boolean => older.get(path)?.has(tip.get(path) ?? NONE) === true;
  const foreign = line.slice(0, own ? at + 1 : at).filter((commit) => isForeign(whole, commit));
  const changes = (commit: LineCommit, path: string): boolean => foreignFiles(whole, commit).has(path);
  // Ideas have changed the same place since: what people left there counts.
  const leftGone = async (path: string): Promise<boolean> => {
    const last = foreign.find((commit) => changes(commit, path));
    if (!last) return false;
    // A merge with the change in it conflicts.
    if (deletes(last, path)) return true;
    const then = await left(last.sha);
    return !then.kept.has(path) && !then.unsure.has(path);
  };
  const lost: string[] = [];
  for (const path of paths)
    if (unsure.has(path) ? restored(path) || (await leftGone(path)) : !kept.has(path)) lost.push(path);
  if (lost.length === 0) return undefined;
  const partly = paths.some((path) => kept.has(path) && !unsure.has(path));
  const later = partly ? foreign.filter(({ sha }) => fresh.has(sha)) : foreign;
  const isOwn = ({ sha }: LineCommit): boolean => own !== undefined && sha === newest.to;
  const touching = later.filter((commit) => isOwn(commit) || lost.some((path) => changes(commit, path))).reverse();
  for (const commit of touching.slice(0, MOST_STEPS)) {
    // What an idea had removed before is not this commit's doing.
    const before = await left(isOwn(commit) ? landing.to : `${commit.sha}^`);
    const after = await left(commit.sha);
    const took = (path: string): boolean =>
      (before.kept.has(path) || before.unsure.has(path)) &&
      ((!after.kept.has(path) && !after.unsure.has(path)) ||
        deletes(commit, path) ||
        older.get(path)?.has(blobOf(commit, path)) === true);
    const part = lost.filter((path) => took(path) && !(partly && isMove(commit, path)));
    const by = { commit: commit.sha, subject: commit.subject, at: commit.at };
    if (part.length > 0) return partly ? { by, part } : { by };
  }
  return undefined;
}

/** Of a reworded commit, which does not name its idea. */
const landingAt = (commit: LineCommit | undefined): Landing | undefined =>
  commit?.parent === undefined
    ? undefined
    : { from: commit.parent, to: commit.sha, commits: [commit.sha], subjects: [commit.subject] };

/** A file may be gone because the commit made others of it. */
const isMove = ({ files }: LineCommit, path: string): boolean =>
  named(files.get(path)?.to ?? '-') === NONE && [...files.values()].some(({ from }) => named(from) === NONE);

const deletes = (commit: LineCommit, path: string): boolean =>
  named(commit.files.get(path)?.to ?? '-') === NONE && !isMove(commit, path);

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
