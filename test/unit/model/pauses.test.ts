/** From when to when the run, or an idea, was paused. Features: C1 C2 G2 G8. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { ShownState } from '../../../src/protocol/states.js';
import { lookOf } from '../../../src/report/look.js';
import { showText } from '../../../src/report/show.js';
import { clock } from '../../../src/screen/text/time.js';
import { idea } from '../screen/shop.js';

const START = Date.parse('2026-03-04T20:00:00.000Z');
const minute = (n: number): number => START + n * 60_000;
const NOW = minute(120);

const run = (state: ShownState, why?: string): RunEvent => ({
  ...{ kind: 'run', state, landed: 0, total: 2 },
  ...(why ? { why } : {}),
});
const is = (id: string, status: Extract<RunEvent, { kind: 'idea' }>['status'], more: object = {}): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: id, status },
  ...more,
});

/** Each event with its minute. */
function modelOf(...events: [number, RunEvent][]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A'), idea('b', 'B')]);
  for (const [at, event] of events) fold(model, { at: new Date(minute(at)).toISOString(), ...event });
  return model;
}
const pausesOf = (model: RunModel, over = true): string[] =>
  lookOf(model, [], { now: NOW, zone: 'UTC', over }).flatMap(({ kind, text }) => (kind === 'paused' ? [text] : []));
const at = (n: number): string => clock(minute(n), NOW);

describe('pauses', () => {
  it('C1 G8: the report says from when to when the run was paused, and why; its ideas are not named again', () => {
    const model = modelOf(
      [0, run('running')],
      [1, is('a', 'running')],
      [10, run('pausing', 'lunch')],
      [11, is('a', 'paused')],
      [12, run('paused', 'lunch')],
      [42, run('running')],
      [43, is('a', 'running')],
      [60, run('completed')],
    );
    expect(pausesOf(model)).toEqual([`the run was paused from ${at(10)} to ${at(42)} (32m): lunch`]);
  });

  it('C1: a pause that was taken back before it held is none, and one without an end lasts', () => {
    const begun: [number, RunEvent][] = [
      [0, run('running')],
      [10, run('pausing')],
      [11, run('running')],
    ];
    expect(pausesOf(modelOf(...begun))).toEqual([]);
    const open = modelOf(...begun, [20, run('paused')]);
    expect(pausesOf(open, false)).toEqual([`the run was paused from ${at(20)} on`]);
    expect(pausesOf(open)).toEqual([`the run was paused from ${at(20)} to the end`]);
  });

  it('C2 G2 G8: an idea has its pauses in the report and on its timeline, with their ends', () => {
    const model = modelOf(
      [0, run('running')],
      [1, is('a', 'running')],
      [5, is('a', 'paused')],
      [6, is('a', 'paused', { reason: 'again' })],
      [25, is('a', 'running')],
      [30, is('b', 'pending', { held: true })],
      [40, is('b', 'running')],
      [50, is('a', 'paused', { approval: true })],
      [55, is('a', 'running')],
    );
    expect(pausesOf(model)).toEqual([
      `a was paused from ${at(5)} to ${at(25)} (20m)`,
      `b was held from ${at(30)} to ${at(40)} (10m)`,
    ]);
    const shown = (id: string): string => {
      const found = model.ideas.get(id) ?? expect.fail(id);
      return showText({ model, idea: found, now: NOW, commands: [], others: [] }, 80).join('\n');
    };
    expect(shown('a')).toMatch(new RegExp(`◫ +${at(5)}  20m +paused until ${at(25)}`));
    expect(shown('a')).toMatch(new RegExp(`◫ +${at(50)}  5m +waits for approval until ${at(55)}`));
    expect(shown('b')).toMatch(new RegExp(`◫ +${at(30)}  10m +held until ${at(40)}`));
  });
});
