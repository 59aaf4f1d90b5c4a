/** What the events of a run count as. Features: A8 G1 G9. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WORKER_LOST } from '../../../src/protocol/failures.js';
import type { AccountLine } from '../../../src/protocol/limits.js';
import { begins, Counted, ends, gate, run, slot, status, type Told } from './counted.js';

const NIGHT: Told[] = [
  [0, run('running')],
  [1, status('a', 'running', slot(1))],
  [2, begins('a')],
  [62, ends('a', 1, { usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 } })],
  [62, status('a', 'running', { ...slot(1), gating: true })],
  [67, gate('a')],
  [67, status('a', 'landing')],
  [70, { kind: 'landing', idea: 'a' }],
  [72, gate('a', { merged: true, durationMs: 1500 })],
  [73, status('a', 'landed', { commit: 'abc' })],
];

it('counts an idea from its start to its landing', () => {
  const night = new Counted().take(...NIGHT);
  expect(night.of('ralphctl_iterations_total')).toEqual({ 'claude complete': 1 });
  expect(night.observed('ralphctl_iteration_duration_seconds')).toEqual({ claude: [60] });
  expect(night.of('ralphctl_agent_tokens_total')).toEqual({ 'claude input': 100, 'claude output': 20 });
  expect(night.of('ralphctl_agent_cost_dollars_total')).toEqual({ claude: 0.5 });
  expect(night.observed('ralphctl_gate_duration_seconds')).toEqual({ 'idea green': [4], 'merged green': [1.5] });
  expect(night.observed('ralphctl_queue_wait_seconds')).toEqual({ landing: [3] });
  expect(night.observed('ralphctl_landing_duration_seconds')).toEqual({ landed: [3] });
  expect(night.of('ralphctl_ideas_closed_total')).toEqual({ landed: 1 });
  expect(night.gauges('ralphctl_ideas', 80)).toEqual({ landed: 1, pending: 2 });
  expect(night.gauges('ralphctl_run_state', 80)).toEqual({ running: 1 });
  expect(night.of('ralphctl_errors_total')).toEqual({});
});

it('counts a line that a crash repeated once', () => {
  const twice = NIGHT.flatMap((told): Told[] => [told, told]);
  const [once, again] = [new Counted().take(...NIGHT), new Counted().take(...twice)];
  expect(again.values).toEqual(once.values);
  expect(again.times).toEqual(once.times);
});

it('says what came of an iteration', () => {
  const signals = ['progress', 'blocked', 'needs-human', 'none'].map((kind) => ({ signal: { kind, percent: 1 } }));
  const endings = [...signals, { turnedDown: 'nothing changed' }, { outcome: 'timeout' }, { outcome: 'failed' }];
  const night = new Counted().take([0, run('running')], [0, status('a', 'running', slot(1))]);
  for (const [at, more] of endings.entries()) night.take([at, begins('a', at + 1)], [at, ends('a', at + 1, more)]);
  night.take([90, begins('a', 90)], [91, { kind: 'interrupted', idea: 'a', iteration: 90 }]);
  const outcomes = [
    'progress',
    'blocked',
    'needs-human',
    'no-signal',
    'turned-down',
    'timeout',
    'failed',
    'interrupted',
  ];
  expect(night.of('ralphctl_iterations_total')).toEqual(
    Object.fromEntries(outcomes.map((outcome) => [`claude ${outcome}`, 1])),
  );
  // Nobody told what these used, and the interrupted one has no end.
  expect(night.of('ralphctl_agent_unreported_total')).toEqual({ 'claude cost': 7, 'claude tokens': 7 });
});

it('tells the use of slots now, and of their time up to the last event', () => {
  const night = new Counted().take(...NIGHT.slice(0, 3));
  expect(night.gauges('ralphctl_slots', 2.5)).toEqual({ busy: 1, empty_order: 1 });
  night.take([40, run('pausing')]);
  expect(night.gauges('ralphctl_slots', 41)).toEqual({ busy: 1, empty_paused: 1 });
  night.fold.countSlotTime();
  const use = night.of('ralphctl_slot_seconds_total');
  expect(use).toEqual({ busy: 38, held: 1, empty_refill: 1, empty_order: 40 });
  night.fold.countSlotTime();
  expect(night.of('ralphctl_slot_seconds_total')).toEqual(use);
});

it('tells a slot that has just become empty from one that stays so', () => {
  const night = new Counted().take(...NIGHT.slice(0, 5));
  expect(night.gauges('ralphctl_slots', 63)).toEqual({ empty_refill: 1, empty_order: 1 });
  expect(night.gauges('ralphctl_slots', 65)).toEqual({ empty_order: 2 });
});

it('counts waits for a slot and for the locks of a gate, and what bounced', () => {
  const night = new Counted().take(
    [0, run('running')],
    [1, status('a', 'wants-slot')],
    [31, status('a', 'running', slot(1))],
    [40, gate('a', { pass: false, commands: [{ command: 'x', exitCode: 1, durationMs: 1, waitedMs: 250 }] })],
    [41, gate('a', { same: 'gate of b', durationMs: 0 })],
    [42, status('a', 'landing')],
    [43, { kind: 'landing', idea: 'a' }],
    [45, { kind: 'bounced', idea: 'a', why: 'it conflicts with the target in x.ts' }],
    [46, status('a', 'wants-slot')],
    [47, status('a', 'landing')],
    [48, { kind: 'landing', idea: 'a' }],
    [52, status('a', 'wants-slot')],
    [53, { kind: 'bounced', idea: 'a', why: 'the gate is red on the merged tree (npm test)' }],
  );
  expect(night.observed('ralphctl_queue_wait_seconds')).toEqual({ slot: [30], gate_lock: [0.25], landing: [1, 1] });
  expect(night.observed('ralphctl_landing_duration_seconds')).toEqual({ bounced: [2, 5] });
  expect(night.of('ralphctl_gates_reused_total')).toEqual({ '': 1 });
  expect(night.of('ralphctl_errors_total')).toEqual({ 'landing-conflict': 1, 'landing-red': 1 });
});

it('counts errors by kind, and nothing else as an error', () => {
  const lost: Told[] = [[1, { kind: 'waiting', idea: 'a', why: WORKER_LOST, ms: 500 }]];
  const night = new Counted().take(
    ...lost,
    [2, { kind: 'waiting', idea: 'a', why: 'the disk is full', ms: 500 }],
    [3, status('a', 'failed')],
    [4, status('b', 'timeout')],
    [5, status('c', 'blocked')],
    [6, { kind: 'push', state: 'held', to: 'origin/main', ideas: [] }],
    [7, { kind: 'alert', row: 'phone', state: 'failed', events: 1 }],
    [8, { kind: 'alert', row: 'phone', state: 'delivered', events: 1 }],
    [9, { kind: 'tracker', idea: 'a', state: 'failed' }],
    [10, { kind: 'tracker', idea: 'a', state: 'waits' }],
    [11, { kind: 'asks', idea: 'a', asking: 'budget', question: 'more?' }],
  );
  const runs = ['1 limited', '2 ok', '3 auth', '3 auth', '4 cut-off', '4 lost', '5 future'].map((one) =>
    one.split(' '),
  );
  for (const [serial, outcome = ''] of runs) night.fold.takeRun(`a/${serial}/${outcome}`, { agent: 'codex', outcome });
  const kinds = ['worker-lost', 'idea-failed', 'idea-timeout', 'idea-blocked', 'push', 'alert', 'tracker'];
  expect(night.of('ralphctl_errors_total')).toEqual(
    Object.fromEntries([...kinds, 'limited', 'auth', 'lost'].map((kind) => [kind, 1])),
  );
  expect(night.of('ralphctl_agent_runs_total')).toEqual({
    ...{ 'codex limited': 1, 'codex ok': 1, 'codex auth': 1, 'codex cut-off': 1, 'codex lost': 1, 'codex other': 1 },
  });
  expect(night.of('ralphctl_alerts_total')).toEqual({ 'phone failed': 1, 'phone delivered': 1 });
  expect(night.of('ralphctl_questions_total')).toEqual({ budget: 1 });
});

it('tells closed accounts, when they are tried again, and how often they were closed', () => {
  const agents = ['claude', 'cheap'];
  const account: AccountLine = { key: 'k', agents, state: 'parked', kind: 'limited', until: 5_000_000 };
  const night = new Counted().take([1, { kind: 'account', account }]);
  night.take([2, { kind: 'account', account: { ...account, state: 'probing' } }]);
  expect(night.gauges('ralphctl_account_closed', 3)).toEqual({ 'claude limited': 1, 'cheap limited': 1 });
  expect(night.gauges('ralphctl_account_reopens_timestamp_seconds', 3)).toEqual({ claude: 5000, cheap: 5000 });
  night.take([4, { kind: 'account', account: { key: 'k', agents, state: 'open' } }]);
  expect(night.gauges('ralphctl_account_closed', 5)).toEqual({});
  expect(night.fold.troubles.size).toBe(2);
  night.take([6, { kind: 'account', account }]);
  expect(night.of('ralphctl_account_closings_total')).toEqual({ limited: 2 });
});

it('no counter shrinks, however the events come, and a restart counts the same', () => {
  const event = fc.oneof(
    fc.constantFrom(...NIGHT.map(([, one]) => one)),
    fc.constantFrom(run('paused'), run('completed'), run('running', { slots: 1 }), status('b', 'running', slot(2))),
    fc.constantFrom(begins('b', 7), ends('b', 7), status('b', 'landing'), status('b', 'paused'), status('b', 'failed')),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(500), event), { maxLength: 40 }), (told) => {
      const [whole, slow] = [new Counted(), new Counted()];
      let before = new Map<string, number>();
      for (const one of told) {
        slow.take(one).fold.countSlotTime();
        for (const [key, value] of before) expect(slow.values.get(key)).toBeGreaterThanOrEqual(value);
        before = new Map(slow.values);
      }
      whole.take(...told).fold.countSlotTime();
      expect([...whole.times]).toEqual([...slow.times]);
      for (const [key, value] of whole.values) expect(slow.values.get(key)).toBeCloseTo(value, 6);
    }),
    { numRuns: 200 },
  );
});
