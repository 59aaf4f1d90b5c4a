/** A run whose events are lost is as its summary has it, wherever they break off. Features: A8 G1. */
import { describe, expect, it } from 'vitest';
import { endedAs, outcomeOf } from '../../../src/model/at-end.js';
import { ideaFacts, runFacts, type SummaryFile, toldIdeas } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { Folding } from '../../../src/model/with-summary.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { idea } from '../screen/shop.js';

const IDS = ['a-1', 'b-1', 'c-1', 'd-1', 'e-1'];
const fresh = (): RunModel =>
  newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    IDS.map((id) => idea(id, id)),
    new Set(['d-1']),
  );

const stamped = (events: readonly RunEvent[], from = 0): StampedEvent[] =>
  events.map((event, at) => ({ at: new Date((from + at + 1) * 1000).toISOString(), ...event }));

const begun = (id: string, serial = 1): RunEvent => ({
  kind: 'iteration',
  ...{ idea: id, serial, iteration: serial, max: 5, agentName: 'ed-001', agent: 'codex' },
});
const ended = (id: string, serial = 1): RunEvent => ({
  kind: 'iteration-end',
  ...{ idea: id, serial, iteration: serial, outcome: 'ok', durationMs: 500, commits: 1 },
  signal: { kind: 'progress', percent: 30 },
  usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.5 },
});
const is = (id: string, status: 'running' | 'landed' | 'failed' | 'blocked', more: object = {}): RunEvent => ({
  kind: 'idea',
  ...{ idea: id, title: `Title of ${id}`, status, ...more },
});

const NIGHT = stamped([
  { kind: 'run', state: 'running', landed: 1, total: 5, slots: 2 },
  is('a-1', 'running'),
  begun('a-1'),
  ended('a-1'),
  { kind: 'gate', idea: 'a-1', pass: true, durationMs: 5 },
  is('b-1', 'running'),
  begun('b-1'),
  { kind: 'command', idea: 'b-1', verb: 'hint', text: 'look at x', done: 'b-1 gets it' } as RunEvent,
  is('a-1', 'landed', { commit: '1' }),
  ended('b-1'),
  begun('b-1', 2),
  ended('b-1', 2),
  is('b-1', 'failed', { reason: 'red' }),
  is('c-1', 'blocked', { reason: 'no key' }),
  { kind: 'run', state: 'stopped', landed: 2, total: 5, why: 'a person' },
]);

function whole(events: readonly StampedEvent[]): RunModel {
  const model = fresh();
  for (const event of events) fold(model, event);
  return model;
}

const summaryOf = (model: RunModel): SummaryFile =>
  JSON.parse(
    JSON.stringify({
      outcome: 'stopped',
      landed: 2,
      landedBefore: 1,
      notLanded: ['b-1', 'c-1', 'e-1'].map((id) => ({ idea: id, status: model.ideas.get(id)?.status })),
      status: { runId: 'r', statistics: { iterations: { total: 3 }, runtimeMs: 14_000 } },
      run: runFacts(model),
      ideas: toldIdeas(model).map(ideaFacts),
    }),
  ) as SummaryFile;

function folded(events: readonly StampedEvent[], summary?: SummaryFile): { model: RunModel; lost: boolean } {
  const model = fresh();
  const folding = new Folding(model, summary);
  for (const event of events) folding.take(event);
  folding.end();
  endedAs(model, summary);
  return { model, lost: folding.lost };
}

const WHOLE = whole(NIGHT);
const SUMMARY = summaryOf(WHOLE);
const facts = (model: RunModel) => ({
  ...{ state: model.state, ended: model.endedAt, counts: model.counts, outcome: outcomeOf(model) },
  spent: model.spent,
  ideas: toldIdeas(model).map(ideaFacts),
});

describe('A8 G1 a run whose events are lost', () => {
  it('ends, and has its ideas, as its summary says, wherever the events break off', () => {
    for (let cut = 0; cut < NIGHT.length; cut += 1) {
      const { model, lost } = folded(NIGHT.slice(0, cut), SUMMARY);
      expect(facts(model), `after ${cut} events`).toEqual(facts(WHOLE));
      // Without the last event all is known.
      expect(lost, `after ${cut} events`).toBe(cut < NIGHT.length - 1);
      expect([...model.queue, model.landing]).toEqual([undefined]);
      expect(model.ideas.get('a-1')).toMatchObject({ text: idea('a-1', 'a-1').text, landedAs: { commit: '1' } });
    }
  });

  it('loses nothing of what people did afterwards', () => {
    const later = stamped(
      [
        { kind: 'command', idea: 'b-1', verb: 'abandon', done: 'given up', afterRun: true } as RunEvent,
        { kind: 'idea', idea: 'b-1', title: 'b-1', status: 'abandoned' } as RunEvent,
      ],
      100,
    );
    const { model } = folded(later, SUMMARY);
    expect(model.ideas.get('b-1')).toMatchObject({ status: 'abandoned', atEnd: { status: 'failed', reason: 'red' } });
    expect(outcomeOf(model)).toEqual(outcomeOf(WHOLE));
  });

  it('is what its events tell where they are whole, where there is no summary, and where it goes on', () => {
    expect(folded(NIGHT, SUMMARY)).toEqual({ model: WHOLE, lost: false });
    const half = NIGHT.slice(0, 6);
    expect(folded(half)).toEqual({ model: whole(half), lost: false });
    const on = [...NIGHT, ...stamped([{ kind: 'run', state: 'running', landed: 2, total: 5 }], 100)];
    expect(folded(on, SUMMARY).model).toMatchObject({ state: 'running' });
    expect(folded(on, SUMMARY).model.endedAt).toBeUndefined();
  });

  it('has the states of a summary of an older version, which has no facts', () => {
    const { run: _, ideas: __, ...old } = SUMMARY;
    const { model, lost } = folded([], old);
    expect(lost).toBe(true);
    expect(model).toMatchObject({ state: 'stopped', counts: { landed: 2, needYou: 2, todo: 1 } });
  });
});

describe('C3 G1 a run that was stopped before its ideas were done', () => {
  const pending = (id: string): RunEvent =>
    ({ kind: 'idea', idea: id, title: `Title of ${id}`, status: 'pending', reason: 'stopped' }) as RunEvent;
  const at = (id: string, status: string, more: object = {}): RunEvent =>
    ({ kind: 'idea', idea: id, title: `Title of ${id}`, status, ...more }) as RunEvent;
  const asks = (id: string): RunEvent => ({
    kind: 'asks',
    idea: id,
    asking: 'escalation',
    question: 'Blue?',
    id: `q-${id}`,
  });
  const trouble = { agent: 'codex', message: 'limit reached', kind: 'limit' };
  const before = (state: 'stopped' | 'aborted'): readonly StampedEvent[] =>
    stamped([
      { kind: 'run', state: 'running', landed: 1, total: 5, slots: 2 },
      ...IDS.filter((id) => id !== 'd-1').map((id) => is(id, 'running')),
      asks('a-1'),
      at('a-1', 'needs-human', { reason: 'Blue?' }),
      asks('b-1'),
      at('b-1', 'needs-human', { reason: 'Blue?', approval: true }),
      { kind: 'parked', idea: 'c-1', trouble } as unknown as RunEvent,
      at('c-1', 'wants-slot'),
      at('d-1', 'landing'),
      { kind: 'review', idea: 'd-1', state: 'open', number: 1, url: 'https://x' } as RunEvent,
      at('e-1', 'paused', { approval: true }),
      { kind: 'run', state: 'stopping', landed: 1, total: 5 },
      ...IDS.map(pending),
      { kind: 'run', state, landed: 1, total: 5 },
    ]);

  for (const state of ['stopped', 'aborted'] as const) {
    it(`has lost no events, and its questions are open: ${state}`, () => {
      const events = before(state);
      // The worker writes the summary before the last event.
      for (const written of [events.length - 1, events.length]) {
        const summary = { ...summaryOf(whole(events.slice(0, written))), outcome: state };
        const { model, lost } = folded(events, summary);
        expect(lost).toBe(false);
        expect(model.ideas.get('a-1')).toMatchObject({ status: 'needs-human', left: { question: 'Blue?' } });
        expect(model.ideas.get('b-1')).toMatchObject({ status: 'needs-human', left: { approval: true } });
        const asking = [...model.ideas.values()].flatMap(({ id, left }) => (left ? [id] : []));
        expect(asking).toEqual(['a-1', 'b-1']);
        const answer = { kind: 'command', idea: 'a-1', verb: 'answer', text: 'x', done: 'kept', afterRun: true };
        const then = folded([...events, ...stamped([answer as RunEvent], 100)], summary);
        expect([then.lost, then.model.ideas.get('a-1')?.status]).toEqual([false, 'pending']);
        expect(folded(events.slice(0, 9), summary).lost).toBe(true);
      }
    });
  }
});
