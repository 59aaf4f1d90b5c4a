/** Changes of the user's branches while agents run: landings of ralphctl are none of them (F1). */
import { describe, expect, it } from 'vitest';
import type { Outside } from '../../../../src/git/confinement/outside.js';
import { untracedChanges } from '../../../../src/git/confinement/untraced.js';

const REF = 'refs/heads/main';
const [A, B, C, X] = ['a', 'b', 'c', 'f'].map((digit) => digit.repeat(40)) as [string, string, string, string];

const at = (commit: string): Outside =>
  ({ refs: { [REF]: commit }, head: `ref: ${REF}`, stashes: [], config: '' }) as unknown as Outside;

/** What is told about a move from A to `to`, with this reflog; B and C are landings. */
const told = (to: string, log: readonly string[]) =>
  untracedChanges(at(A), at(to), {
    root: '/repo',
    moves: new Map([[REF, log.map((commit) => ({ to: commit, text: 'ralphctl: land' }))]]) as never,
    isOurs: (_, move) => [B, C].includes(move.to),
    fetched: false,
    madeInWorktrees: () => false,
    remotes: { before: new Map(), after: new Map() },
  }).map(({ subject }) => subject);

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
});
