/** The ideas that a branch contains, by the trailers of landings. Reads only. */
import { git } from '../runner.js';
import { namedIdeas, PINNED_LOG } from './first-parents.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';

/**
 * Landed ideas on `target` with the newest commit of each, newest first, without ideas that were undone in their name.
 * One process.
 */
export async function landedCommits(repo: string, target: string): Promise<Map<string, string>> {
  const args = [
    'log',
    '--topo-order',
    `--grep=^${IDEA_TRAILER}: `,
    `--grep=^${REVERTED_TRAILER}: `,
    '-z',
    '--format=%H%n%B',
  ];
  const { stdout } = await git(repo).result([...args, `refs/heads/${target}`, '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const verdict = new Map<string, string | undefined>();
  for (const record of stdout.split('\0')) {
    const end = record.indexOf('\n');
    const { landed, reverted } = namedIdeas(record.slice(end + 1));
    for (const id of reverted) if (!verdict.has(id)) verdict.set(id, undefined);
    for (const id of landed) if (!verdict.has(id)) verdict.set(id, record.slice(0, end));
  }
  return new Map([...verdict].flatMap(([id, commit]) => (commit === undefined ? [] : [[id, commit] as const])));
}

/** Ids of landed ideas on `target`, newest first. */
export const landedIdeas = async (repo: string, target: string): Promise<string[]> => [
  ...(await landedCommits(repo, target)).keys(),
];

/*
 * The commits of an idea's landing on a branch, by their trailers, for any strategy.
 * Invariant: reads only. Undone landings, and landings before them, are excluded.
 */

/** Commits of one landing in a row: `to` contains them all, `from` none of them. */
export interface Landing {
  from: string;
  to: string;
  commits: string[];
  subjects: string[];
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

export async function ideaHistory(repo: string, target: string, idea: string): Promise<IdeaHistory> {
  const entries = await readEntries(repo, target, idea);
  const back = entries[0]?.landed === false ? entries[0] : undefined;
  const rest = back ? entries.slice(1) : entries;
  const older = rest.findIndex((entry) => !entry.landed);
  const own = await withoutSides(repo, older < 0 ? rest : rest.slice(0, older));
  const landings = group(own);
  if (!back) return { landings };
  return { landings: [], reverted: { commit: back.sha, commits: landings.flatMap((one) => one.commits).length } };
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

/** A merge that landed the idea represents the commits that it brought in. */
async function withoutSides(repo: string, entries: readonly Entry[]): Promise<Entry[]> {
  const covered = new Set<string>();
  for (const entry of entries) {
    const { sha, parents } = entry;
    if (parents.length < 2 || covered.has(sha)) continue;
    const brought = await git(repo).run(['rev-list', `${parents[0]}..${sha}`], { read: true });
    entry.sides = brought.split('\n').filter((one) => one !== sha);
    for (const one of entry.sides) covered.add(one);
  }
  return entries.filter((entry) => !covered.has(entry.sha) && entry.parents.length > 0);
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
