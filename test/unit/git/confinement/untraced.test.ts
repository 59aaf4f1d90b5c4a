/** Changes of the user's branches while agents run: landings of ralphctl are none of them (F1). */
import { describe, expect, it } from 'vitest';
import type { Outside } from '../../../../src/git/confinement/outside.js';
import { untracedChanges } from '../../../../src/git/confinement/untraced.js';

const REF = 'refs/heads/main';
const [A, B, C, X] = ['a', 'b', 'c', 'f'].map((digit) => digit.repeat(40)) as [string, string, string, string];

const at = (commit: string): Outside =>
  ({ refs: { [REF]: commit }, head: `ref: ${REF}`, stashes: [], config: '' }) as unknown as Outside;

/** A line of the reflog: a commit, with its text where no landing made it. */
type Line = string | readonly [commit: string, text: string];

/** The changes of a move from A to `to`, with this reflog; B and C are landings. */
const changes = (to: string, log: readonly Line[]) =>
  untracedChanges(at(A), at(to), {
    ...{ root: '/repo', gitDir: '/repo/.git' },
    moves: new Map([
      [
        REF,
        log
          .map((line) => (typeof line === 'string' ? [line, 'ralphctl: land'] : line))
          .map(([to, text]) => ({ to, text })),
      ],
    ]) as never,
    isOurs: (_, move) => [B, C].includes(move.to),
    fetched: false,
    madeInWorktrees: () => false,
    remotes: { before: new Map(), after: new Map() },
  });
const told = (to: string, log: readonly Line[]) => changes(to, log).map(({ subject }) => subject);

describe('a branch that moved', () => {
  it.each([
    ['by a landing', B, [A, B]],
    ['by two landings', C, [A, B, C]],
    ['by a landing, with another one before its reflog was read', B, [A, B, C]],
  ])('%s is no change', (_, to, log) => {
    expect(told(to, log)).toEqual([]);
  });

  it.each([
    ['by somebody', X, [A, X]],
    ['by somebody between two landings', C, [A, X, C]],
    ['by somebody, with a landing before its reflog was read', X, [A, X, B]],
    ['without a line in the reflog, after a landing', X, [A, B]],
  ])('%s is told', (_, to, log) => {
    expect(told(to, log)).toEqual([REF]);
  });

  const Y = 'e'.repeat(40);
  const [x, y] = [X, Y].map((commit) => commit.slice(0, 10));
  it.each<[string, string, Line[], string | undefined]>([
    ['without landings: a reset', X, [A, [X, 'commit: x']], `reset --keep ${A.slice(0, 10)}`],
    ['after a landing: a revert', X, [A, B, [X, 'revert: x']], `revert --no-edit ${x}`],
    ['before a landing that came later', X, [A, [X, 'commit: x'], B], `revert --no-edit ${x}`],
    ['around a landing: newest first', Y, [A, [X, 'commit: x'], B, [Y, 'commit: y']], `revert --no-edit ${y} ${x}`],
    ['a reset past a landing: none', X, [A, B, [X, 'reset: moving to HEAD~1']], undefined],
    ['an amended landing: none', X, [A, B, [X, 'commit (amend): x']], undefined],
    ['without a line in the reflog: none', X, [A, B], undefined],
  ])('F1: its undo keeps landings, %s', (_, to, log, undo) => {
    const [change] = changes(to, log);
    expect(change?.undo).toBe(undo && `git -C '/repo' ${undo}`);
    expect(change?.what).toContain(to.slice(0, 10));
  });
});
