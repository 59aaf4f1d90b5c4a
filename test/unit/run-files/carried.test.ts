/** Commands for the next start, and what an abandonment makes of them. Features: C3 C5. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { carriedLines } from '../../../src/client/follow/left-behind.js';
import { firstEntry } from '../../../src/decide/run/first-state.js';
import { noteAbandoned, recordOf } from '../../../src/run-files/carried.js';
import { askedFor, keep, keepHint, keptForNext, keptWords } from '../../../src/run-files/kept.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-carried-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const at = new Date(0).toISOString();
const words = async (): Promise<string[]> => (await keptForNext(root, 'p')).flatMap(keptWords);

it('C3: an idea that a person retries and then abandons is carried over as abandoned only', async () => {
  await keep(root, 'p', 'a-1', { verb: 'limit', at, n: 3 });
  await keep(root, 'p', 'a-1', { verb: 'retry', at });
  await keepHint(root, 'p', 'a-1', 'look at the log');
  expect(await words()).toEqual(['limit a-1 +3', 'retry a-1', 'hint for a-1']);
  await noteAbandoned(root, 'p', 'a-1', 'no use');
  expect(await words()).toEqual([]);
  expect((await keptForNext(root, 'p')).map(askedFor)).toEqual([{}]);
  const lines = await carriedLines(root, { project: 'p' }, new Set(['a-1']), []);
  expect(lines).toEqual([expect.stringMatching(/^the run leaves out a-1: you abandoned it .*: no use; .*retry a-1$/)]);
  expect((await recordOf(root, 'p', 'a-1')).kept).toEqual([{ verb: 'limit', at, n: 3 }]);
});

it('C3: a retry after that brings back what still counts', async () => {
  await keep(root, 'p', 'a-1', { verb: 'limit', at, n: 3 });
  await noteAbandoned(root, 'p', 'a-1');
  await keep(root, 'p', 'a-1', { verb: 'retry', at });
  expect(await words()).toEqual(['limit a-1 +3', 'retry a-1']);
});

it.each([
  ['bump', 'score'],
  ['score', 'bump'],
] as const)(
  'C3: a %s and then a %s both hold in the next run, in any order; of two of a kind the last one',
  async (...verbs) => {
    const given = { score: { verb: 'score', at, n: -20 }, bump: { verb: 'bump', at } } as const;
    await keep(root, 'p', 'a-1', { verb: 'score', at, n: 7 });
    for (const verb of verbs) await keep(root, 'p', 'a-1', given[verb]);
    expect((await words()).sort()).toEqual(['bump a-1', 'score a-1 -20']);
    const kept = (await keptForNext(root, 'p')).flatMap(({ idea, kept: all }) => all.map((one) => ({ ...one, idea })));
    const card = { id: 'a-1', title: 'A', dependsOn: [] };
    const boosts = [kept, kept.filter(({ verb }) => verb === 'bump'), kept.filter(({ verb }) => verb === 'score')].map(
      (some) => firstEntry(card, false, 0, { abandoned: [], hints: [], kept: some }).boost ?? 0,
    );
    const [both = 0, first = 0, points] = boosts;
    expect(points).toBe(-20);
    // Ahead of whatever has points only, and the points still order it among the first ones.
    expect(first).toBeGreaterThan(100_000);
    expect(both).toBe(first - 20);
  },
);
