/**
 * Work on top of another idea's pull request (`landing.stack`): it lands its own commits only, whatever became of the
 * ones below it. Features: D1 D2.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reviewBelow } from '../../../../src/git/delivery/stacked.js';
import type { LandOptions } from '../../../../src/git/landing/land.js';
import { reopenForConflict } from '../../../../src/git/worktrees/reopen.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
/** The commit of i-1 that is in review, and the worktree of i-2 on top of it. */
let lower: string;
let worktree: string;
const handed: { commit: string; onto: string }[] = [];

const main = (...args: string[]) => sh(repo.root, ...args);
const inReview = (idea: string, commit: string) => main('update-ref', `refs/ralphctl/review/${idea}/${commit}`, commit);
const handOver: LandOptions['handOver'] = async ({ commit, onto }) => {
  handed.push({ commit, onto });
  return { kind: 'in-review', pull: { number: 1, url: '', candidate: commit, onto } };
};
const lands = (more: Partial<LandOptions> = {}) => landWork(repo, 'i-2', { base: lower, handOver, ...more });
/** Files that the handed commit changes, seen from what it stands on. */
async function own(): Promise<string[]> {
  const { commit = '', onto = '' } = handed.at(-1) ?? {};
  return (await main('diff', '--name-only', onto, commit)).split('\n').filter(Boolean);
}

beforeEach(async () => {
  handed.length = 0;
  repo = await makeRepo({ 'a.txt': 'one\n' });
  const first = (await worktreeOf(repo, 'i-1')).path;
  await commitFiles(first, { 'a.txt': 'lower\n' }, 'first of i-1');
  lower = await commitFiles(first, { 'lower.txt': 'lower\n' }, 'second of i-1');
  await inReview('i-1', lower);
  worktree = (await worktreeOf(repo, 'i-2', { base: lower })).path;
  await commitFiles(worktree, { 'a.txt': 'upper\n', 'upper.txt': 'u\n' }, 'work of i-2');
});
afterEach(() => repo.remove());

/** What a person did with the pull request of i-1, and its changes on the target then. */
const MERGES: Record<string, () => Promise<unknown>> = {
  'a merge commit': () => main('merge', '-q', '--no-ff', '-m', 'Merge', lower),
  'a squash': async () => {
    await main('merge', '-q', '--squash', lower);
    await main('commit', '-q', '-m', 'squashed');
  },
  'a rebase': async () => {
    await commitFiles(repo.root, { 'theirs.txt': 'theirs\n' }, 'theirs');
    await main('cherry-pick', `main..${lower}`);
  },
};
const STRATEGIES = ['rebase', 'squash', 'merge'] as const;
const ways = Object.keys(MERGES).flatMap((how) => STRATEGIES.map((strategy) => ({ how, strategy })));

describe('D2 work on top of a pull request', () => {
  it('stands on its commit, which the target lacks; the target stays', async () => {
    const before = await main('rev-parse', 'main');
    expect(await lands({ on: lower })).toMatchObject({ kind: 'in-review' });
    expect(handed).toMatchObject([{ onto: lower }]);
    expect(await own()).toEqual(['a.txt', 'upper.txt']);
    expect(await main('rev-parse', 'main')).toBe(before);
  });

  it('has nothing to show without a change of its own', async () => {
    expect(await lands({ on: lower, head: lower })).toMatchObject({ kind: 'waits-below', why: 'empty' });
    expect(handed).toEqual([]);
  });

  it.each(ways)(
    'after $how of the one below it lands its own commits only, by $strategy',
    async ({ how, strategy }) => {
      await MERGES[how]?.();
      expect(await lands({ strategy })).toMatchObject({ kind: 'in-review' });
      expect(handed).toMatchObject([{ onto: await main('rev-parse', 'main') }]);
      expect(await own()).toEqual(['a.txt', 'upper.txt']);
      const { commit = '' } = handed[0] ?? {};
      expect(await main('show', `${commit}:a.txt`)).toBe('upper');
      const subjects = (await main('log', '--format=%s', `main..${commit}`)).split('\n');
      expect(subjects).not.toContain('second of i-1');
    },
  );

  it('goes on top of new commits of the one below, also of other ones in their place', async () => {
    const more = await commitFiles(await below(), { 'lower.txt': 'better\n' }, 'third of i-1');
    await inReview('i-1', more);
    expect(await lands({ on: more })).toMatchObject({ kind: 'in-review' });
    expect(handed.at(-1)?.onto).toBe(more);
    expect(await own()).toEqual(['a.txt', 'upper.txt']);
    // i-1 landed again on top of a target that moved.
    const moved = await commitFiles(repo.root, { 'theirs.txt': 'theirs\n' }, 'theirs');
    await main('checkout', '-q', '--detach', moved);
    await main('cherry-pick', `${repo.base}..${more}`);
    const other = await main('rev-parse', 'HEAD');
    await main('checkout', '-q', 'main');
    await inReview('i-1', other);
    expect(await lands({ on: other })).toMatchObject({ kind: 'in-review' });
    expect(handed.at(-1)?.onto).toBe(other);
    expect(await own()).toEqual(['a.txt', 'upper.txt']);
  });
  const below = async () => (await worktreeOf(repo, 'i-1')).path;

  it('onto the target without the one below, that one’s work stays off', async () => {
    await commitFiles(worktree, { 'a.txt': 'lower\n' }, 'leaves the line of i-1 alone');
    expect(await lands()).toMatchObject({ kind: 'in-review' });
    expect(await own()).toEqual(['upper.txt']);
  });

  it('a conflict names where its own commits begin, and hands only those back', async () => {
    await main('merge', '-q', '--squash', lower);
    await main('commit', '-q', '-m', 'squashed');
    await commitFiles(repo.root, { 'a.txt': 'theirs\n', 'lower.txt': 'theirs\n' }, 'on top of it');
    const onto = await main('rev-parse', 'main');
    const got = await lands();
    expect(got).toMatchObject({ kind: 'conflict', onto, after: lower, files: ['a.txt'] });
    if (got.kind !== 'conflict') return;
    expect(got.detail).toContain('+theirs');
    expect(got.detail).not.toContain('lower.txt');
    const again = () => reopenForConflict({ worktree, idea: 'i-2', onto, after: got.after });
    expect(await again()).toEqual({ files: ['a.txt'] });
    expect(await again()).toEqual({ files: ['a.txt'] });
    expect(await read(worktree, 'a.txt')).toMatch(/<<<<<<<[\s\S]*theirs[\s\S]*upper[\s\S]*>>>>>>>/);
    // The file of the one below has no conflict: the target’s is the newer one.
    expect(await read(worktree, 'lower.txt')).toBe('theirs\n');
    expect(await sh(worktree, 'status', '--porcelain')).toBe('UU a.txt\nA  upper.txt');
  });

  it('what began on the target still asks when that lost commits, a merged pull request among them', async () => {
    await main('merge', '-q', '--no-ff', '-m', 'Merge', lower);
    const base = await commitFiles(repo.root, { 'theirs.txt': 'theirs\n' }, 'theirs');
    const { path } = await worktreeOf(repo, 'i-3');
    await commitFiles(path, { 'three.txt': '3\n' }, 'work of i-3');
    await main('reset', '-q', '--hard', repo.base);
    await expect(landWork(repo, 'i-3', { base, handOver })).rejects.toThrow(/main was rewound: it no longer contains/);
    expect(handed).toEqual([]);
  });

  it('git says on what a branch stands: the newest commit of another idea that was in review, and not its own', async () => {
    const head = await main('rev-parse', 'ralph/i-2');
    await inReview('i-2', head);
    const third = await commitFiles(worktree, { 'third.txt': '3\n' }, 'of i-3');
    const standsOn = (idea: string, tip: string) => reviewBelow(repo.root, { idea, head: tip, without: 'main' });
    expect([await standsOn('i-2', head), await standsOn('i-3', third), await standsOn('i-1', lower)]).toEqual([
      lower,
      head,
      undefined,
    ]);
    await main('merge', '-q', '--no-ff', '-m', 'Merge', lower);
    expect(await standsOn('i-2', head)).toBeUndefined();
  });
});
