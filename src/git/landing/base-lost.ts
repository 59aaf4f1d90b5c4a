/**
 * Why a target does not contain the commit from which an idea began: somebody rewound it, or the idea began on another
 * branch, because the run has another target now.
 * Invariant: reads only. The reflog of the target decides; where it knows nothing, a branch that has the commit does.
 */

import { shellQuoted, shellWord } from '../../protocol/shell-words.js';
import { readCommits } from '../commits.js';
import { readMoves } from '../confinement/outside.js';
import { RepositoryError } from '../errors.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { listWorktrees } from '../worktrees/list.js';
import { namedIdeas } from './first-parents.js';

interface Lost {
  repo: string;
  target: string;
  /** The commit from which the idea began. */
  base: string;
  idea: string;
  branch: string;
}

/** For a person, with the command that leads on. */
export async function baseLost(lost: Lost): Promise<RepositoryError> {
  const { repo, target, base, idea, branch } = lost;
  const there = (await listWorktrees(repo)).find((one) => one.branch === branch)?.path;
  const rebase = `rebase --onto ${shellWord(target)} ${short(base)}`;
  const command = `git ${there === undefined ? `${rebase} ${shellWord(branch)}` : `-C ${shellQuoted(there)} ${rebase}`}`;
  const other = (await wasOnTarget(lost)) ? undefined : await otherBranch(lost);
  if (other === undefined)
    return new RepositoryError(
      `${target} was rewound: it no longer contains ${short(base)}, from which ${idea} started.`,
      `Rebase its commits onto the new ${target} (${command}).`,
    );
  const landed = await landedThere(lost);
  return new RepositoryError(
    `${idea} started on ${other} at ${short(base)}, and ${target} does not contain that${landed === '' ? '' : `: ${landed} landed on ${other}`}.`,
    `Land it there: ralphctl start --target ${shellWord(other)}. Or take its own commits along to ${target}: ${command}, then: ralphctl answer ${idea} "moved".`,
  );
}

async function wasOnTarget({ repo, target, base }: Lost): Promise<boolean> {
  const moves = await readMoves(await sharedGitDir(repo), `refs/heads/${target}`);
  const been = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].filter((one) => !/^0+$/.test(one));
  if (been.includes(base)) return true;
  // It may have been below a tip of that time.
  for (const tip of been.reverse().slice(0, MOST_TIPS)) {
    const found = await git(repo).result(['merge-base', '--is-ancestor', base, tip], { ok: [0, 1, 128], read: true });
    if (found.code === 0) return true;
  }
  return false;
}

const MOST_TIPS = 100;

/** A branch of a person that has the commit; the one of the checkout first. */
async function otherBranch({ repo, base }: Lost): Promise<string | undefined> {
  const args = ['for-each-ref', '--format=%(HEAD)%(refname:lstrip=2)', `--contains=${base}`, 'refs/heads/'];
  const lines = (await git(repo).run(args, { read: true })).split('\n').filter((line) => line.length > 1);
  const found = lines.filter((line) => !line.slice(1).startsWith('ralph/'));
  return (found.find((line) => line.startsWith('*')) ?? found[0])?.slice(1);
}

const MOST_NAMED = 5;

/** The landed ideas on which it builds and that the target does not have. */
async function landedThere({ repo, target, base }: Lost): Promise<string> {
  const commits = await readCommits(repo, `refs/heads/${target}..${base}`).catch(() => []);
  const ideas = [...new Set(commits.flatMap(({ message }) => namedIdeas(message).landed))].reverse();
  const more = ideas.length > MOST_NAMED ? ` and ${ideas.length - MOST_NAMED} more` : '';
  return `${ideas.slice(0, MOST_NAMED).join(', ')}${more}`;
}

const short = (commit: string): string => commit.slice(0, 10);
