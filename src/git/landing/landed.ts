/** The ideas that a branch contains, by the trailers of landings, or by their work where a person took the trailer off. Reads only. */
import { git } from '../runner.js';
import { revertedAgain, type Target } from './brought-back.js';
import { namedIdeas, PINNED_LOG } from './first-parents.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';
import { rewordedOn } from './reworded.js';

/**
 * Landed ideas on `target` with the newest commit of each, newest first, without ideas that were rolled back. Where
 * somebody reverted a rollback, the idea counts again. Two processes, and more only after a rollback, and for claims
 * that no commit names.
 */
export const landedCommits = async (repo: string, target: string, backlogPath?: string): Promise<Map<string, string>> =>
  (await readLanded(repo, target, backlogPath)).landed;

export interface RolledBack {
  /** Absent: no commit on the branch names its landing any more. */
  landed?: string;
  commit: string;
  subject: string;
}

interface OnBranch {
  landed: Map<string, string>;
  /** Of these, the landings that a person gave other words, without the name of the idea. */
  reworded: Map<string, string>;
  /** Of these, the ones whose work is within other commits: it is all there. */
  within: Set<string>;
  rolledBack: Map<string, RolledBack>;
}

/** What a branch had at the first call; for several questions about one moment. */
export type Landed = () => Promise<OnBranch>;

export function landedOnce(repo: string, target: string, backlogPath?: string): Landed {
  let read: Promise<OnBranch> | undefined;
  return () => {
    read ??= readLanded(repo, target, backlogPath);
    return read;
  };
}

async function readLanded(repo: string, target: string, backlogPath?: string): Promise<OnBranch> {
  const args = [
    'log',
    '--topo-order',
    `--grep=^${IDEA_TRAILER}: `,
    `--grep=^${REVERTED_TRAILER}: `,
    '-z',
    '--format=%H %P%n%B',
  ];
  const { stdout } = await git(repo).result([...args, `refs/heads/${target}`, '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const verdict = new Map<string, Verdict>();
  for (const record of stdout.split('\0')) {
    const end = record.indexOf('\n');
    const [commit = '', , secondParent] = record.slice(0, end).split(' ');
    const message = record.slice(end + 1);
    const { landed, reverted } = namedIdeas(message);
    const [subject = ''] = message.split('\n', 1);
    // The commits that a merge brought in say themselves what they took back.
    for (const id of secondParent ? [] : reverted)
      if (!verdict.has(id)) verdict.set(id, { rolledBack: { commit, subject } });
    for (const id of landed) {
      const known = verdict.get(id);
      if (!known) verdict.set(id, { landed: commit });
      else known.landed ??= commit;
    }
  }
  const rollbacks = [...verdict.values()].flatMap(({ landed, rolledBack }) =>
    rolledBack ? [{ commit: rolledBack.commit, landed }] : [],
  );
  const again = await revertedAgain({ repo, target, backlogPath }, rollbacks);
  const { same, within } = await rewordedOn({ repo, target, backlogPath }, verdict);
  const found: OnBranch = { landed: new Map(), rolledBack: new Map(), reworded: same, within: new Set(within.keys()) };
  for (const [id, { landed, rolledBack }] of verdict) {
    // Once a rollback is reverted, a landing that no commit names is there by that.
    const commit = landed ?? rolledBack?.commit;
    if (commit === undefined) continue;
    if (rolledBack === undefined || again.has(rolledBack.commit)) found.landed.set(id, commit);
    else found.rolledBack.set(id, { ...(landed === undefined ? {} : { landed }), ...rolledBack });
  }
  for (const [id, commit] of [...same, ...within]) found.landed.set(id, commit);
  return found;
}

interface Verdict {
  /** Its newest landing. */
  landed?: string;
  /** Its rollback, where that is the newest commit about it. */
  rolledBack?: { commit: string; subject: string };
}

/** Ids of landed ideas on `target`, newest first. */
export const landedIdeas = async (repo: string, target: string, backlogPath?: string): Promise<string[]> => [
  ...(await landedCommits(repo, target, backlogPath)).keys(),
];

/*
 * The commits of an idea's landing on a branch, by their trailers, for any strategy.
 * Invariant: reads only. Landings that were rolled back, and landings before them, are excluded, unless somebody reverted
 * the rollback.
 */

/** Commits of one landing in a row: `to` contains them all, `from` none of them. */
export interface Landing {
  from: string;
  to: string;
  commits: string[];
  subjects: string[];
  /** A person rewrote its last commit since: the target does not contain `to`. */
  apart?: true;
}

export interface IdeaHistory {
  /** Newest first; empty when the branch does not contain the idea. */
  landings: Landing[];
  /** The newest commit about the idea is this one, which undid it. */
  reverted?: { commit: string; commits: number };
}

interface Entry {
  sha: string;
  parents: string[];
  subject: string;
  landed: boolean;
  /** The commits that a merge brought in. */
  sides: string[];
}

export async function ideaHistory(about: Target, idea: string): Promise<IdeaHistory> {
  const { repo, target } = about;
  const landed: Entry[] = [];
  const entries = await withoutSides(repo, idea, await readEntries(repo, target, idea));
  for (const [place, entry] of entries.entries()) {
    if (entry.landed) {
      landed.push(entry);
      continue;
    }
    const landings = group(landed);
    const undid = entries.slice(place + 1).find((one) => one.landed)?.sha;
    const again = await revertedAgain(about, [{ commit: entry.sha, landed: undid, at: landings.at(-1)?.from }]);
    if (again.size > 0) continue;
    if (landings.length > 0) return { landings };
    const before = entries.slice(place + 1);
    const older = before.findIndex((one) => !one.landed);
    const undone = group(older < 0 ? before : before.slice(0, older));
    return { landings: [], reverted: { commit: entry.sha, commits: undone.flatMap((one) => one.commits).length } };
  }
  return { landings: group(landed) };
}

/** Commits that name the idea, children before parents; one process. */
async function readEntries(repo: string, target: string, idea: string): Promise<Entry[]> {
  const pattern = idea.replaceAll('.', '\\.');
  const { stdout } = await git(repo).result(
    [
      'log',
      '--topo-order',
      `--grep=^${IDEA_TRAILER}: *${pattern}`,
      `--grep=^${REVERTED_TRAILER}: *${pattern}`,
      '-z',
      '--format=%H%x01%P%x01%s%x01%B',
      `refs/heads/${target}`,
      '--',
    ],
    { read: true, config: PINNED_LOG },
  );
  const entries: Entry[] = [];
  for (const record of stdout.split('\0')) {
    const [sha = '', parents = '', subject = '', ...message] = record.split('\x01');
    const named = namedIdeas(message.join('\x01'));
    const reverted = named.reverted.includes(idea);
    if (!reverted && !named.landed.includes(idea)) continue;
    entries.push({ sha, parents: parents.split(' ').filter(Boolean), subject, landed: !reverted, sides: [] });
  }
  return entries;
}

/**
 * A merge that landed the idea represents the commits that it brought in. One that brought in other ideas, too, is no
 * landing of this one: its commits are.
 */
async function withoutSides(repo: string, idea: string, entries: readonly Entry[]): Promise<Entry[]> {
  const left = new Set<string>();
  for (const entry of entries) {
    const { sha, parents, landed } = entry;
    if (parents.length === 0) left.add(sha);
    if (parents.length < 2 || left.has(sha)) continue;
    const sides = (await broughtIn(repo, entry)).filter((one) => one.sha !== sha);
    if (!landed || sides.some(({ named }) => named.some((one) => one !== idea))) {
      left.add(sha);
      continue;
    }
    entry.sides = sides.map((one) => one.sha);
    for (const one of entry.sides) left.add(one);
  }
  return entries.filter(({ sha }) => !left.has(sha));
}

async function broughtIn(repo: string, { sha, parents }: Entry): Promise<{ sha: string; named: string[] }[]> {
  const args = ['log', '-z', '--format=%H%n%B', `${parents[0]}..${sha}`, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  return stdout
    .split('\0')
    .filter(Boolean)
    .map((record) => {
      const { landed, reverted } = namedIdeas(record.slice(record.indexOf('\n') + 1));
      return { sha: record.slice(0, record.indexOf('\n')), named: [...landed, ...reverted] };
    });
}

function group(entries: readonly Entry[]): Landing[] {
  const landings: Landing[] = [];
  for (const { sha, parents, subject, sides } of entries) {
    const [from = ''] = parents;
    const last = landings.at(-1);
    if (last?.from === sha) {
      last.from = from;
      last.commits.push(sha, ...sides);
      last.subjects.push(subject);
    } else landings.push({ from, to: sha, commits: [sha, ...sides], subjects: [subject] });
  }
  return landings;
}
