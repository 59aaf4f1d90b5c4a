/** What every tracker does (F3, F4): GitHub through the real `gh`, a file of reports, and the example program. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Holder } from '../../../src/trackers/tracker.js';
import { KINDS, type TestPlace } from './places.js';

const holder = (owner: string, more: Partial<Holder> = {}): Holder => ({
  ...{ owner, run: `run-of-${owner}`, idea: 'item-7', life: 1 },
  ...more,
});
const [A, B] = [holder('aaaa'), holder('bbbb')];
const ITEMS = [
  { ref: '7', title: 'Fix the login', body: 'It fails.\nDepends on #8', labels: ['ready'], author: 'acme' },
  { ref: '8', title: 'Add a table', labels: [], author: 'acme' },
];

describe.each(KINDS.map((kind) => [`${kind.name}${kind.leftOut}`, kind] as const))('tracker: %s', (_, kind) => {
  const { leftOut, make } = kind;
  let place: TestPlace;
  beforeEach(async () => {
    if (leftOut !== '') return;
    place = await make();
    await place.put(ITEMS);
  });
  afterEach(async () => {
    if (leftOut === '') await place.dispose();
  });
  const test = it.skipIf(leftOut !== '');

  test('lists open items with their texts, and filters by label and author', async () => {
    const all = await place.open(false).list();
    expect(all.map(({ ref }) => ref).sort()).toEqual(['7', '8']);
    expect(all.find(({ ref }) => ref === '7')).toMatchObject({
      ...{ title: 'Fix the login', labels: ['ready'], author: 'acme', member: true },
      body: expect.stringContaining('It fails.') as string,
    });
    expect((await place.open(false, { labels: ['ready'] }).list()).map(({ ref }) => ref)).toEqual(['7']);
    expect(await place.open(false, { author: 'nobody' }).list()).toEqual([]);
    expect((await place.open(false, { query: 'table' }).list()).map(({ ref }) => ref)).toEqual(['8']);
  });

  test('lists the items of a milestone alone, or refuses the filter', async () => {
    const more = { milestone: 'v1' };
    if (kind.name === 'jsonl') return expect(() => place.open(false, more)).toThrow(/milestone/);
    await place.put([
      { ref: '9', title: 'In v1', milestone: 'v1' },
      { ref: '10', title: 'In v2', milestone: 'v2' },
    ]);
    expect((await place.open(false, more).list()).map(({ ref }) => ref)).toEqual(['9']);
  });

  test('E3 lists what was closed lately, for comparison', async () => {
    if (kind.name === 'jsonl') await place.put([...ITEMS, { ref: '9', title: 'Over', state: 'closed' }]);
    else {
      const tracker = place.open(true);
      await tracker.claim('7', A, 'works');
      await tracker.show('7', A, { state: 'done', text: 'landed' });
    }
    const closed = await place.open(false).closed(new Date(0));
    const expected = kind.name === 'jsonl' ? ['9', 'Over'] : ['7', 'Fix the login'];
    expect(closed.map(({ id, title, state }) => [id, title, state])).toEqual([[...expected, 'closed']]);
    if (kind.name !== 'jsonl') expect(await place.open(false).closed(new Date('2999-01-01'))).toEqual([]);
  });

  test('writes nothing without consent', async () => {
    const tracker = place.open(false);
    await tracker.check();
    expect(await tracker.claim('7', A, 'works')).toBeUndefined();
    for (const state of ['works', 'asks', 'done', 'released'] as const)
      await tracker.show('7', A, { state, text: state });
    expect(await place.seen('7')).toEqual({ open: true, comments: [], taken: false });
  });

  test('can be taken over from an installation that is gone', async () => {
    expect(await place.open(true).claim('7', A, 'it works')).toBeUndefined();
    const here = place.open(true, {}, 'other');
    expect(await here.claim('7', B, 'it works')).toHaveProperty('taken');
    if (kind.name === 'the example program')
      return expect(here.free('7', B)).rejects.toThrow(/keeps its own claims: free the item there/);
    expect(await here.free('7', B)).toEqual([expect.stringMatching(/run run-of-aaaa of another ralphctl/)]);
    expect(await here.free('7', B)).toEqual([]);
    expect(await here.claim('7', B, 'it works')).toBeUndefined();
    expect(await here.free('7', B)).toEqual([]);
    expect((await place.seen('7')).taken).toBe(true);
  });

  test('keeps one comment from claim to end, and closes the item', async () => {
    const tracker = place.open(true);
    expect(await tracker.claim('7', A, 'it works')).toBeUndefined();
    expect(await place.seen('7')).toMatchObject({ open: true, taken: true });
    await tracker.show('7', A, { state: 'asks', text: 'a question' });
    await tracker.show('7', A, { state: 'works', text: 'it works' });
    await tracker.show('7', A, { state: 'done', text: 'it landed' });
    const { open, comments } = await place.seen('7');
    expect([open, comments.length]).toEqual([false, 1]);
    expect(comments[0]).toContain('it landed');
    expect((await tracker.list()).map(({ ref }) => ref)).toEqual(['8']);
  });

  test('changes nothing when a step is repeated', async () => {
    const tracker = place.open(true);
    const steps = [
      () => tracker.claim('7', A, 'it works'),
      () => tracker.show('7', A, { state: 'asks', text: 'a question' }),
      () => tracker.show('7', A, { state: 'done', text: 'it landed' }),
    ];
    for (const step of steps) {
      await step();
      const once = await place.seen('7');
      await step();
      expect(await place.seen('7')).toEqual(once);
      expect(once.comments).toHaveLength(1);
    }
  });

  test('gives an item to one of two holders, at once and one after the other', async () => {
    const [one, two] = [place.open(true, {}, 'bot'), place.open(true, {}, 'other')];
    const got = await Promise.all([one.claim('7', A, 'a works'), two.claim('7', B, 'b works')]);
    expect(got.filter((answer) => answer === undefined)).toHaveLength(1);
    const late = await place.open(true, {}, 'other').claim('7', holder('cccc'), 'c works');
    expect(late?.taken).toMatch(/\S/);
    const seen = await place.seen('7');
    expect(seen.taken).toBe(true);
    expect(seen.comments.filter((text) => text.includes('works'))).toHaveLength(1);
  });

  test('gives one of two machines with the same login the item', async () => {
    const [one, two] = [place.open(true), place.open(true)];
    expect(await one.claim('7', A, 'a works')).toBeUndefined();
    expect((await two.claim('7', B, 'b works'))?.taken).toMatch(/run-of-aaaa/);
    expect(await place.seen('7')).toMatchObject({ taken: true });
  });

  test('gives an item back, and another holder gets it', async () => {
    const [one, two] = [place.open(true, {}, 'bot'), place.open(true, {}, 'other')];
    await one.claim('7', A, 'a works');
    await one.show('7', A, { state: 'released', text: 'given back: it failed' });
    const { open, taken, comments } = await place.seen('7');
    expect([open, taken, comments.length]).toEqual([true, false, 1]);
    expect(comments[0]).toContain('given back: it failed');
    expect(await two.claim('7', B, 'b works')).toBeUndefined();
  });

  test('shows a claim by a label where that is asked for', async () => {
    const write = { claim: 'label', done: 'link' };
    const [one, two] = [place.open(write, {}, 'bot'), place.open(write, {}, 'other')];
    expect(await one.claim('7', A, 'a works')).toBeUndefined();
    expect((await two.claim('7', B, 'b works'))?.taken).toMatch(/\S/);
    expect((await place.seen('7')).taken).toBe(true);
    await one.show('7', A, { state: 'done', text: 'it landed' });
    const { taken, comments } = await place.seen('7');
    expect([taken, comments.length]).toEqual([false, 1]);
    // `link` leaves it open.
    expect((await one.list()).map(({ ref }) => ref)).toContain('7');
  });

  test('opens again what it has closed, when the landing is taken back', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', A, 'a works');
    await tracker.show('7', A, { state: 'done', text: 'it landed' });
    await tracker.show('7', A, { state: 'released', text: 'taken back' });
    expect(await place.seen('7')).toMatchObject({ open: true, taken: false });
  });

  test('lets no message of an earlier start undo a newer claim', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', A, 'first try');
    await tracker.claim('7', { ...A, life: 2 }, 'second try');
    await tracker.show('7', A, { state: 'released', text: 'the first try failed' });
    const { taken, comments } = await place.seen('7');
    expect([taken, comments.length]).toEqual([true, 1]);
    expect(comments[0]).toContain('second try');
  });

  /** Ids of runs sort by time. */
  const runs = ['20260101-100000-aaaa', '20260101-110000-aaaa'] as const;
  const [first, later] = runs.map((run) => holder('aaaa', { run })) as [Holder, Holder];

  test.each(['asks', 'done', 'released'] as const)(
    'lets no late message of an ended run change the claim of the next one: %s',
    async (state) => {
      const tracker = place.open(true);
      await tracker.claim('7', first, 'run one works');
      await tracker.claim('7', later, 'run two works');
      const before = await place.seen('7');
      await tracker.show('7', first, { state, text: 'run one is late' });
      expect(await place.seen('7')).toEqual(before);
      expect(before).toMatchObject({ open: true, taken: true });
    },
  );

  test('lets no late message of an ended run change how the next one ended', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', first, 'run one works');
    await tracker.claim('7', later, 'run two works');
    await tracker.show('7', later, { state: 'released', text: 'run two gives it back' });
    const before = await place.seen('7');
    await tracker.show('7', first, { state: 'done', text: 'run one is late' });
    expect(await place.seen('7')).toEqual(before);
    expect(before).toMatchObject({ open: true, taken: false });
  });

  test('shows how the next run ends an idea that it has taken over at work', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', first, 'run one works');
    await tracker.show('7', later, { state: 'asks', text: 'a question of run two' });
    const asked = await place.seen('7');
    expect(asked.comments.at(-1)).toContain('a question of run two');
    await tracker.show('7', later, { state: 'released', text: 'run two gives it back' });
    const { open, taken, comments } = await place.seen('7');
    expect([open, taken]).toEqual([true, false]);
    expect(comments.at(-1)).toContain('run two gives it back');
  });

  test('takes again what it has closed itself, before the message that opens it has come', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', A, 'a works');
    await tracker.show('7', A, { state: 'done', text: 'it landed' });
    const again = { ...A, life: 2 };
    expect(await tracker.claim('7', again, 'a works again')).toBeUndefined();
    await tracker.show('7', A, { state: 'released', text: 'taken back' });
    expect((await place.seen('7')).taken).toBe(true);
    if (kind.name !== 'jsonl') expect((await place.seen('7')).open).toBe(true);
    await tracker.show('7', again, { state: 'done', text: 'it landed again' });
    expect((await place.seen('7')).open).toBe(false);
  });

  test('takes the claim of an earlier run of the same machine over', async () => {
    const tracker = place.open(true);
    await tracker.claim('7', A, 'run one');
    expect(await tracker.claim('7', { ...A, run: 'run-two' }, 'run two')).toBeUndefined();
    expect(await place.seen('7')).toMatchObject({ open: true, taken: true });
  });

  test('fails with a sentence for an item that is not there', async () => {
    if (place.open(true).where.startsWith('reports')) return;
    await expect(place.open(true).claim('99', A, 'works')).rejects.toThrow(/\S+ \S+/);
  });
});
