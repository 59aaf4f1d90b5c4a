/** How long slots were busy, and why not. Features: A1 A8 G1. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { reportSchema } from '../../../src/report/schema.js';
import { SlotUse, slotWords } from '../../../src/report/slot-use.js';
import { textReport } from '../../../src/report/text.js';
import { idea } from './shop-night.js';

const MINUTE = 60_000;
const START = new Date(2026, 10, 17, 22, 0).getTime();
const IDS = ['a', 'b', 'c'];

type Told = [minute: number, event: RunEvent];

function used(events: readonly Told[], slots = 2, landed: string[] = []) {
  const head = { project: 'p', runId: 'r', name: 'shop', target: 'main', slots };
  const model = newModel(
    head,
    IDS.map((id) => idea(id, id)),
    new Set(landed),
  );
  const use = new SlotUse();
  for (const [minute, event] of events) {
    const stamped = { at: new Date(START + minute * MINUTE).toISOString(), ...event };
    fold(model, stamped);
    use.take(stamped, model);
  }
  return { model, time: use.time };
}

const run = (state: Extract<RunEvent, { kind: 'run' }>['state'], more: object = {}): RunEvent => ({
  ...{ kind: 'run', state, landed: 0, total: 3 },
  ...more,
});
const status = (id: string, now: Extract<RunEvent, { kind: 'idea' }>['status'], more: object = {}): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: id, status: now },
  ...more,
});
const begins = (id: string, serial = 1): RunEvent => ({
  ...{ kind: 'iteration', idea: id, serial, iteration: serial, max: 5, agentName: 'ed-001' },
});
const ends = (id: string, serial = 1): RunEvent => ({
  ...{ kind: 'iteration-end', idea: id, serial, iteration: serial, outcome: 'ok', commits: 1, durationMs: 1 },
  signal: { kind: 'complete' },
});
const slot = (n: number) => ({ agentName: `ed-00${n}` });
const minutes = ({ agentMs, heldMs, empty }: ReturnType<typeof used>['time']) => ({
  agent: agentMs / MINUTE,
  held: heldMs / MINUTE,
  ...Object.fromEntries(Object.entries(empty).map(([why, ms]) => [why, ms / MINUTE])),
});

describe('the time of two slots', () => {
  it('is an agent’s, held without one, or empty with a reason', () => {
    const { time } = used([
      [0, run('running')],
      [0, status('a', 'running', slot(1))],
      [1, begins('a')],
      // c waits for a: a slot is empty.
      [11, ends('a')],
      [12, status('a', 'running', { ...slot(1), gating: true })],
      [15, status('a', 'landing')],
      [20, status('a', 'landed')],
      [20, status('b', 'running', slot(1))],
      [20, status('c', 'running', slot(2))],
      [20, begins('b')],
      [20, begins('c')],
      [30, ends('b')],
      [30, status('b', 'landed')],
      // Nothing is left to start.
      [40, ends('c')],
      [40, status('c', 'landed')],
      [40, run('completed')],
      [400, status('c', 'landed')],
    ]);
    expect(minutes(time)).toEqual({ agent: 10 + 10 + 20, held: 1 + 1, order: 12 + 2 * 8, 'no idea left': 10 });
  });

  it('is the same when everything has landed by the time of the report, and begins with the run', () => {
    const events: Told[] = [
      [0, { kind: 'activity', idea: 'a', activity: 'set-up' } as RunEvent],
      [10, run('running')],
      [10, status('a', 'running', slot(1))],
      [10, begins('a')],
      [15, ends('a')],
      [15, status('a', 'landed')],
      [15, run('completed')],
    ];
    const alive = minutes(used(events).time);
    expect(alive).toEqual({ agent: 5, held: 0, order: 5 });
    expect(minutes(used(events, 2, IDS).time)).toEqual(alive);
  });

  it('names a pause, a limit, a stop and the moment between two ideas', () => {
    const { time } = used([
      [0, run('running')],
      [0.02, status('a', 'running', slot(1))],
      [0.02, begins('a')],
      [10, { kind: 'account', account: { key: 'k', agents: ['claude'], state: 'parked' } }],
      [20, { kind: 'account', account: { key: 'k', agents: ['claude'], state: 'open' } }],
      [20, run('pausing')],
      [25, ends('a')],
      [25, status('a', 'paused', slot(1))],
      [30, run('stopping')],
      [35, run('stopped')],
    ]);
    expect(minutes(time)).toEqual({
      ...{ agent: 24.98, held: 10, refill: 0.02, order: 10, limit: 10, paused: 10, stopping: 5 },
    });
  });

  it('adds up to all the time of all slots, whatever happens', () => {
    const any = fc.tuple(fc.nat(30), fc.constantFrom(...IDS), fc.nat(8));
    const told = (id: string, what: number): RunEvent =>
      [
        status(id, 'running', slot(IDS.indexOf(id) + 1)),
        status(id, 'running', { ...slot(IDS.indexOf(id) + 1), gating: true }),
        status(id, 'landed'),
        status(id, 'needs-human'),
        begins(id, what),
        ends(id, what),
        run('pausing'),
        run('running'),
        status(id, 'paused', slot(IDS.indexOf(id) + 1)),
      ][what] as RunEvent;
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (steps) => {
        let at = 0;
        const events: Told[] = [[0, run('running')]];
        for (const [later, id, what] of steps) {
          at += later;
          events.push([at, told(id, what)]);
        }
        const { time } = used(events, 3);
        const empty = Object.values(time.empty).reduce((sum, ms) => sum + ms, 0);
        expect(time.agentMs + time.heldMs + empty).toBe(3 * at * MINUTE);
      }),
    );
  });
});

describe('a report', () => {
  const events = (until: number): Told[] => [
    [0, run('running')],
    [0, status('a', 'running', slot(1))],
    [0, begins('a')],
    [until, ends('a')],
    [until, status('a', 'landed')],
    [until, run('completed')],
  ];
  const of = (told: Told[]) => {
    const { model, time } = used(told);
    return makeReport(model, { now: START + 60 * MINUTE, zone: 'UTC', over: true, slotTime: time });
  };

  it('tells of slots that were empty for long, with the shares and the reason', () => {
    const report = of(events(30));
    expect(report.look).toContainEqual({
      kind: 'slots',
      text: 'with an agent 50 %, empty 50 % (the ideas left waited for others, for landings or for you 50 %)',
    });
    expect(textReport(report, { width: 200 }).join('\n')).toContain('slots');
    expect(reportSchema.parse(report).slotTime).toEqual({
      ...{ agentMs: 30 * MINUTE, heldMs: 0, empty: { order: 30 * MINUTE } },
    });
  });

  it('tells nothing of a short run, and nothing without slots', () => {
    expect(of(events(4)).look.filter(({ kind }) => kind === 'slots')).toEqual([]);
    expect(slotWords({ agentMs: 0, heldMs: 0, empty: {} })).toBeUndefined();
  });
});
