/**
 * The refs of commits that were in review (`refs/ralphctl/review/IDEA/`), which say whose push a branch on the remote has,
 * and where the commits of an idea on top of it begin.
 * Invariant: the refs of an idea go once it has landed and has no branch any more, except where the branch of another
 * idea still stands on them. Moves no branch.
 */
import { landedIdeas } from '../landing/landed.js';
import { ideaBranch, REVIEWS, reviewRef } from '../refs.js';
import { git } from '../runner.js';

interface Review {
  name: string;
  idea: string;
  commit: string;
}

const BRANCHES = `refs/heads/${ideaBranch('x').slice(0, -1)}`;

/** The branch of an idea, and whether commits of other ideas are or were in review: one process. */
export async function readTipAndReviews(repo: string, idea: string): Promise<{ tip?: string; others: boolean }> {
  const own = `refs/heads/${ideaBranch(idea)}`;
  const lines = await readRefs(repo, [own, REVIEWS]);
  const tip = lines.find(([, name]) => name === own)?.[0];
  const others = lines.some(([, name]) => name.startsWith(REVIEWS) && !name.startsWith(`${reviewRef(idea)}/`));
  return { ...(tip === undefined ? {} : { tip }), others };
}

/** Call when the review of an idea is over and its work is on the target. */
export async function dropReviews(repo: string, target: string, idea: string): Promise<void> {
  const lines = await readRefs(repo, [REVIEWS, BRANCHES]);
  const branches = new Set(lines.map(([, name]) => name).filter((name) => name.startsWith(BRANCHES)));
  const all = lines.flatMap(([commit, name]): Review[] =>
    name.startsWith(REVIEWS) ? [{ commit, name, idea: name.slice(REVIEWS.length).split('/', 1)[0] ?? '' }] : [],
  );
  const over = all.filter((one) => !branches.has(`refs/heads/${ideaBranch(one.idea)}`));
  // Of others, on whose refs a branch stood until now.
  const landed = new Set([idea, ...(over.some((one) => one.idea !== idea) ? await landedIdeas(repo, target) : [])]);
  const done = over.filter((one) => landed.has(one.idea));
  if (done.length === 0) return;
  const args = ['rev-list', ...branches, '--not', `refs/heads/${target}`, '--'];
  const needed = new Set(branches.size > 0 ? (await git(repo).run(args, { read: true })).split('\n') : []);
  const input = done
    .filter(({ commit }) => !needed.has(commit))
    .map(({ name, commit }) => `delete ${name} ${commit}\n`)
    .join('');
  if (input !== '') await git(repo).run(['update-ref', '--stdin'], { input });
}

async function readRefs(repo: string, patterns: readonly string[]): Promise<[commit: string, name: string][]> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...patterns];
  const lines = (await git(repo).run(args, { read: true })).split('\n').filter(Boolean);
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}
