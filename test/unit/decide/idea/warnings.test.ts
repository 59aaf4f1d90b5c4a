/** Warnings (B6): judged on content, given once, answered once. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  answered,
  DEFAULT_WARNINGS,
  leftBy,
  nothingWatched,
  observe,
  readWarningAnswer,
  warn,
} from '../../../../src/decide/idea/stall.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import type { Warning, Watch } from '../../../../src/protocol/warnings.js';
import { card, closed, decided, pilotOf, say, settings } from '../support.js';

const at = (iteration: number, more: { most?: number; budget?: Record<string, string> } = {}) => ({
  ...{ iteration, most: 50, now: 1000 + iteration, settings: DEFAULT_WARNINGS },
  ...more,
});

/** `a` is where the idea began. */
const left = (tree: string) => leftBy({ tree, changed: tree !== 'a' }, undefined);
/** Runs the iterations that leave these trees; gives the kinds that were warned of after each. */
function through(trees: string[], most = 50): { kinds: string[][]; watch: Watch } {
  let watch = nothingWatched();
  const kinds = trees.map((tree, i) => {
    const step = warn(observe(watch, left(tree)), at(i + 1, { most }));
    watch = step.watch;
    return step.given.map(({ kind }) => kind);
  });
  return { kinds, watch };
}

describe('B6 stuck', () => {
  it('warns once after five iterations that left the same, and again after it moved and stood still anew', () => {
    const { kinds } = through([...'aaaaaaa', ...'bbbbbb']);
    expect(kinds.map((one) => one.length)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('says what was done about it', () => {
    const stuck = { ...nothingWatched(), same: 5 };
    const { given } = warn(stuck, { ...at(5), rungs: '; it asks you' });
    expect(given.map(({ text }) => text)).toEqual(['the last 5 iterations made no progress; it asks you']);
  });

  it('closes by itself when work goes on', () => {
    expect(through([...'aaaaa']).watch.open).toHaveLength(1);
    expect(through([...'aaaaab']).watch.open).toEqual([]);
  });

  it('does not warn of work that goes on, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (trees) => {
        const { kinds } = through(trees.map(String), 1000);
        kinds.forEach((given, i) => {
          const before = trees.slice(0, Math.max(0, i - 4));
          const lately = trees.slice(Math.max(0, i - 4), i + 1);
          if (given.includes('stuck'))
            expect(lately.every((tree, n) => [...before, ...lately.slice(0, n)].includes(tree))).toBe(true);
        });
      }),
    );
  });

  it('warns of an idea that goes back and forth', () => {
    expect(through([...'bcbcbcb']).kinds.map((one) => one.length)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it('when told to continue it warns again only after as long a time', () => {
    let { watch } = through([...'aaaaa']);
    watch = answered(watch);
    expect(watch.open).toEqual([]);
    const counts = [...'aaaaa'].map((tree, i) => {
      const step = warn(observe(watch, left(tree)), at(6 + i));
      watch = step.watch;
      return step.given.length;
    });
    expect(counts).toEqual([0, 0, 0, 0, 1]);
  });
});

describe('B6 iterations', () => {
  test.each([
    [50, 40],
    [30, 24],
    [5, 4],
  ])('of %d: one warning, at the %dth', (most, when) => {
    const trees = Array.from({ length: most }, (_, i) => String(i));
    const { kinds } = through(trees, most);
    expect(kinds.flatMap((given, i) => (given.includes('iterations') ? [i + 1] : []))).toEqual([when]);
  });

  it('says nothing of a handful, and warns anew of a raised limit', () => {
    expect(through(['1', '2', '3', '4'], 4).kinds.flat()).toEqual([]);
    const { watch } = through(
      Array.from({ length: 8 }, (_, i) => String(i)),
      10,
    );
    expect(warn(answered(watch), at(9, { most: 20 })).given).toEqual([]);
    expect(warn(answered(watch), at(16, { most: 20 })).given).toMatchObject([{ kind: 'iterations' }]);
  });
});

it('B6: a budget is warned of once for each thing it limits', () => {
  const first = warn(nothingWatched(), at(1, { budget: { dollars: 'most of it' } }));
  expect(first.given).toMatchObject([{ kind: 'budget', text: 'most of it' }]);
  expect(warn(first.watch, at(2, { budget: { dollars: 'more of it' } })).given).toEqual([]);
});

test.each([
  ['continue', { do: 'continue' }],
  [' Stop ', { do: 'stop' }],
  ['+10', { do: 'more', by: 10 }],
  ['+0', undefined],
  ['10', undefined],
  ['+1e3', undefined],
  ['', undefined],
  [{ do: 'stop' }, undefined],
  [undefined, undefined],
])('B6: the answer %j', (said, expected) => {
  expect(readWarningAnswer(said)).toEqual(expected);
});

describe('B6 everywhere', () => {
  const stuck: Warning = { kind: 'stuck', text: 'nothing has changed', since: 5 };
  const view = (pilot: ReturnType<typeof pilotOf>) =>
    runStatus({ project: 'p', runId: 'r' }, pilot.state, settings(), pilot.graph, 0).warnings;

  it('an idea’s warnings are in the status until they are answered or it ends', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    say(pilot, 'a', 'warnings', { warnings: [stuck] });
    expect(view(pilot)).toEqual([{ idea: 'a', ...stuck }]);
    expect(decided(pilot)).toEqual([]);
    say(pilot, 'a', 'warnings', { warnings: [] });
    expect(view(pilot)).toBeUndefined();
    say(pilot, 'b', 'warnings', { warnings: [stuck] });
    closed(pilot, 'b', 'blocked');
    expect(view(pilot)).toBeUndefined();
  });

  it('A7: failures one after another are a warning of the run', () => {
    const pilot = pilotOf(['a', 'b', 'c', 'd'].map((id) => card(id)));
    decided(pilot);
    for (const id of ['a', 'b', 'c']) closed(pilot, id, 'failed');
    expect(view(pilot)).toMatchObject([{ kind: 'errors', text: expect.stringContaining('3 ideas failed') }]);
  });
});
