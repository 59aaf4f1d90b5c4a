/**
 * An idea that began on a landing which ralphctl itself moved on top of the remote's commits. It lands its own commits
 * only: what a person took off since does not come back in its name. Features: D1 D2.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { landedIdeas } from '../../../../src/git/landing/landed.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
/** The tip of the target from which the idea began, with the landing of i-9. */
let base: string;
let worktree: string;

const main = (...args: string[]) => sh(repo.root, ...args);
const files = async () => (await main('ls-tree', '--name-only', 'main')).split('\n');

/** i-1 works on top of i-9; then somebody else pushes, and i-9 lands again on top of that. */
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  base = await commitFiles(repo.root, { 'nine.txt': '9\n' }, 'feat: nine\n\nRalph-Idea: i-9');
  worktree = (await worktreeOf(repo, 'i-1')).path;
  await commitFiles(worktree, { 'a.txt': 'two\n' }, 'first');
  await commitFiles(worktree, { 'own.txt': 'own\n' }, 'second');
  await main('reset', '-q', '--hard', repo.base);
  await commitFiles(repo.root, { 'theirs.txt': 'theirs\n' }, 'theirs');
  await main('cherry-pick', base);
  await main('update-ref', `refs/ralphctl/replaced/main/${base.slice(0, 12)}`, base);
});
afterEach(() => repo.remove());

const TAKEN: Record<string, () => Promise<unknown>> = {
  'rolled back': async () => {
    await main('rm', '-q', 'nine.txt');
    await main('commit', '-q', '-m', 'revert: nine\n\nRalph-Reverted: i-9');
  },
  'reset away': () => main('reset', '-q', '--hard', 'HEAD~1'),
};
const STRATEGIES = ['rebase', 'squash', 'merge'] as const;
const ways = Object.keys(TAKEN).flatMap((how) => STRATEGIES.map((strategy) => ({ how, strategy })));

describe('work that a person took off meanwhile', () => {
  it.each(ways)('$how: does not come back with the idea, by $strategy', async ({ how, strategy }) => {
    await TAKEN[how]?.();
    const before = await main('rev-parse', 'main');
    const head = await main('rev-parse', 'ralph/i-1');
    const got = await landWork(repo, 'i-1', { base, strategy });
    expect(got).toMatchObject({ kind: 'landed', commits: { rebase: 2, squash: 1, merge: 3 }[strategy] });
    expect(await files()).toEqual(['a.txt', 'own.txt', 'theirs.txt']);
    expect(await main('show', 'main:a.txt')).toBe('two');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1']);
    const brought = await main(
      'log',
      '--format=%(trailers:key=Ralph-Idea,valueonly,separator=%x2C)',
      `${before}..main`,
    );
    expect([...new Set(brought.split('\n'))]).toEqual(['i-1']);
    expect(await main('merge-base', '--is-ancestor', base, 'main').catch(() => 'not in it')).toBe('not in it');
    // A second try after a crash finds it.
    expect(await landWork(repo, 'i-1', { base, strategy, head })).toMatchObject({
      commit: await main('rev-parse', 'main'),
    });
    expect(await files()).not.toContain('nine.txt');
  });

  it.each(STRATEGIES)('is no part of an idea that merged the target in between, by %s', async (strategy) => {
    await sh(worktree, 'merge', '-q', '--no-edit', 'main');
    await TAKEN['rolled back']?.();
    expect(await landWork(repo, 'i-1', { base, strategy })).toMatchObject({ kind: 'landed' });
    expect(await files()).toEqual(['a.txt', 'own.txt', 'theirs.txt']);
  });

  it('stops an idea that was moved onto it', async () => {
    await sh(worktree, 'rebase', '-q', '--onto', 'main', base, 'ralph/i-1');
    await TAKEN['reset away']?.();
    const before = await main('rev-parse', 'main');
    await expect(landWork(repo, 'i-1', { base })).rejects.toThrow(/main was rewound: it no longer contains/);
    expect(await main('rev-parse', 'main')).toBe(before);
  });
});

describe('work that is still there', () => {
  it.each(STRATEGIES)('stays once, by %s', async (strategy) => {
    expect(await landWork(repo, 'i-1', { base, strategy })).toMatchObject({ kind: 'landed' });
    expect(await files()).toEqual(['a.txt', 'nine.txt', 'own.txt', 'theirs.txt']);
    expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(['i-1', 'i-9']);
    expect(await main('log', '--format=%s', '--grep=^Ralph-Idea: i-9', 'main')).toBe('feat: nine');
  });

  it('stays, where the idea was moved onto it', async () => {
    await sh(worktree, 'rebase', '-q', '--onto', 'main', base, 'ralph/i-1');
    expect(await landWork(repo, 'i-1', { base })).toMatchObject({ kind: 'landed', commits: 2 });
    expect(await files()).toEqual(['a.txt', 'nine.txt', 'own.txt', 'theirs.txt']);
  });
});
