/** What counts as getting somewhere (B4, B6): one measure for warnings and ladder, judged on content. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { count, countAsBefore, leftBy, nothingWatched } from '../../../../src/decide/idea/stall.js';
import type { GateResult } from '../../../../src/protocol/gate.js';

const gate = (more: Partial<GateResult> = {}): GateResult => ({ pass: false, commands: [], durationMs: 1, ...more });
const red = (command: string, failed = 1): GateResult =>
  gate({
    failure: { command, exitCode: 1, timedOut: false, tail: String(Math.random()), log: `/log/${Math.random()}` },
    tests: { passed: 9, failed, skipped: 0, total: 9 + failed },
  });
const green = gate({ pass: true });
type Iteration = [tree: string, gate?: GateResult, step?: number];

/** Iterations in a row that got nowhere, after each. The idea begins at tree `0`. */
function idle(iterations: Iteration[]): number[] {
  let watch = nothingWatched();
  return iterations.map(([tree, said, step]) => {
    watch = count(watch, leftBy({ tree, changed: tree !== '0' }, said, step));
    return watch.same;
  });
}

describe('B4 progress', () => {
  test.each<[string, (string | undefined)[], number[]]>([
    ['the same reason again, whatever the files are', ['markers in a', 'markers in a', 'markers in a'], [0, 1, 2]],
    ['other reasons', ['markers in a and b', 'markers in b', 'refused'], [0, 0, 0]],
    ['an iteration between that claims nothing', ['markers in a', undefined, 'markers in a'], [0, 0, 1]],
  ])('COMPLETE turned down: %s', (_, reasons, expected) => {
    let watch = nothingWatched();
    const found = reasons.map((turnedDown, at) => {
      watch = count(watch, leftBy({ tree: `t${at}`, changed: true }, undefined, undefined, turnedDown));
      return watch.same;
    });
    expect(found).toEqual(expected);
  });

  it('COMPLETE turned down after a green gate, and a gate as red as before it', () => {
    let watch = count(nothingWatched(), leftBy({ tree: 'a', changed: true }, green));
    for (const turnedDown of ['markers', 'markers'])
      watch = count(watch, leftBy({ tree: turnedDown + watch.seen?.length, changed: true }, undefined, 0, turnedDown));
    expect(watch.same).toBe(1);
    expect(count(watch, leftBy({ tree: 'b', changed: true }, red('test'))).same).toBe(0);
  });

  test.each<[string, Iteration[], number[]]>([
    ['nothing is ever changed', [['0'], ['0'], ['0']], [1, 2, 3]],
    ['the first iteration changes something', [['a'], ['a'], ['a']], [0, 1, 2]],
    ['every iteration does', [['a'], ['b'], ['c']], [0, 0, 0]],
    ['to and fro between two states', [['a'], ['b'], ['a'], ['b'], ['a']], [0, 0, 1, 2, 3]],
    ['round and round through three', [['a'], ['b'], ['c'], ['a'], ['b'], ['d']], [0, 0, 0, 1, 2, 0]],
    [
      'files change, the gate is red as before',
      [
        ['a', red('test')],
        ['b', red('test')],
      ],
      [0, 1],
    ],
    [
      'fewer tests fail',
      [
        ['a', red('test', 2)],
        ['b', red('test', 1)],
      ],
      [0, 0],
    ],
    [
      'another command is red',
      [
        ['a', red('test')],
        ['b', red('lint')],
      ],
      [0, 0],
    ],
    [
      'red again, with an iteration between that was not gated',
      [['a', red('test')], ['b'], ['c', red('test')]],
      [0, 0, 1],
    ],
    [
      'red after green',
      [
        ['a', red('test')],
        ['b', green],
        ['c', red('test')],
      ],
      [0, 0, 0],
    ],
    ['the same files, first gated now', [['a'], ['a', red('test')]], [0, 0]],
    [
      'the next step of a plan begins with the files of the last',
      [
        ['a', undefined, 0],
        ['a', undefined, 1],
      ],
      [0, 0],
    ],
    [
      'the gate is red the same in the next step',
      [
        ['a', red('test'), 0],
        ['b', red('test'), 1],
      ],
      [0, 0],
    ],
  ])('%s', (_what, iterations, expected) => {
    expect(idle(iterations)).toEqual(expected);
  });

  it('never counts a state that was not left before, nor forgets one that was left a moment ago', () => {
    const trees = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 80 });
    fc.assert(
      fc.property(trees, (row) => {
        const counts = idle(row.map((tree) => [tree]));
        row.forEach((tree, at) => {
          if (!row.slice(0, at).includes(tree)) expect(counts[at]).toBe(0);
          if (row.slice(Math.max(0, at - 6), at).includes(tree)) expect(counts[at]).toBeGreaterThan(0);
        });
      }),
    );
  });

  it('what is remembered does not grow', () => {
    let watch = nothingWatched();
    for (let n = 0; n < 500; n++) watch = count(watch, leftBy({ tree: `tree ${n}`, changed: true }, undefined));
    expect(watch.seen).toHaveLength(6);
  });

  it('runs that began without a ladder count as they did', () => {
    let watch = nothingWatched();
    const counts = [...'aaabab'].map((tree) => {
      watch = countAsBefore(watch, leftBy({ tree, changed: true }, undefined));
      return watch.same;
    });
    expect(counts).toEqual([1, 2, 3, 1, 1, 1]);
  });
});
