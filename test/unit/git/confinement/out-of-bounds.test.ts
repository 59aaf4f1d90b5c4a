/** Which moves of a ref a traced command made, by the second of its reflog line. Pure. Features: C5. */
import { describe, expect, it } from 'vitest';
import { findOutOfBounds, madeSince } from '../../../../src/git/confinement/out-of-bounds.js';
import type { Outside } from '../../../../src/git/confinement/outside.js';

const REF = 'refs/heads/main';
const [FROM, TO] = ['a'.repeat(40), 'b'.repeat(40)];
const outside = (commit: string): Outside => ({
  ...{ head: `ref: ${REF}`, refs: { [REF]: commit }, config: '', stashes: [], worktrees: [], index: commit },
});
const move = (at: number) => ({ from: FROM, to: TO, at, text: 'commit: stray', line: `${FROM} ${TO} ${at}` });

/** A commit in the checkout from `from` to `to` (epoch ms), and its reflog line. */
function changes(from: number, to: number, second: number): string[] {
  const command = { name: 'commit', argv: ['git', 'commit'], worktree: '/repo', from, to, ok: true, children: 0 };
  return findOutOfBounds(outside(FROM), outside(TO), {
    ...{ worktree: '/work', branch: 'ralph/i-1', headMoves: [], made: new Set<string>(), root: '/repo', linked: [] },
    ...{ commands: [command], moves: new Map([[REF, [move(second)]]]), config: { before: '', file: '' } },
  }).map(({ what }) => what);
}

describe('a commit in the checkout, by the second of its reflog line', () => {
  it.each([
    ['within the command', 5000, 5900, 5],
    ['the second before, which a coarse clock still had when the command began', 5004, 5900, 4],
    ['a later second of a long command', 5004, 9000, 8],
  ])('%s: the command moved the branch', (_, from, to, second) => {
    expect(changes(from, to, second)).toEqual([expect.stringMatching(/^moved the branch main/)]);
  });

  it.each([
    ['long before', 5500, 5900, 4],
    ['after', 5000, 5900, 6],
  ])('%s: somebody else moved it', (_, from, to, second) => {
    expect(changes(from, to, second)).toEqual(['ran git in your checkout: git commit']);
  });
});

it('a commit counts as made since a moment that its clock had not reached yet', () => {
  expect(madeSince([move(4)], 5004)).toEqual(new Set([TO]));
  expect(madeSince([move(4)], 5500)).toEqual(new Set());
});

/** What a command of an agent in its worktree is said to have set, where somebody added a remote meanwhile. */
function sets(argv: readonly string[], url: string): string[] {
  const added = `[remote "other"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/other/*\n`;
  const command = { name: argv[1] ?? '', argv: [...argv], worktree: '/work', from: 0, to: 1, ok: true, children: 0 };
  return findOutOfBounds(
    outside(FROM),
    { ...outside(FROM), config: added },
    {
      ...{ worktree: '/work', branch: 'ralph/i-1', headMoves: [], made: new Set<string>(), root: '/repo', linked: [] },
      ...{ commands: [command], moves: new Map(), config: { before: '', file: '' } },
    },
  ).map(({ what }) => what);
}

describe('a remote that was added while an agent ran', () => {
  it.each([
    ['its git kept house, and the path has the word', ['git', 'maintenance', 'run', '--auto'], '/var/run/repo'],
    ['its words are parts of words of the path', ['git', 'push', 'in', 'ma'], '/tmp/main/tin'],
    ['it set up upkeep', ['git', 'maintenance', 'register'], '/tmp/x'],
  ])('%s: somebody else added it', (_, argv, url) => {
    expect(sets(argv, url)).toEqual([]);
  });

  it('it added a remote of that name: it did', () => {
    expect(sets(['git', 'remote', 'add', 'other', '/tmp/x'], '/tmp/x')).toEqual([
      'changed the configuration of your repository: git remote add other /tmp/x',
    ]);
  });
});
