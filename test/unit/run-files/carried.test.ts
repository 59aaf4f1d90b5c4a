/** Commands for the next start, and what an abandonment makes of them. Features: C3 C5. */
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carriedLines } from '../../../src/client/follow/left-behind.js';
import { nextSteps } from '../../../src/client/views/status-lines.js';
import { readOwn } from '../../../src/config/own-files.js';
import { carriedDir } from '../../../src/config/paths.js';
import { keptAnswer } from '../../../src/decide/idea/answers.js';
import { firstEntry } from '../../../src/decide/run/first-state.js';
import {
  allCarried,
  carryOver,
  forgetClosed,
  noteAbandoned,
  noteClosed,
  recordOf,
  takeCarried,
  withoutThose,
} from '../../../src/run-files/carried.js';
import { askedFor, keep, keepHint, keptForNext, keptWords, leftOutOf } from '../../../src/run-files/kept.js';

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

it('C3: a kept answer is called an answer, beside hints', async () => {
  await keepHint(root, 'p', 'a-1', keptAnswer('Which colour?', 'blue'));
  expect(await words()).toEqual(['answer for a-1']);
  await keepHint(root, 'p', 'a-1', 'look at the log');
  await keepHint(root, 'p', 'a-1', 'and at the disk');
  expect(await words()).toEqual(['2 hints for a-1', 'answer for a-1']);
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

it('C2 C3: start, dry run and status count the same ideas as left out, in one sentence', async () => {
  await noteAbandoned(root, 'p', 'given-up');
  await noteAbandoned(root, 'p', 'not-in-the-backlog');
  await noteAbandoned(root, 'p', 'taken-back');
  await keep(root, 'p', 'taken-back', { verb: 'retry', at });
  await keep(root, 'p', 'skipped', { verb: 'skip', at });
  await keep(root, 'p', 'off', { verb: 'rollback', at });
  await keep(root, 'p', 'longer', { verb: 'limit', at, n: 3 });
  const open = ['off', 'skipped', 'longer', 'given-up', 'taken-back', 'other'];
  const left = leftOutOf(await keptForNext(root, 'p'), open);
  expect(left).toEqual(['off', 'skipped', 'given-up']);
  const sentence = 'a start leaves out off, skipped, given-up, until: ralphctl retry IDEA';
  expect(await carriedLines(root, { project: 'p' }, new Set(open), [])).toContain(sentence);
  const status = nextSteps(
    open.map((idea) => ({ idea })),
    new Set(left),
  );
  expect(status).toContain(sentence);
  const lines = await carriedLines(root, { project: 'p' }, new Set(open), []);
  expect(lines).toEqual([
    expect.stringMatching(/^the run leaves out given-up: you abandoned it /),
    sentence,
    'you rolled back off, so a start leaves it out until: ralphctl retry off',
    'carries over: limit longer +3, skip skipped, retry taken-back',
  ]);
  const off = await carriedLines(root, { project: 'p' }, new Set(['off']), []);
  expect(off).toEqual(['you rolled back off, so a start leaves it out until: ralphctl retry off']);
  // A start that names them runs all but the skipped one.
  expect(leftOutOf(await keptForNext(root, 'p'), open, ['off', 'given-up', 'skipped'])).toEqual(['skipped']);
  const one = await carriedLines(root, { project: 'p' }, new Set(['skipped']), []);
  expect(one).toContain('a start leaves out skipped, until: ralphctl retry skipped');
});

it('C3: thousands of records are read with few files open, however many callers read them', async () => {
  const folder = carriedDir(root, 'p');
  await mkdir(folder, { recursive: true });
  const record = (idea: string) => JSON.stringify({ version: 1, idea, kept: [{ verb: 'limit', at, n: 2 }] });
  const ids = Array.from({ length: 3000 }, (_, n) => `x-${n}`);
  for (const id of ids) writeFileSync(join(folder, `${id}.json`), record(id));
  let most = 0;
  let over = false;
  const all = Promise.all([keptForNext(root, 'p'), allCarried(root, 'p')]).finally(() => {
    over = true;
  });
  while (!over) {
    most = Math.max(most, process.getActiveResourcesInfo().filter((one) => /FSReq|FileHandle/.test(one)).length);
    await new Promise((next) => setTimeout(next, 1));
  }
  expect((await all).map(({ length }) => length)).toEqual([3000, 3000]);
  expect(most).toBeLessThan(100);
});

it('C3: a record that cannot be read holds up no other', async () => {
  const folder = carriedDir(root, 'p');
  // As many as are read at the same time, and more.
  for (let n = 0; n < 100; n++) await mkdir(join(folder, `x-${n}.json`), { recursive: true });
  await expect(allCarried(root, 'p')).rejects.toThrow(/is unusable: this is a folder/);
  await writeFile(join(root, 'one'), 'text');
  expect(await readOwn(join(root, 'one'))).toBe('text');
});

it('C2 C3: an idea that a run took off its target is left out of the next ones until a retry', async () => {
  const ref = (runId: string) => ({ project: 'p', runId });
  const ideas = new Set(['a-1']);
  const off = { abandoned: [], hints: [], kept: [{ idea: 'a-1', verb: 'rollback' as const }] };
  await carryOver(root, ref('1'), ideas, off, new Map([['a-1', 'pending']]));
  for (const runId of ['2', '3']) {
    expect((await takeCarried(root, ref(runId), ideas)).kept).toEqual([{ idea: 'a-1', verb: 'rollback' }]);
    await carryOver(root, ref(runId), ideas, { abandoned: [], hints: [] }, new Map([['a-1', 'skipped']]));
  }
  // A retry in the run cancels it, also when the idea does not land.
  await takeCarried(root, ref('4'), ideas);
  await carryOver(root, ref('4'), ideas, { abandoned: [], hints: [] }, new Map([['a-1', 'failed']]));
  expect((await takeCarried(root, ref('5'), ideas)).kept).toEqual([]);
});

describe('D2 C3: whoever closed a pull request turned the idea down', () => {
  const WHY = 'pull request 4 was closed by ann without a merge: https://forge/4';
  const card = { id: 'a-1', title: 'A', dependsOn: [] };
  const known = new Set(['a-1']);
  const verbs = async (): Promise<string[]> => ((await recordOf(root, 'p', 'a-1')).kept ?? []).map(({ verb }) => verb);
  const begins = async (runId: string) => {
    const { kept } = await takeCarried(root, { project: 'p', runId }, known);
    return firstEntry(card, false, 0, { abandoned: [], hints: [], kept });
  };
  const ends = (runId: string, status: string | undefined, anew = false) =>
    carryOver(
      root,
      { project: 'p', runId },
      known,
      { abandoned: [], hints: [], ...(anew ? { kept: [{ idea: 'a-1', verb: 'anew' as const }] } : {}) },
      new Map(status === undefined ? [] : [['a-1', status]]),
    );

  it('each later start leaves it out with that reason, also after a run that was cut off', async () => {
    await noteClosed(root, 'p', 'a-1', WHY);
    const next = await keptForNext(root, 'p');
    expect(leftOutOf(next, ['a-1', 'b-2'])).toEqual(['a-1']);
    expect(next.map(askedFor)).toEqual([{ leftOut: true, turnedDown: true }]);
    expect(await carriedLines(root, { project: 'p' }, known, [])).toEqual([
      'a start leaves out a-1, until: ralphctl retry a-1',
    ]);
    for (const run of ['1', '2', '3']) {
      expect(await begins(run)).toMatchObject({ status: 'skipped', reason: `${WHY} (in an earlier run)` });
      // The second one is cut off.
      if (run !== '2') await ends(run, 'skipped');
    }
    // The end of a run that was aborted takes nothing back.
    await ends('3', 'pending');
    expect(await begins('4')).toMatchObject({ status: 'skipped' });
    await ends('4', undefined);
    expect(await verbs()).toEqual([]);
  });

  it('a retry takes it in again, and then another pull request may follow: until that one is open', async () => {
    await noteClosed(root, 'p', 'a-1', WHY);
    await keep(root, 'p', 'a-1', { verb: 'retry', at });
    expect(await words()).toEqual(['retry a-1']);
    expect(await begins('1')).toMatchObject({ status: 'pending', anew: true, told: { verb: 'retry' } });
    // It was stopped before it had one.
    await ends('1', 'pending', true);
    expect(await words()).toEqual([]);
    const again = await begins('2');
    expect(again).toMatchObject({ status: 'pending', anew: true });
    expect(again).not.toHaveProperty('told');
    await forgetClosed(root, 'p', 'a-1');
    await ends('2', 'pending');
    expect(await begins('3')).not.toHaveProperty('anew');
  });

  it('so does a retry in the run, and naming it again at a start', async () => {
    await noteClosed(root, 'p', 'a-1', WHY);
    await ends('1', 'failed', true);
    expect(await verbs()).toEqual(['anew']);
    await noteClosed(root, 'p', 'a-1', WHY);
    expect(await verbs()).toEqual(['closed']);
    expect(leftOutOf(await keptForNext(root, 'p'), ['a-1'], ['a-1'])).toEqual([]);
    const { kept } = await takeCarried(root, { project: 'p', runId: '2' }, known);
    expect(withoutThose(kept, ['a-1'])).toEqual([{ idea: 'a-1', verb: 'anew' }]);
  });

  it('what was abandoned stays so', async () => {
    await noteClosed(root, 'p', 'a-1', WHY);
    const { kept } = await takeCarried(root, { project: 'p', runId: '1' }, known);
    const entry = firstEntry(card, false, 0, { abandoned: [{ idea: 'a-1', reason: 'no use' }], hints: [], kept });
    expect(entry).toMatchObject({ status: 'abandoned', reason: 'no use (in an earlier run)' });
  });
});
