/** A rollback that did not go through tells its idea as `landed` again, and that is no landing. Features: C2 G1 G4 G6. */
import { describe, expect, it } from 'vitest';
import { liveLine } from '../../../src/client/views/live-lines.js';
import { outcomeOf } from '../../../src/model/at-end.js';
import { ideaFacts, landingsOf, runFacts, type SummaryFile, toldIdeas } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { Folding } from '../../../src/model/with-summary.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { listsOf } from '../../../src/screen/lists.js';
import { happened } from '../../../src/screen/run/happened.js';
import { Counted } from '../metrics/counted.js';
import { idea } from '../screen/shop.js';

const BEFORE = 'big-1';
const fresh = (ticked: string[] = []): RunModel =>
  newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    [BEFORE, 'a-1', 'b-1'].map((id) => idea(id, `Title of ${id}`)),
    new Set([BEFORE]),
    new Set(ticked),
  );

const stamped = (events: readonly RunEvent[]): StampedEvent[] =>
  events.map((event, at) => ({ at: new Date((at + 1) * 60_000).toISOString(), ...event }));

const is = (id: string, status: 'running' | 'landing' | 'landed', more: object = {}): RunEvent => ({
  kind: 'idea',
  ...{ idea: id, title: `Title of ${id}`, status, ...more },
});
const rollback = (id: string, reason: string, more: object = {}): RunEvent[] => [
  { kind: 'command', verb: 'rollback', idea: id, by: 'cli', done: `${id} is in the landing queue` },
  is(id, 'landing', more),
  is(id, 'landed', { reason, ...more }),
];
const REFUSED = 'could not be undone: main does not contain it';
const CUT_OFF = 'not taken off the target: the run was aborted first';
const OVER: RunEvent = { kind: 'run', state: 'completed', landed: 3, total: 3 };

const NIGHT = (reason: string): StampedEvent[] =>
  stamped([
    { kind: 'run', state: 'running', landed: 1, total: 3, slots: 1 },
    is('a-1', 'running', { agentName: 'ed-001' }),
    is('a-1', 'landed', { commit: 'aaaaaaa1' }),
    is('b-1', 'landed', { commit: 'bbbbbbb1' }),
    ...rollback(BEFORE, reason),
    ...rollback('a-1', reason, { commit: 'aaaaaaa1' }),
    OVER,
  ]);

function played(events: readonly StampedEvent[], model = fresh()): RunModel {
  for (const event of events) fold(model, event);
  return model;
}

describe.each([REFUSED, CUT_OFF])('%s', (reason) => {
  it('C2 G4: counts no landing in this run in the model, its lists and its report', () => {
    const model = played(NIGHT(reason));
    expect(outcomeOf(model)).toMatchObject({ landed: 3, landedBefore: 1 });
    expect(listsOf(model).landedBefore).toBe(1);
    expect([...landingsOf(model).keys()]).toEqual(['a-1', 'b-1']);
    const extra = { now: 3_600_000, over: true, zone: 'UTC' };
    const report = makeReport(model, extra);
    expect(report.counts).toMatchObject({ landed: 2, landedBefore: 1 });
    // In the order of their landings: no rollback changes that.
    expect(report.landed.map((one) => [one.idea, one.at])).toEqual([
      ['a-1', 180_000],
      ['b-1', 240_000],
    ]);
    expect(model.ideas.get('a-1')?.landedAs).toEqual({ commit: 'aaaaaaa1', at: 180_000 });
    expect(model.ideas.get(BEFORE)).toMatchObject({ status: 'landed', landedBefore: true, reason });
  });

  it('C2 G1: counts in no number where the idea was only ticked', () => {
    expect(outcomeOf(played(NIGHT(reason), fresh([BEFORE])))).toMatchObject({ landed: 2, landedBefore: 0 });
  });

  it('C2 G1: a summary alone tells no landing either', () => {
    const model = played(NIGHT(reason));
    const summary = {
      ...{ outcome: 'completed', landed: 3, landedBefore: 1, notLanded: [] },
      status: { runId: 'r', statistics: { iterations: { total: 0 } } },
      run: runFacts(model),
      ideas: toldIdeas(model).map(ideaFacts),
    } as unknown as SummaryFile;
    const lost = fresh();
    const folding = new Folding(lost, summary);
    folding.end();
    expect(folding.lost).toBe(true);
    expect(outcomeOf(lost)).toMatchObject({ landed: 3, landedBefore: 1 });
  });

  it('C2 G6: every line of it says that the idea stays landed', () => {
    const event = stamped([is(BEFORE, 'landed', { reason })])[0] as StampedEvent;
    const line = happened(event, played(NIGHT(reason)), 3_600_000);
    expect(line.text).toBe(`stays landed: ${reason}`);
    expect(line).not.toHaveProperty('took');
    expect(liveLine(event, false)).toContain(`stays landed: ${reason}`);
  });

  it('C2 G9: no metric counts it', () => {
    const told = NIGHT(reason).map(({ at, ...event }) => [Date.parse(at) / 1000, event as RunEvent] as const);
    const counted = new Counted([BEFORE, 'a-1', 'b-1']).take(...told);
    expect(counted.of('ralphctl_ideas_closed_total')).toEqual({ landed: 2 });
  });
});
