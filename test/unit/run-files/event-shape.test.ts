/** Whatever stands in an events file: no view fails, and valid events count. Features: G1 G2 G6. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { isEvent } from '../../../src/config/schema/events.js';
import { ideaFacts, runFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { foldNight, newNight } from '../../../src/report/night.js';
import { showText } from '../../../src/report/show.js';
import { textReport } from '../../../src/report/text.js';
import { parseEvent } from '../../../src/run-files/events.js';
import { hostileEvent } from '../report/hostile.js';
import { shopNight } from '../report/shop-night.js';

const AT = '2026-11-17T22:03:00.000Z';
const NOW = Date.parse('2026-11-18T06:00:00.000Z');
const MORE: readonly StampedEvent[] = [
  {
    ...{ at: AT, kind: 'account' },
    account: { key: 'k', agents: ['claude'], state: 'parked', kind: 'limited', reason: 'limit', since: 5, until: 9 },
  },
  { at: AT, kind: 'parked', idea: 'db-001', trouble: { kind: 'auth', agent: 'claude', message: 'log in' } },
  { at: AT, kind: 'asks', idea: 'db-001', asking: 'question', question: 'Which?' },
  { at: AT, kind: 'gate-start', idea: 'db-001', command: 'npm test', number: 1, of: 2 },
  { at: AT, kind: 'activity', idea: 'db-001', activity: 'base', command: 'npm test', number: 1, of: 2 },
  { at: AT, kind: 'step-start', idea: 'db-001', step: 's', phase: 'p', number: 1, of: 2 },
  { at: AT, kind: 'step', idea: 'db-001', step: 's', phase: 'p', state: 'skipped', why: 'w', number: 1, of: 2 },
  { at: AT, kind: 'waiting', idea: 'db-001', why: 'w', ms: 5 },
  { at: AT, kind: 'command', verb: 'answer', idea: 'db-001', text: 'this', by: 'cli', done: 'done' },
  { at: AT, kind: 'refused', verb: 'retry', idea: 'db-001', why: 'no' },
  { at: AT, kind: 'answered', idea: 'db-001', text: 'this', by: 'screen' },
  { at: AT, kind: 'delivered', idea: 'db-001', serial: 1, notes: 1, fromProgram: 1 },
  { at: AT, kind: 'interrupted', idea: 'db-001', iteration: 1 },
  { at: AT, kind: 'interrupted', idea: 'db-001', iteration: 1, gate: true },
  { at: AT, kind: 'left', idea: 'ghost', why: 'w' },
  { at: AT, kind: 'held', idea: 'db-001', why: 'w' },
  { at: AT, kind: 'bounced', idea: 'db-001', why: 'conflict' },
  { at: AT, kind: 'all-limited', why: 'w', until: 9 },
  { at: AT, kind: 'agent', idea: 'db-001', agent: 'codex', before: 'claude', why: 'w' },
  { at: AT, kind: 'escalated', idea: 'db-001', rung: 'nudge', iterations: 3 },
  { at: AT, kind: 'alert', row: 'r', state: 'failed', events: 1, why: 'w' },
  { at: AT, kind: 'warning', warning: 'stuck', text: 't' },
  { at: AT, kind: 'warning', idea: 'db-001', warning: 'budget', text: 't' },
  { at: AT, kind: 'warning-over', warning: 'errors' },
  { at: AT, kind: 'warning-over', idea: 'db-001', warning: 'stuck' },
];
const VALID: readonly StampedEvent[] = [...shopNight(), ...MORE];

/** Everything that people read of these values. */
function views(values: readonly unknown[]): void {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
  const night = newNight();
  const live = new LiveLines(false);
  for (const value of values) {
    const event = parseEvent(JSON.stringify(value));
    if (!event) continue;
    fold(model, event);
    foldNight(night, event);
    live.lines(event);
  }
  const extra = { now: NOW, zone: 'UTC', over: true, night };
  textReport(makeReport(model, extra), { width: 80, all: true });
  JSON.stringify(runFacts(model));
  for (const idea of model.ideas.values()) {
    JSON.stringify(ideaFacts(idea));
    showText({ model, idea, now: NOW, commands: [], others: [] });
  }
}

type Path = readonly string[];

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [
    ...(at.length > 0 ? [at] : []),
    ...Object.entries(value).flatMap(([name, one]) => pathsOf(one, [...at, name])),
  ];
}

/** A copy with the field removed (`to` is undefined) or replaced. */
function changed(event: StampedEvent, path: Path, to: unknown): unknown {
  const copy = structuredClone(event) as Record<string, unknown>;
  let place = copy;
  for (const name of path.slice(0, -1)) place = place[name] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  if (to === undefined) delete place[last];
  else place[last] = to;
  // An element removed from a list is null in JSON.
  return JSON.parse(JSON.stringify(copy));
}

const other = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', 1e300, -1, 0.5, 1e9, 1e15, null, [], {}, true, [null]),
  fc.jsonValue({ maxDepth: 2 }),
);
const damaged = fc
  .constantFrom(...VALID)
  .chain((event) => fc.tuple(fc.constant(event), fc.constantFrom(...pathsOf(event)), other))
  .map(([event, path, to]) => changed(event, path, to));

describe('the shape of events', () => {
  it('takes every event that ralphctl writes, and unknown kinds and fields', () => {
    for (const event of VALID) expect(isEvent(event), JSON.stringify(event)).toBe(true);
    fc.assert(fc.property(hostileEvent, (event) => isEvent({ at: AT, ...event })));
    expect(isEvent({ at: AT, kind: 'moon', idea: 'a', phase: 7 })).toBe(true);
    expect(isEvent({ at: AT, kind: 'landing', idea: 'a', more: [] })).toBe(true);
  });

  it('does not take a damaged event', () => {
    const damaged = [42, null, [], { at: AT, kind: 'account' }, { at: AT, kind: 'idea', idea: '__proto__' }];
    const unknown = [{ at: AT, kind: 'moon', idea: '__proto__' }, { at: 'soon', kind: 'moon' }, { kind: 'moon' }];
    for (const odd of [...damaged, ...unknown])
      expect(parseEvent(JSON.stringify(odd)), JSON.stringify(odd)).toBe(undefined);
  });

  it('keeps report, show, logs and facts whole, whatever JSON the lines are', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), damaged, fc.constantFrom(...VALID)), { maxLength: 12 }), views),
      { numRuns: 400 },
    );
  });

  it('keeps them whole when one event of a whole night is damaged', () => {
    fc.assert(
      fc.property(damaged, fc.nat(VALID.length), (odd, place) =>
        views([...VALID.slice(0, place), odd, ...VALID.slice(place)]),
      ),
      { numRuns: 60 },
    );
  });
});
