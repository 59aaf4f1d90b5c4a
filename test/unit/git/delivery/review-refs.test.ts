/** Refs of commits that were in review go with the review, and stay while another idea stands on them. Features: D2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dropReviews, readTipAndReviews } from '../../../../src/git/delivery/review-refs.js';
import { reviewBelow } from '../../../../src/git/delivery/stacked.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let lower: string;
let upper: string;
const main = (...args: string[]) => sh(repo.root, ...args);
const inReview = (idea: string, commit: string) => main('update-ref', `refs/ralphctl/review/${idea}/${commit}`, commit);
const refs = async (): Promise<string[]> =>
  (await main('for-each-ref', '--format=%(refname)', 'refs/ralphctl/review/')).split('\n').filter(Boolean);
const nameOf = (idea: string, commit: string): string => `refs/ralphctl/review/${idea}/${commit}`;

/** i-2 on top of i-1, both in review; i-1 was pushed twice. */
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  await main('switch', '-q', '-c', 'ralph/i-1');
  await inReview('i-1', await commitFiles(repo.root, { 'lower.txt': 'first\n' }, 'first'));
  lower = await commitFiles(repo.root, { 'lower.txt': 'l\n' }, 'lower');
  await inReview('i-1', lower);
  await main('switch', '-q', '-c', 'ralph/i-2');
  upper = await commitFiles(repo.root, { 'upper.txt': 'u\n' }, 'upper');
  await inReview('i-2', upper);
  await main('switch', '-q', 'main');
});
afterEach(() => repo.remove());

it('those of a landed idea go, and those that a branch on top of a squashed one needs stay until it has landed, too', async () => {
  await main('merge', '-q', '--squash', 'ralph/i-1');
  await main('commit', '-q', '-m', 'lower (#1)\n\nRalph-Idea: i-1');
  // Its branch has newer commits, or its worktree has edits: it may be pushed again.
  await dropReviews(repo.root, 'main', 'i-1');
  expect(await refs()).toHaveLength(3);
  await main('branch', '-q', '-D', 'ralph/i-1');
  await dropReviews(repo.root, 'main', 'i-1');
  expect(await refs()).toHaveLength(3);
  expect(await reviewBelow(repo.root, { idea: 'i-2', head: upper, without: 'main' })).toBe(lower);
  // It stands on the target now.
  await main('switch', '-q', 'ralph/i-2');
  await main('rebase', '-q', '--onto', 'main', lower);
  const moved = await main('rev-parse', 'HEAD');
  await inReview('i-2', moved);
  await main('switch', '-q', 'main');
  await inReview('i-3', moved);
  await main('merge', '-q', '--ff-only', 'ralph/i-2');
  await main('branch', '-q', '-D', 'ralph/i-2');
  await dropReviews(repo.root, 'main', 'i-2');
  // Of an idea that has not landed, such as one whose pull request was closed, they stay.
  expect(await refs()).toEqual([nameOf('i-3', moved)]);
});

it('a merge takes all of them at once, where nothing stands on them', async () => {
  await main('merge', '-q', '--no-ff', '-m', 'merged', 'ralph/i-1');
  await main('branch', '-q', '-D', 'ralph/i-1');
  await dropReviews(repo.root, 'main', 'i-1');
  expect(await refs()).toEqual([nameOf('i-2', upper)]);
  await dropReviews(repo.root, 'main', 'i-1');
  expect(await refs()).toEqual([nameOf('i-2', upper)]);
});

it('one look says whether a branch can stand on another idea', async () => {
  expect(await readTipAndReviews(repo.root, 'i-2')).toEqual({ tip: upper, others: true });
  expect(await readTipAndReviews(repo.root, 'i-9')).toEqual({ others: true });
  for (const name of await refs()) if (!name.includes('/i-2/')) await main('update-ref', '-d', name);
  expect(await readTipAndReviews(repo.root, 'i-2')).toEqual({ tip: upper, others: false });
});
