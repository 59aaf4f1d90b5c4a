/**
 * What of landed work is no longer on its target: taken back by a commit, rolled back, or lost with a reset, a rewrite or
 * the branch itself.
 * Invariant: what a reset lost counts only with a proof that it had landed: the record of a run, the reflog of the target,
 * or a claim whose landing was finished. Moves no ref and touches no file.
 */

import { isCommitId } from '../commit-id.js';
import { readMoves } from '../confinement/outside.js';
import { branchRef, claimRef, ideaBranch, readTips } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { namedIdeas, PINNED_LOG } from './first-parents.js';
import { type Landed, landedOnce } from './landed.js';
import { type Look, type TakenBack, takenBack } from './taken-back.js';

/** Ideas that landed by the record of a run, with the commit where it is known. */
export type Recorded = ReadonlyMap<string, string | undefined>;

/**
 * Of these landed ideas, the ones whose work is no longer on the target, or not in all its files: also those that were
 * rolled back in their name. `others` may have landed.
 */
export async function goneOf(
  look: Look,
  recorded: Recorded,
  {
    others = [],
    read = landedOnce(look.repo, look.target, look.backlogPath),
  }: { others?: readonly string[]; read?: Landed } = {},
): Promise<TakenBack[]> {
  const unsure = others.filter((idea) => !recorded.has(idea));
  const ideas = [...recorded.keys(), ...unsure];
  if (ideas.length === 0) return [];
  const { repo, target } = look;
  const name = `refs/heads/${target}`;
  const tips = await readTips(repo, [name, ...ideas.map(claimRef)]);
  const landedAs = (idea: string): string => recorded.get(idea) ?? tips.get(claimRef(idea)) ?? '';
  if (!tips.has(name)) return [...recorded.keys()].map((idea) => ({ idea, landed: landedAs(idea), noBranch: true }));
  const [{ landed, rolledBack }, gone, off] = await Promise.all([
    read(),
    takenBack({ ...look, only: new Set(ideas) }, read),
    rewound(repo, target, unsure, read),
  ]);
  const back = ideas.flatMap((idea): TakenBack[] => {
    const one = rolledBack.get(idea);
    if (!one) return [];
    return [
      {
        idea,
        landed: one.landed ?? landedAs(idea),
        by: { commit: one.commit, subject: one.subject },
        rolledBack: true,
      },
    ];
  });
  const unnamed = [...recorded.keys()].filter((idea) => !landed.has(idea) && !rolledBack.has(idea));
  const there = await onTarget(repo, name, unnamed.map(landedAs));
  const lost = unnamed.flatMap((idea): TakenBack[] =>
    there.has(landedAs(idea)) ? [] : [{ idea, landed: landedAs(idea) }],
  );
  return [...back, ...gone, ...lost, ...off.filter(({ idea }) => !rolledBack.has(idea))];
}

/** Of these commits, the ones on the target: a forge that squashes a pull request drops the trailers that name the idea. */
async function onTarget(repo: string, target: string, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = [...new Set(commits)].filter(isCommitId);
  if (asked.length === 0) return new Set();
  const known = await git(repo).run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    read: true,
    input: `${asked.join('\n')}\n`,
  });
  const there = known.split('\n').flatMap((line) => (line.endsWith(' commit') ? (line.split(' ', 1)[0] ?? []) : []));
  if (there.length === 0) return new Set();
  const input = `${[`^${target}`, ...there].join('\n')}\n`;
  const elsewhere = new Set((await git(repo).run(['rev-list', '--stdin'], { read: true, input })).split('\n'));
  return new Set(there.filter((one) => !elsewhere.has(one)));
}

/** Of these ideas, the ones that were on the target once, and are not since it was reset or rewritten. */
export async function rewound(
  repo: string,
  target: string,
  ideas: readonly string[],
  read: Landed = landedOnce(repo, target),
): Promise<TakenBack[]> {
  const names = new Map(ideas.map((idea) => [claimRef(idea), idea]));
  if (names.size === 0) return [];
  const claims = await readTips(repo, [...names.keys()]);
  if (claims.size === 0) return [];
  const [{ landed, rolledBack }, moves] = await Promise.all([
    read(),
    sharedGitDir(repo).then((dir) => readMoves(dir, `refs/heads/${target}`)),
  ]);
  const been = new Set(moves.map(({ to }) => to));
  const found: TakenBack[] = [];
  const unsure = new Map<string, string>();
  for (const [name, commit] of claims) {
    const idea = names.get(name) ?? '';
    if (landed.has(idea)) continue;
    if (been.has(commit)) found.push({ idea, landed: commit });
    else if (!rolledBack.has(idea)) unsure.set(idea, commit);
  }
  for (const [idea, commit] of unsure) if (await wasFinished(repo, idea, commit)) found.push({ idea, landed: commit });
  return found;
}

/**
 * Without a reflog: a claim may be of a landing that another try replaced. What had landed has no branch any more, names
 * the idea, and is on no other branch.
 */
async function wasFinished(repo: string, idea: string, commit: string): Promise<boolean> {
  const branch = await readTips(repo, [`refs/heads/${ideaBranch(idea)}`, branchRef(idea)]);
  if (branch.size > 0) return false;
  const run = git(repo);
  const args = ['log', '-1', '--format=%B', commit, '--'];
  const { stdout, code } = await run.result(args, { ok: [0, 128], read: true, config: PINNED_LOG });
  if (code !== 0 || !namedIdeas(stdout).landed.includes(idea)) return false;
  const holders = await run.run(['for-each-ref', '--format=%(refname)', `--contains=${commit}`, 'refs/heads/'], {
    read: true,
  });
  // Branches of ideas begin at the target as it was.
  return holders.split('\n').every((name) => name === '' || name.startsWith('refs/heads/ralph/'));
}
