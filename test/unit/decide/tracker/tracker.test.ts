/** What a tracker is told, and in which order (F3). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTracked, noteTracked, returnTracked, takeTracked } from '../../../../src/decide/tracker/arising.js';
import {
  addTracked,
  answered,
  isTrackerBatch,
  newTrackerQueue,
  takeNext,
  waitLonger,
  wakeTrackerAt,
} from '../../../../src/decide/tracker/queue.js';
import type { AutopilotState, IdeaEntry } from '../../../../src/protocol/run.js';
import { IDEA_STATUSES, type IdeaStatus } from '../../../../src/protocol/states.js';
import type { TrackedItem } from '../../../../src/protocol/tracker.js';
import { textOf } from '../../../../src/trackers/texts.js';

const turn = (id: string, status: IdeaStatus, more: Partial<IdeaEntry> = {}): IdeaEntry => ({
  ...{ card: { id, title: id }, status, seq: 0, life: 1, retries: 0, rounds: 0 },
  ...more,
});
const fresh = (): AutopilotState => ({ entries: [] }) as unknown as AutopilotState;
const told = (state: AutopilotState): string[] => takeTracked(state).map((item) => `${item.idea} ${item.state}`);

describe('what a tracker is told (F3)', () => {
  it('is a question, a landing, a return; never the start, which the claim tells', () => {
    const state = fresh();
    noteTracked(state, [turn('a', 'running'), turn('a', 'landing')]);
    expect(told(state)).toEqual([]);
    noteTracked(state, [turn('a', 'needs-human', { reason: 'which?' })]);
    expect(takeTracked(state)).toEqual([{ idea: 'a', state: 'asks', life: 1, reason: 'which?' }]);
    noteTracked(state, [turn('a', 'wants-slot'), turn('a', 'running')]);
    expect(told(state)).toEqual(['a works']);
    noteTracked(state, [turn('a', 'landed', { commit: 'abc' })]);
    expect(takeTracked(state)).toEqual([{ idea: 'a', state: 'done', life: 1, commit: 'abc' }]);
    noteTracked(state, [turn('a', 'pending')]);
    expect(told(state)).toEqual(['a released']);
  });

  it('is its review, with the address, and that its agent has it back', () => {
    const state = fresh();
    const review = { ...{ number: 4, url: 'https://forge/4', candidate: 'c', onto: 'o' }, quiet: 0, seen: [] };
    const work = { worktree: '/w', branch: 'b', base: 'o', head: 'h', agentName: 'ed-001' } as never;
    noteTracked(state, [turn('a', 'running'), turn('a', 'landing')]);
    noteTracked(state, [turn('a', 'landing', { review: { ...review, work, at: 0 } })]);
    const items = takeTracked(state);
    expect(items).toEqual([{ idea: 'a', state: 'works', life: 1, review: review.url }]);
    expect(isTrackerBatch({ ref: { project: 'p', runId: 'r' }, items })).toBe(true);
    expect(items.map((one) => textOf(one, { run: 'r', target: 'main' }))).toEqual([
      '**ralphctl** has this in review: https://forge/4 (run `r`). This comment changes with the state of the work.',
    ]);
    noteTracked(state, [turn('a', 'landing', { review: { ...review, work, at: 0 } })]);
    expect(takeTracked(state)).toEqual([]);
    // Its pull request is gone, and it has another one.
    const other = { ...review, number: 5, url: 'https://forge/5' };
    noteTracked(state, [turn('a', 'landing', { review: { ...other, work, at: 0 } })]);
    expect(takeTracked(state)).toEqual([{ idea: 'a', state: 'works', life: 1, review: other.url }]);
    noteTracked(state, [turn('a', 'wants-slot', { review: { ...review, work } }), turn('a', 'running')]);
    expect(takeTracked(state)).toEqual([{ idea: 'a', state: 'works', life: 1 }]);
    noteTracked(state, [turn('a', 'landed', { commit: 'abc', review: { ...review, work } })]);
    expect(takeTracked(state)).toEqual([{ idea: 'a', state: 'done', life: 1, commit: 'abc' }]);
  });

  it('is nothing of ideas that never started, and of groups', () => {
    const state = fresh();
    noteTracked(state, [
      turn('a', 'skipped'),
      turn('b', 'abandoned'),
      { ...turn('c', 'landed'), card: { id: 'c', title: 'c', blue: true } },
    ]);
    expect(hasTracked(state)).toBe(false);
  });

  it('is a new claim where an idea starts again before it was given back', () => {
    const state = fresh();
    noteTracked(state, [turn('a', 'running'), turn('a', 'failed'), turn('a', 'running', { life: 2 })]);
    expect(told(state)).toEqual([]);
  });

  it('stays where nobody took it, unless there is newer', () => {
    const state = fresh();
    noteTracked(state, [turn('a', 'running'), turn('a', 'needs-human'), turn('b', 'running'), turn('b', 'failed')]);
    const items = takeTracked(state);
    noteTracked(state, [turn('a', 'landed')]);
    returnTracked(state, items);
    expect(told(state)).toEqual(['b released', 'a done']);
  });

  it('ends in what the idea has come to, whatever happens in between', () => {
    const status = fc.constantFrom(...IDEA_STATUSES.filter((one) => one !== 'pending'));
    fc.assert(
      fc.property(fc.array(status, { minLength: 1 }), fc.array(fc.boolean()), (all, takes) => {
        const state = fresh();
        const seen: string[] = [];
        noteTracked(state, [turn('a', 'running')]);
        for (const [at, one] of all.entries()) {
          noteTracked(state, [turn('a', one)]);
          if (takes[at]) seen.push(...told(state));
        }
        seen.push(...told(state));
        const last = all.at(-1);
        const wanted = last === 'landed' ? 'a done' : last === 'needs-human' ? 'a asks' : undefined;
        if (wanted) expect(seen.at(-1)).toBe(wanted);
        const claimed = ['running', 'paused', 'wants-slot', 'landing'];
        if (last && !wanted && !claimed.includes(last)) expect(seen.at(-1)).toBe('a released');
      }),
    );
  });
});

describe('the queue of a tracker (F3)', () => {
  const ref = { project: 'p', runId: 'r' };
  const item = (idea: string, state: TrackedItem['state']): TrackedItem => ({ idea, state, life: 1 });

  it('keeps the newest of each idea, in order', () => {
    const queue = newTrackerQueue();
    addTracked(queue, { ref, items: [item('a', 'asks'), item('b', 'asks'), item('a', 'done')] });
    addTracked(queue, { ref: { ...ref, runId: 'other' }, items: [item('b', 'done')] });
    expect(queue.waiting.map(({ ref: of, item: one }) => `${of.runId} ${one.idea} ${one.state}`)).toEqual([
      'r b asks',
      'r a done',
      'other b done',
    ]);
  });

  it('waits as a whole until the tracker takes requests again', () => {
    const queue = newTrackerQueue();
    addTracked(queue, { ref, items: [item('a', 'done'), item('b', 'done')] });
    const one = takeNext(queue, 1000);
    if (!one) throw new Error('nothing waits');
    expect(waitLonger(queue, one, { now: 1000, at: 61_000, asOne: true })).toBe(true);
    expect(takeNext(queue, 60_000)).toBeUndefined();
    expect(takeNext(queue, 61_000)?.item.idea).toBe('b');
  });

  it('lets a newer item take the place of one under way, and gives up after about a day', () => {
    const queue = newTrackerQueue();
    addTracked(queue, { ref, items: [item('a', 'asks')] });
    let one = takeNext(queue, 0);
    addTracked(queue, { ref, items: [item('a', 'done')] });
    if (one) waitLonger(queue, one, { now: 0, asOne: true });
    expect(queue.waiting.map(({ item: { state } }) => state)).toEqual(['done']);
    let now = 0;
    for (one = takeNext(queue, 1e9); one && waitLonger(queue, one, { now, asOne: true }); one = takeNext(queue, now)) {
      now = wakeTrackerAt(queue) ?? now;
    }
    expect(now / 3_600_000).toBeGreaterThan(20);
    expect(now / 3_600_000).toBeLessThan(30);
    expect(queue.waiting).toEqual([]);
  });

  it.each([
    { asOne: true, waits: [5000, 10_000, 20_000, 40_000, 80_000, 160_000], last: 5000 },
    // As an older version, whose open queues go on so.
    { asOne: false, waits: [5000, 5000, 5000, 10_000, 10_000, 10_000], last: 20_000 },
  ])(
    'waits longer after each failure in a row, whichever item it was; after an answer it begins anew: $asOne',
    ({ asOne, waits, last }) => {
      const queue = newTrackerQueue();
      addTracked(queue, { ref, items: ['a', 'b', 'c'].map((id) => item(id, 'done')) });
      let now = 0;
      const fail = (): number => {
        const one = takeNext(queue, now);
        if (!one) throw new Error('nothing waits');
        waitLonger(queue, one, { now, asOne });
        const wait = (wakeTrackerAt(queue) ?? 0) - now;
        now += wait;
        return wait;
      };
      expect(waits.map(fail)).toEqual(waits);
      expect(takeNext(queue, now)).toBeDefined();
      answered(queue);
      expect(fail()).toBe(last);
    },
  );

  it('reads no message that is something else', () => {
    fc.assert(fc.property(fc.anything(), (value) => void isTrackerBatch(value)));
    expect(isTrackerBatch({ ref, items: [item('a', 'done')] })).toBe(true);
    expect(isTrackerBatch({ ref, items: [{ idea: 'a', state: 'gone', life: 1 }] })).toBe(false);
  });
});
