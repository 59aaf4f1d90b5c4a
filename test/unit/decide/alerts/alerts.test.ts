/** Which events alert, what goes out together, and when: pure. Features: G7 A7. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { remedy } from '../../../../src/client/views/need-lines.js';
import { hasAlerts, noteAlerts, returnAlerts, takeAlerts } from '../../../../src/decide/alerts/arising.js';
import {
  delivered,
  isBatch,
  isEmpty,
  minuteOf,
  newQueue,
  putBack,
  quietUntil,
  takeBatch,
  takeDue,
  underWay,
  wakeAt,
} from '../../../../src/decide/alerts/queue.js';
import { stillness } from '../../../../src/decide/alerts/still.js';
import { TIMED_OUT } from '../../../../src/decide/idea/completion.js';
import { firstState } from '../../../../src/decide/run/first-state.js';
import { ALERT_KINDS, type AlertItem, type AlertKind, type AlertSettings } from '../../../../src/protocol/alerts.js';
import type { AutopilotState, IdeaEntry } from '../../../../src/protocol/run.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const every: AlertKind[] = [...ALERT_KINDS];
const settings = (more: Partial<AlertSettings> = {}): AlertSettings => ({
  rows: [{ name: 'ops', events: every }],
  groupMs: MINUTE,
  urgent: ['review'],
  timeZone: 'UTC',
  ...more,
});
const ref = { project: 'p', runId: 'r' };
const item = (serial: number, kind: AlertKind, at: number): AlertItem => ({
  ...{ id: `r.i.${kind}.${serial}`, kind, run: 'r', idea: 'i', command: 'ralphctl status', at },
});

const heldPush = (why: string) => ({ cause: 'rejected' as const, why, ideas: ['a-1'], tries: 1, since: 1, at: 0 });

describe('the events of a run', () => {
  const state = (): AutopilotState =>
    firstState(
      { agentsQueue: 'a', gitQueue: 'g', target: 'main', cards: [], landed: [] },
      { slots: 1 } as RunSettings,
      0,
    );
  const entry = (status: IdeaEntry['status'], more: Partial<IdeaEntry> = {}): IdeaEntry => ({
    card: { id: 'auth-1', title: 'Log in' } as IdeaEntry['card'],
    ...{ status, seq: 0, life: 1, retries: 0, rounds: 0 },
    ...more,
  });
  const note = (of: AutopilotState, turns: IdeaEntry[] = [], more: Partial<AlertSettings> = {}): AlertItem[] => {
    noteAlerts(of, settings(more), { runId: 'r', turns, now: 5 });
    return takeAlerts(of).items;
  };

  it.each([
    ['question', entry('needs-human', { reason: 'which colour?' }), 'ralphctl answer auth-1 "…"'],
    ['question', entry('needs-human', { course: { question: 'q1' } }), 'ralphctl answer auth-1 --question q1 "…"'],
    ['question', entry('needs-human', { approvable: true }), 'ralphctl approve auth-1'],
    ['question', entry('paused', { approval: true }), 'ralphctl approve auth-1'],
    ['question', entry('landing', { approval: true }), 'ralphctl approve auth-1'],
    ['blocked', entry('blocked'), 'ralphctl unblock auth-1'],
    ['timed-out', entry('timeout', { reason: '3 of 3 iterations used' }), 'ralphctl limit auth-1 10'],
    ['timed-out', entry('timeout', { card: { id: 'auth-1', title: 'Log in', single: true } }), 'ralphctl retry auth-1'],
    [
      'timed-out',
      entry('timeout', { reason: '31 minutes of 30 of working time used' }),
      'ralphctl edit auth-1 --timeout MINUTES && ralphctl retry auth-1',
    ],
    ['failed', entry('failed'), 'ralphctl retry auth-1'],
    ['landed', entry('landed', { commit: 'abcdef0123456789' }), 'git show abcdef012345'],
  ] as const)('G7: %s carries the command that answers it', (kind, of, command) => {
    expect(note(state(), [of])).toMatchObject([{ kind, command, idea: 'auth-1', id: `r.auth-1.${kind}.1`, at: 5 }]);
  });

  it.each([
    ['blocked', 'needs a key', undefined],
    ['timeout', '3 of 3 iterations used', undefined],
    ['timeout', '1 of 1 iterations used', true],
    ['timeout', '31 minutes of 30 of working time used', undefined],
    ['timeout', `${TIMED_OUT.iteration} after 30m`, true],
    ['failed', 'the agent failed 3 times', undefined],
    ['needs-human', 'which colour?', undefined],
  ] as const)('G7 C2: an alert of %s (%s) advises what status advises', (status, reason, single) => {
    const more = single ? { single } : {};
    const card = { id: 'auth-1', title: 'Log in', ...more };
    const [alert] = note(state(), [entry(status, { card, reason })]);
    const advised = remedy({ id: 'auth-1', title: 'Log in', status, reason, ...more });
    for (const command of alert?.command.split(' && ') ?? []) expect(advised).toContain(command);
    expect(advised?.match(/ralphctl \w+/g)).toEqual(alert?.command.match(/ralphctl \w+/g));
  });

  it('G7: starts, pauses and stops of a person alert nobody, nor do groups', () => {
    const quiet = [entry('running'), entry('paused'), entry('pending'), entry('skipped'), entry('abandoned')];
    const blue = entry('landed', { card: { id: 'epic', title: '', blue: true } as IdeaEntry['card'] });
    expect(note(state(), [...quiet, entry('landing'), entry('wants-slot'), blue])).toEqual([]);
  });

  it('G7 A7: a condition of the run is told once, and again when it begins anew', () => {
    const run = state();
    run.review = true;
    run.why = '3 ideas failed one after another';
    expect(note(run)).toMatchObject([{ kind: 'review', text: run.why, command: 'ralphctl review' }]);
    expect(note(run)).toEqual([]);
    delete run.review;
    expect(note(run)).toEqual([]);
    run.review = true;
    expect(note(run)).toMatchObject([{ kind: 'review', id: 'r.run.review.2' }]);
  });

  it.each<[AlertKind, string, string, (run: AutopilotState) => void]>([
    [
      'all-limited',
      'codex is at a usage limit',
      'ralphctl limits retry',
      (run) => {
        run.limits = {
          ...{ agents: { default: 'codex', fallback: [], accounts: {} }, gates: [] },
          still: { why: 'codex is at a usage limit' },
        };
      },
    ],
    [
      'budget',
      'the budget of the run is used up',
      'ralphctl budget raise',
      (run) => {
        run.run = 'paused';
        run.why = 'the budget of the run is used up';
        run.budget = { ...run.budget, paused: 'run' } as AutopilotState['budget'];
      },
    ],
    [
      'not-pushed',
      'the remote refused it',
      'ralphctl status',
      (run) => {
        run.delivery = { due: true, held: heldPush('the remote refused it') };
      },
    ],
  ])('G7: %s arises with its reason and its command, once until it is gone', (kind, text, command, begin) => {
    const run = state();
    expect(note(run)).toEqual([]);
    begin(run);
    expect(note(run)).toMatchObject([{ kind, text, command }]);
    expect(note(run)).toEqual([]);
    const gone = state();
    if (run.alerts) gone.alerts = run.alerts;
    expect(note(gone)).toEqual([]);
    begin(gone);
    expect(note(gone)).toMatchObject([{ kind }]);
  });

  it('G7: a push that passes by itself alerts nobody before its third try', () => {
    const run = state();
    run.delivery = { due: true, held: { ...heldPush('no network'), cause: 'unreachable', tries: 2 } };
    expect(note(run)).toEqual([]);
    run.delivery = { due: true, held: { ...heldPush('no network'), cause: 'unreachable', tries: 3 } };
    expect(note(run)).toMatchObject([{ kind: 'not-pushed' }]);
  });

  it('G7: events that no row wants are not kept', () => {
    const rows = [{ name: 'ops', events: ['failed' as const] }];
    const run = state();
    expect(note(run, [entry('landed'), entry('failed')], { rows }).map(({ kind }) => kind)).toEqual(['failed']);
    expect(run.alerts?.serial).toBe(1);
  });

  const mayTakeBack = () => true;
  it.each([
    ['an answer', entry('needs-human'), entry('wants-slot')],
    ['an approval', entry('landing', { approval: true }), entry('landing')],
    ['a retry', entry('failed'), entry('pending')],
  ])(
    'G7: after %s the event is taken back: here where it has not left, else from the delivering workflow',
    (_, ...of) => {
      const [before, after] = of;
      const run = state();
      noteAlerts(run, settings(), { runId: 'r', turns: [before], now: 5 });
      noteAlerts(run, settings(), { runId: 'r', turns: [after], now: 6, mayTakeBack });
      expect(hasAlerts(run)).toBe(false);
      const [sent] = note(run, [before]);
      noteAlerts(run, settings(), { runId: 'r', turns: [after], now: 8, mayTakeBack });
      expect(takeAlerts(run)).toEqual({ items: [], over: [sent?.id] });
      expect(hasAlerts(run)).toBe(false);
    },
  );

  it('G7 A7: a condition that is gone is taken back; landings and runs of older versions are not', () => {
    const run = state();
    run.review = true;
    const [sent] = note(run);
    delete run.review;
    noteAlerts(run, settings(), { runId: 'r', turns: [], now: 6, mayTakeBack });
    expect(takeAlerts(run).over).toEqual([sent?.id]);
    note(run, [entry('landed')]);
    noteAlerts(run, settings(), { runId: 'r', turns: [entry('pending')], now: 7, mayTakeBack });
    expect(hasAlerts(run)).toBe(false);
    note(run, [entry('needs-human')]);
    noteAlerts(run, settings(), { runId: 'r', turns: [entry('wants-slot')], now: 8, mayTakeBack: () => false });
    expect(hasAlerts(run)).toBe(false);
  });

  it('G7: events that nobody took go before later ones', () => {
    const run = state();
    noteAlerts(run, settings(), { runId: 'r', turns: [entry('failed')], now: 5 });
    const first = takeAlerts(run);
    noteAlerts(run, settings(), { runId: 'r', turns: [entry('blocked')], now: 6 });
    returnAlerts(run, first);
    expect(takeAlerts(run).items.map(({ kind }) => kind)).toEqual(['failed', 'blocked']);
  });

  it('G7: the end of a run says how it ended', () => {
    const run = state();
    noteAlerts(run, settings(), { runId: 'r', turns: [], now: 5, ended: 'completed' });
    expect(takeAlerts(run).items).toMatchObject([{ kind: 'run-done', text: 'completed: 0 of 0 ideas landed' }]);
  });

  it('G7: the end of a run counts what this run landed, apart from what had landed before', () => {
    const cards = ['before', 'now', 'never'].map((id) => ({ id, title: id }));
    const run = firstState(
      { agentsQueue: 'a', gitQueue: 'g', target: 'main', cards, landed: ['before'] },
      { slots: 1 } as RunSettings,
      0,
    );
    const now = run.entries.find(({ card }) => card.id === 'now');
    if (now) Object.assign(now, { status: 'landed', commit: 'abc' });
    noteAlerts(run, settings(), { runId: 'r', turns: [], now: 5, ended: 'stopped' });
    expect(takeAlerts(run).items).toMatchObject([{ text: 'stopped: 1 landed in this run (2 of 3 in all)' }]);
  });
});

describe('the queue of alerts', () => {
  it('G7: ten failures within the window are one alert', () => {
    const queue = newQueue({ ref, settings: settings() });
    for (let at = 0; at < 10; at++) takeBatch(queue, { ref, settings: settings(), items: [item(at, 'failed', at)] });
    expect(takeDue(queue, MINUTE - 1)).toEqual([]);
    expect(wakeAt(queue, 10)).toBe(MINUTE);
    const [one, ...more] = takeDue(queue, MINUTE);
    expect([one?.alert.counts, one?.alert.items.length, more]).toEqual([{ failed: 10 }, 10, []]);
    delivered(queue, 'ops');
    expect(isEmpty(queue)).toBe(true);
  });

  it('G7: the end of a run does not wait for the window', () => {
    const queue = newQueue({ ref, settings: settings({ groupMs: HOUR }) });
    takeBatch(queue, { ref, settings: queue.settings, items: [item(1, 'landed', 0), item(2, 'run-done', 5)] });
    expect(takeDue(queue, 5)[0]?.alert.counts).toEqual({ landed: 1, 'run-done': 1 });
  });

  it('G7: quiet hours hold all but urgent events, until they end', () => {
    const quiet = { from: 22 * 60, to: 7 * 60 };
    const queue = newQueue({ ref, settings: settings({ quiet }) });
    const night = 23 * HOUR;
    takeBatch(queue, {
      ...{ ref, settings: queue.settings },
      items: [item(1, 'failed', night), item(2, 'review', night)],
    });
    expect(takeDue(queue, night + MINUTE)).toMatchObject([{ alert: { counts: { review: 1 } } }]);
    delivered(queue, 'ops');
    expect(wakeAt(queue, night + MINUTE)).toBe(31 * HOUR);
    expect(takeDue(queue, 31 * HOUR - 1)).toEqual([]);
    expect(takeDue(queue, 31 * HOUR)).toMatchObject([{ alert: { counts: { failed: 1 } } }]);
  });

  it.each(['constructor', 'toString', 'valueOf'])('G7: a row may be called %s', (name) => {
    const queue = newQueue({ ref, settings: settings({ rows: [{ name, events: every }] }) });
    takeBatch(queue, { ref, settings: queue.settings, items: [item(1, 'failed', 0)] });
    expect(takeDue(queue, MINUTE)).toMatchObject([{ row: name, alert: { counts: { failed: 1 } } }]);
    putBack(queue, name, new Set());
    expect(takeDue(queue, MINUTE)).toHaveLength(1);
    delivered(queue, name);
    expect(isEmpty(queue)).toBe(true);
  });

  it('G7: rows that the configuration no longer has are dropped', () => {
    const queue = newQueue({ ref, settings: settings() });
    takeBatch(queue, { ref, settings: settings(), items: [item(1, 'failed', 0)] });
    takeBatch(queue, { ref, settings: settings({ rows: [] }), items: [] });
    expect(isEmpty(queue)).toBe(true);
  });

  const take = (queue: ReturnType<typeof newQueue>, items: AlertItem[], over: string[] = []): void =>
    takeBatch(queue, { ref, settings: queue.settings, items, over });

  it('G7: an event that no longer holds leaves its group; of many, the next one takes its place', () => {
    const queue = newQueue({ ref, settings: settings() });
    const many = Array.from({ length: 30 }, (_, at) => item(at, 'failed', 0));
    take(queue, [...many, item(99, 'question', 0)]);
    take(queue, [], [...many.slice(0, 25).map(({ id }) => id), item(99, 'question', 0).id]);
    const [one] = takeDue(queue, MINUTE);
    expect(one?.alert.counts).toEqual({ failed: 5 });
    expect(one?.alert.items.map(({ id }) => id)).toEqual(many.slice(25).map(({ id }) => id));
    expect(one?.alert.id).toBe(many[25]?.id);
  });

  it('G7: a group of which nothing holds any more is not sent, and nothing wakes the queue for it', () => {
    const queue = newQueue({ ref, settings: settings() });
    take(queue, [item(1, 'question', 0)]);
    take(queue, [], [item(1, 'question', 0).id]);
    expect([isEmpty(queue), wakeAt(queue, 0), takeDue(queue, HOUR)]).toEqual([true, undefined, []]);
  });

  it('G7: what still holds of a cancelled delivery goes out alone under the same id; what came since has its own', () => {
    const queue = newQueue({ ref, settings: settings() });
    take(queue, [item(1, 'question', 0), item(2, 'failed', 0)]);
    const [sent] = takeDue(queue, MINUTE);
    take(queue, [item(3, 'failed', MINUTE)], ['other']);
    expect(underWay(queue, [item(1, 'question', 0).id])).toEqual(['ops']);
    expect(underWay(queue, ['other'])).toEqual([]);
    putBack(queue, 'ops', new Set([item(1, 'question', 0).id]));
    expect(wakeAt(queue, MINUTE)).toBe(MINUTE);
    const again = takeDue(queue, MINUTE);
    expect(again).toMatchObject([
      { alert: { id: sent?.alert.id, counts: { failed: 1 }, items: [{ id: 'r.i.failed.2' }] } },
    ]);
    expect(takeDue(queue, HOUR)).toEqual([]);
    delivered(queue, 'ops');
    expect(takeDue(queue, 2 * MINUTE)).toMatchObject([{ alert: { id: 'r.i.failed.3', counts: { failed: 1 } } }]);
    putBack(queue, 'ops', new Set(['r.i.failed.3']));
    expect(isEmpty(queue)).toBe(true);
  });

  it('G7: what is left of a cancelled delivery is taken back, too, and goes with its row', () => {
    for (const gone of ['event', 'row']) {
      const queue = newQueue({ ref, settings: settings() });
      take(queue, [item(1, 'question', 0), item(2, 'failed', 0)]);
      takeDue(queue, MINUTE);
      putBack(queue, 'ops', new Set(['r.i.question.1']));
      expect(isEmpty(queue)).toBe(false);
      if (gone === 'event') take(queue, [], ['r.i.failed.2']);
      else takeBatch(queue, { ref, settings: settings({ rows: [] }), items: [] });
      expect([isEmpty(queue), takeDue(queue, HOUR)]).toEqual([true, []]);
    }
  });

  it('G7: quiet hours that begin meanwhile do not hold the rest of a cancelled delivery', () => {
    const quiet = { from: 22 * 60, to: 7 * 60 };
    const queue = newQueue({ ref, settings: settings({ quiet }) });
    const evening = 22 * HOUR - 2 * MINUTE;
    take(queue, [item(1, 'question', evening), item(2, 'failed', evening)]);
    expect(takeDue(queue, evening + MINUTE)).toHaveLength(1);
    take(queue, [item(3, 'failed', evening + MINUTE)]);
    putBack(queue, 'ops', new Set(['r.i.question.1']));
    expect(takeDue(queue, 23 * HOUR)).toMatchObject([{ alert: { id: 'r.i.question.1', counts: { failed: 1 } } }]);
    delivered(queue, 'ops');
    expect(takeDue(queue, 23 * HOUR)).toEqual([]);
  });

  const kind = fc.constantFrom(...every);
  const happens = fc.oneof(
    fc.record({ do: fc.constant('event' as const), kind, id: fc.nat(60) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.nat(3 * HOUR) }),
    fc.record({ do: fc.constant('delivered' as const) }),
  );

  it('G7: every event is in exactly one alert of every row that wants it, whatever repeats and however time passes', () => {
    fc.assert(
      fc.property(
        fc.array(happens, { maxLength: 120, size: 'max' }),
        fc.uniqueArray(kind, { maxLength: 4 }),
        fc.boolean(),
        fc.nat(24 * 60 - 1),
        (story, few, hasQuiet, from) => {
          const quiet = hasQuiet ? { quiet: { from, to: (from + 300) % (24 * 60) } } : {};
          const of = settings({
            rows: [
              { name: 'all', events: every },
              { name: 'few', events: few },
            ],
            ...quiet,
          });
          const queue = newQueue({ ref, settings: of });
          const told = new Map<string, number>();
          const wanted = new Map<string, number>();
          const known = new Set<string>();
          let now = 0;
          const count = (): void => {
            for (const { row, alert } of takeDue(queue, now)) {
              expect(
                quietUntil(of.quiet, 'UTC', now) === undefined ||
                  Object.keys(alert.counts).every((one) => of.urgent.includes(one as AlertKind)),
              ).toBe(true);
              for (const [one, many] of Object.entries(alert.counts))
                told.set(`${row} ${one}`, (told.get(`${row} ${one}`) ?? 0) + many);
              expect(alert.items.length).toBeGreaterThan(0);
            }
          };
          for (const step of story) {
            if (step.do === 'event') {
              const one = item(step.id, step.kind, now);
              if (!known.has(one.id))
                for (const { name, events } of of.rows)
                  if (events.includes(one.kind))
                    wanted.set(`${name} ${one.kind}`, (wanted.get(`${name} ${one.kind}`) ?? 0) + 1);
              known.add(one.id);
              takeBatch(queue, { ref, settings: of, items: [one] });
            } else if (step.do === 'pass') now += step.ms;
            else for (const row of Object.keys(queue.sending)) delivered(queue, row);
            count();
          }
          // To the end, only by what the queue itself asks for.
          for (let rounds = 0; !isEmpty(queue) && rounds < 200; rounds++) {
            for (const row of Object.keys(queue.sending)) delivered(queue, row);
            now = Math.max(now, wakeAt(queue, now) ?? now);
            count();
          }
          expect(isEmpty(queue)).toBe(true);
          expect(told).toEqual(wanted);
        },
      ),
    );
  });

  const turn = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('event' as const), kind, id: fc.nat(15) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('over' as const), nth: fc.nat(30) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: MINUTE, max: 2 * HOUR }) }),
    },
    // The receiver takes a try whose answer is lost.
    { weight: 3, arbitrary: fc.constant({ do: 'taken' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'delivered' as const }) },
  );

  it('G7: a receiver that drops known ids of alerts misses no event and sees none twice, whichever tries it took', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 80, size: 'max' }),
        fc.boolean(),
        fc.nat(24 * 60 - 1),
        (story, hasQuiet, from) => {
          const quiet = hasQuiet ? { quiet: { from, to: (from + 300) % (24 * 60) } } : {};
          const of = settings(quiet);
          const queue = newQueue({ ref, settings: of });
          const holds = new Set<string>();
          const over = new Set<string>();
          const alerts = new Set<string>();
          // By the ids of alerts, and by those of events.
          const seen: string[] = [];
          const events = new Set<string>();
          let now = 0;
          const taken = (): void => {
            for (const { id, items } of Object.values(queue.sending)) {
              if (!alerts.has(id)) seen.push(...items.map((one) => one.id));
              alerts.add(id);
              for (const one of items) events.add(one.id);
            }
          };
          const arrives = (): void => {
            taken();
            for (const row of Object.keys(queue.sending)) delivered(queue, row);
          };
          for (const step of story) {
            if (step.do === 'event') {
              const one = item(step.id, step.kind, now);
              if (!over.has(one.id)) holds.add(one.id);
              take(queue, [one]);
            } else if (step.do === 'over') {
              const id = [...holds][step.nth % holds.size];
              if (id === undefined) continue;
              holds.delete(id);
              over.add(id);
              take(queue, [], [id]);
              for (const row of underWay(queue, [id])) putBack(queue, row, new Set([id]));
            } else if (step.do === 'pass') now += step.ms;
            else if (step.do === 'taken') taken();
            else arrives();
            takeDue(queue, now);
          }
          for (let rounds = 0; !isEmpty(queue) && rounds < 200; rounds++) {
            arrives();
            now = Math.max(now, wakeAt(queue, now) ?? now);
            takeDue(queue, now);
          }
          expect(isEmpty(queue)).toBe(true);
          expect(new Set(seen).size).toBe(seen.length);
          expect([...holds].filter((id) => !seen.includes(id))).toEqual([]);
          expect([...holds].filter((id) => !events.has(id))).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('quiet hours', () => {
  it('G7: within the hours they name the first minute outside, across midnight and changes of the clock', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');
    const minute = fc.nat(24 * 60 - 1);
    fc.assert(
      fc.property(zones, minute, minute, fc.integer({ min: 1.7e12, max: 1.8e12 }), (zone, from, to, now) => {
        fc.pre(from !== to);
        const inside = (at: number): boolean => {
          const clock = minuteOf(at, zone);
          return from < to ? clock >= from && clock < to : clock >= from || clock < to;
        };
        const until = quietUntil({ from, to }, zone, now);
        expect(until !== undefined).toBe(inside(now));
        if (until === undefined) return;
        expect(until).toBeGreaterThan(now);
        // A clock that is put forward or back may skip the minute itself: then the queue asks again.
        if (minuteOf(until, zone) !== to) expect(Math.abs(until - now)).toBeLessThan(26 * HOUR);
      }),
    );
  });

  it.each([
    ['2026-10-24T20:30:00Z', '2026-10-25T06:00:00Z'],
    ['2026-03-28T21:30:00Z', '2026-03-29T05:00:00Z'],
    ['2026-06-01T00:00:30Z', '2026-06-01T05:00:00Z'],
  ])('G7: at %s in Berlin 22:00-07:00 end at %s', (now, end) => {
    const until = quietUntil({ from: 22 * 60, to: 7 * 60 }, 'Europe/Berlin', Date.parse(now));
    expect(new Date(until ?? 0).toISOString()).toBe(new Date(end).toISOString());
  });
});

describe('a message with alerts', () => {
  it('G7: of another shape is no batch', () => {
    const batch = { ref, settings: settings({ quiet: { from: 1, to: 2 } }), items: [item(1, 'failed', 0)] };
    expect(isBatch(JSON.parse(JSON.stringify(batch)))).toBe(true);
    for (const bad of [
      undefined,
      null,
      7,
      [],
      {},
      { ...batch, items: [1] },
      { ...batch, ref: {} },
      { ...batch, settings: {} },
    ])
      expect(isBatch(bad)).toBe(false);
  });
});

describe('a standstill', () => {
  const MIN = 60_000;
  const seen = { limitMs: 30 * MIN, stillMs: 31 * MIN };

  it.each([
    ['running', 'no agent and no gate has done anything for 31 minutes'],
    ['stopping', 'no agent and no gate has done anything for 31 minutes'],
    ['waits for you', 'everything has waited for you for 31 minutes'],
    ['waiting_user', 'everything has waited for you for 31 minutes'],
  ] as const)('G7: of a run that is %s is told', (state, text) => {
    expect(stillness({ ...seen, state })).toEqual({ text, command: 'ralphctl status' });
    expect(stillness({ ...seen, state, stillMs: 29 * MIN })).toBeUndefined();
  });

  it.each(['paused', 'completed', 'stopped', 'aborted'] as const)('G7: of a run that is %s alerts nobody', (state) => {
    expect(stillness({ ...seen, state })).toBeUndefined();
  });

  it('G7: of a worker that is away is told sooner, whatever the run says, and names why', () => {
    const away = { ms: 2 * MIN, why: 'the worker ended 7 times in a row' };
    expect(stillness({ limitMs: 30 * MIN, stillMs: 0, state: 'paused', away })).toEqual({
      text: 'the worker ended 7 times in a row, so the run is not moving',
      command: 'ralphctl start',
    });
    expect(stillness({ limitMs: 30 * MIN, stillMs: 0, away: { ms: 2 * MIN } })?.text).toContain(
      'the worker has not reached the Temporal server for 2 minutes',
    );
    expect(stillness({ limitMs: 30 * MIN, stillMs: 0, away: { ...away, ms: MIN } })).toBeUndefined();
    // A worker reports several times a minute, so a shorter limit says nothing about it.
    expect(stillness({ limitMs: 1000, stillMs: 0, away: { ms: 20_000 } })).toBeUndefined();
    expect(stillness({ ...seen, state: 'completed', away })).toBeUndefined();
  });
});
