/**
 * On whose pull request a branch stands (`landing.stack`): git says so, because every commit that was in review has a ref.
 * Invariant: reads only. Also true after the pull request below was squashed, rebased or closed, and in a later run.
 */
import { REVIEWS, reviewRef } from '../refs.js';
import { git } from '../runner.js';

/**
 * The newest commit of another idea's pull request that `head` contains and `without` does not: the idea's own commits
 * begin after it.
 */
export async function reviewBelow(
  repo: string,
  { idea, head, without }: { idea: string; head: string; without: string },
): Promise<string | undefined> {
  const args = [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    `--merged=${head}`,
    `--no-merged=${without}`,
    REVIEWS,
  ];
  const lines = (await git(repo).run(args, { read: true })).split('\n').filter(Boolean);
  const commits = lines.flatMap((line) => {
    const [commit = '', name = ''] = line.split(' ');
    return name.startsWith(`${reviewRef(idea)}/`) ? [] : [commit];
  });
  if (commits.length < 2) return commits[0];
  const order = ['rev-list', '--topo-order', '-n', '1', ...new Set(commits), '--'];
  return git(repo).run(order, { read: true });
}
