/** What a run did stays as it was, and how its ideas stand now is told beside it. Features: A8 C2 G4. */
import { beforeEach, describe, expect, it } from 'vitest';
import { atEnd, endedAs, outcomeOf, outcomeOfSummary, sinceText, sinceThen } from '../../../src/model/at-end.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { Gone, RunModel } from '../../../src/model/model.js';
import { takeVerdicts, type Verdict } from '../../../src/model/stands.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { idea } from '../screen/shop.js';

let model: RunModel;
let clock = 0;
const say = (event: RunEvent): void => {
  clock += 1000;
  fold(model, { at: new Date(clock).toISOString(), ...event });
};
const status = (id: string, to: 'landed' | 'failed' | 'pending' | 'abandoned', more: object = {}): void =>
  say({ kind: 'idea', idea: id, title: id, status: to, ...more });
const told = (id: string, verb: string): void =>
  say({ kind: 'command', idea: id, verb, done: `${verb} ${id}`, afterRun: true });

const gone: Gone = { text: 'a-1 landed as 1, and was taken off main by 2, its rollback', landed: '1', command: 'x' };
const off: ReadonlyMap<string, Verdict> = new Map([['a-1', { is: 'off', gone }]]);
const back: ReadonlyMap<string, Verdict> = new Map([['a-1', { is: 'landed', commit: '1' }]]);

beforeEach(() => {
  clock = 0;
  model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ['a-1', 'b-1', 'c-1', 'd-1'].map((id) => idea(id, id)),
    new Set(['d-1']),
  );
  status('a-1', 'landed', { commit: '1' });
  status('b-1', 'failed');
  status('c-1', 'abandoned');
  say({ kind: 'run', state: 'completed', landed: 2, total: 4 });
});

const ENDED = { landed: 2, landedBefore: 1, gone: 0, open: 1, leftOut: 1 };

describe('A8 a run that is over keeps its numbers', () => {
  it('through a rollback, a retry and what was given up after it', () => {
    expect(outcomeOf(model)).toEqual(ENDED);
    expect(atEnd(model)).toBe(model);
    told('a-1', 'rollback');
    status('a-1', 'pending', { reason: 'rolled back' });
    told('b-1', 'abandon');
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'pending', atEnd: { status: 'landed', commit: '1' } });
    expect(outcomeOf(model)).toEqual(ENDED);
    takeVerdicts(model, off);
    expect(outcomeOf(model)).toEqual({ ...ENDED, gone: 1 });
    const then = atEnd(model);
    expect(then.ideas.get('a-1')).toMatchObject({ status: 'landed', commit: '1' });
    expect(then.ideas.get('a-1')?.said.map(({ verb }) => verb)).toEqual(['rollback']);
    expect(then.counts).toMatchObject({ total: 4, landed: 2, needYou: 1, skipped: 1 });
    expect(model.counts).toMatchObject({ total: 4, landed: 1, needYou: 1, skipped: 1, todo: 1 });
  });

  it('also where no event tells its end, and again after it went on', () => {
    say({ kind: 'run', state: 'running', landed: 2, total: 4 });
    told('b-1', 'retry');
    status('b-1', 'pending');
    expect(outcomeOf(model)).toEqual(ENDED);
    say({ kind: 'run', state: 'stopped', landed: 2, total: 4 });
    say({ kind: 'run', state: 'running', landed: 2, total: 4 });
    expect([...model.ideas.values()].filter(({ atEnd: then }) => then)).toEqual([]);
  });

  it('what had landed before it and was reverted while it was open is not on the target at its end', () => {
    say({ kind: 'run', state: 'running', landed: 2, total: 4 });
    say({ kind: 'reverted', idea: 'd-1', by: '2', text: '2 (no) took it off main again' });
    say({ kind: 'run', state: 'completed', landed: 2, total: 4 });
    expect(outcomeOf(model)).toEqual({ ...ENDED, gone: 1 });
    takeVerdicts(model, new Map([['d-1', { is: 'off', gone }]]));
    expect(outcomeOf(model)).toEqual({ ...ENDED, gone: 1 });
    takeVerdicts(model, new Map([['d-1', { is: 'landed', commit: '3' }]]));
    expect(outcomeOf(model)).toEqual(ENDED);
  });

  it('where the target moved, its summary tells what had landed before it', () => {
    const other = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('d-1', 'd-1')]);
    endedAs(other, { notLanded: [] });
    expect(outcomeOf(other)).toMatchObject({ landed: 1, landedBefore: 1, open: 0 });
    expect(other.counts).toMatchObject({ landed: 1, todo: 0 });
    endedAs(other, { notLanded: [{ idea: 'd-1', status: 'failed' }] });
    expect(outcomeOf(other)).toMatchObject({ landed: 0, open: 1 });
  });
});

describe('G8 what is told of since then', () => {
  const since = (verdict: Gone): string | undefined => {
    takeVerdicts(model, new Map([['a-1', { is: 'off', gone: verdict }]]));
    return sinceText(sinceThen(model));
  };

  it('is not what somebody took off during the run, whether the run told it or not', () => {
    expect(since({ ...gone, at: clock + 1000 })).toBe('since then: a-1 no longer on main');
    // Git knows the second only.
    expect(since({ ...gone, at: clock })).toBe('since then: a-1 no longer on main');
    expect(since({ ...gone, at: clock - 1000 })).toBeUndefined();
    expect(outcomeOf(model)).toMatchObject({ landed: 2, gone: 1 });
  });

  it('nor what the run itself told', () => {
    say({ kind: 'run', state: 'running', landed: 2, total: 4 });
    say({ kind: 'reverted', idea: 'a-1', by: '2', text: '2 (no) took it off main again' });
    say({ kind: 'run', state: 'completed', landed: 2, total: 4 });
    expect(since(gone)).toBeUndefined();
  });
});

describe('C2 what the target says', () => {
  it('is taken, taken back, and gives way to what happens to the idea next', () => {
    expect(takeVerdicts(model, off)).toBe(true);
    expect(takeVerdicts(model, off)).toBe(false);
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'pending', off: gone, reason: gone.text });
    expect(takeVerdicts(model, new Map())).toBe(true);
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'landed', commit: '1' });
    expect(model.ideas.get('a-1')).not.toHaveProperty('off');
    expect(model.counts).toMatchObject({ total: 4, landed: 2 });

    told('a-1', 'rollback');
    status('a-1', 'pending', { reason: 'rolled back' });
    takeVerdicts(model, back);
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'landed', commit: '1' });
    told('a-1', 'rollback');
    status('a-1', 'pending', { reason: 'again' });
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'pending', reason: 'again' });
    expect(model.ideas.get('a-1')).not.toHaveProperty('recorded');
    expect(model.counts).toMatchObject({ total: 4, landed: 1 });
  });

  it('is told as what has changed since then', () => {
    expect(sinceText(sinceThen(model))).toBeUndefined();
    takeVerdicts(model, off);
    const [b, c] = [model.ideas.get('b-1'), model.ideas.get('c-1')];
    if (b) b.forNext = { leftOut: true, givenUp: true, words: [] };
    if (c) c.forNext = { queued: true, words: ['retry c-1'] };
    expect(sinceText(sinceThen(model))).toBe(
      'since then: a-1 no longer on main; b-1 given up; c-1 queued for the next start',
    );
  });
});

it('A8: a summary alone gives the same numbers', () => {
  const notLanded = [...model.ideas.values()].flatMap(({ id, status }) =>
    status === 'landed' ? [] : [{ idea: id, status }],
  );
  expect(outcomeOfSummary({ landed: 2, landedBefore: 1, notLanded })).toEqual(outcomeOf(model));
});
