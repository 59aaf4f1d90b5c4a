/** Edits and splits that outlast their run. Features: C3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Idea } from '../../../src/protocol/idea.js';
import { amend, amended, forget } from '../../../src/run-files/amendments.js';
import { idea } from '../../activities/idea.js';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-amend-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));
const read = (ideas: Idea[], landed: string[] = []) => amended(root, 'p', ideas, async () => new Set(landed));

it('nothing amended changes nothing', async () => {
  const ideas = [idea('a'), idea('b')];
  expect(await read(ideas)).toEqual({ ideas, said: [], stale: [], parts: [] });
});

it('edits add up over runs, and are held against the text that the backlog had at first', async () => {
  const a = idea('a');
  await amend(root, 'p', a, { fields: { text: 'once' } });
  const [first] = (await read([a])).ideas;
  expect(first).toEqual({ ...a, text: 'once' });
  await amend(root, 'p', first as Idea, { fields: { maxIterations: 3 } });
  expect((await read([a])).ideas).toEqual([{ ...a, text: 'once', maxIterations: 3 }]);
  // Limits, tags and the like of the backlog may change: only its words are what was edited.
  expect((await read([{ ...a, tags: ['critical'] }])).stale).toEqual([]);
  const other = await read([{ ...a, text: 'rewritten' }]);
  expect(other).toMatchObject({ ideas: [{ text: 'rewritten' }], stale: ['a'] });
  expect(other.said[0]).toContain('the edit of a');
});

it('a split idea is a group of its parts, in its place; an edit of a part counts, one of the whole does not', async () => {
  const [a, b, c] = [idea('a'), idea('b'), idea('c')] as const;
  const parts = ['b-1', 'b-2'].map((id) => ({ ...idea(id), parent: 'b' }));
  await amend(root, 'p', b, { fields: { title: 'other' } });
  await amend(root, 'p', b, { parts });
  await amend(root, 'p', parts[1] as Idea, { fields: { text: 'finer' } });
  const { ideas, stale } = await read([a, b, c]);
  expect(ideas.map(({ id, blue, text }) => [id, blue, text === 'finer'])).toEqual([
    ['a', false, false],
    ['b', true, false],
    ['b-1', false, false],
    ['b-2', false, true],
    ['c', false, false],
  ]);
  expect(stale).toEqual([]);
  const taken = await read([a, b, c, idea('b-2')]);
  expect(taken.said[0]).toMatch(/the split of b .* no longer applies: the backlog now has an idea b-2/);
  expect(taken.ideas).toHaveLength(4);
});

it('of what has landed, is ticked or is not in this backlog nothing is said', async () => {
  await amend(root, 'p', idea('a'), { fields: { text: 'x' } });
  for (const result of [
    await read([idea('a')], ['a']),
    await read([{ ...idea('a'), done: true }]),
    await read([idea('b')]),
  ]) {
    expect([result.said, result.stale]).toEqual([[], []]);
  }
});

it('is taken back by kind', async () => {
  const a = idea('a');
  await amend(root, 'p', a, { fields: { text: 'x' }, parts: [{ ...idea('a-1'), parent: 'a' }] });
  expect(await forget(root, 'p', 'a', 'parts')).toBe(true);
  expect(await forget(root, 'p', 'a', 'parts')).toBe(false);
  expect((await read([a])).ideas).toEqual([{ ...a, text: 'x' }]);
  expect(await forget(root, 'p', 'a', 'fields')).toBe(true);
  expect((await read([a])).ideas).toEqual([a]);
  expect(await forget(root, 'p', 'a')).toBe(false);
});

it('a part that a person wants again brings the split back, though the whole is ticked', async () => {
  const whole = idea('b');
  const parts = ['b-1', 'b-2'].map((id) => ({ ...idea(id), parent: 'b' }));
  await amend(root, 'p', whole, { parts });
  const ticked = [{ ...whole, done: true }];
  expect((await read(ticked)).ideas).toEqual(ticked);
  const wanted = await amended(root, 'p', ticked, async () => new Set(['b', 'b-2']), ['b-1']);
  expect(wanted).toMatchObject({ parts: ['b-1', 'b-2'], ideas: [{ id: 'b', blue: true, done: false }, ...parts] });
});
