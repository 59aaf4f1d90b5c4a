/** Iterations are counted in one place: agent runs that cost none count nowhere as one. Features: A8 B4 G2 G4. */
import { describe, expect, it } from 'vitest';
import { factsText, tallyText } from '../../../src/client/views/fact-lines.js';
import { addSpent, nothingSpent, spentBy } from '../../../src/decide/budget/amounts.js';
import { costsIteration } from '../../../src/decide/idea/completion.js';
import { mayHaveUsed } from '../../../src/decide/idea/used.js';
import { ideaFacts, runFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { iterationCount, iterationsMs, runsOf, spentOf } from '../../../src/model/tally.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { historyOfSummary, historyRun } from '../../../src/report/history.js';
import { costText } from '../../../src/screen/run/run-slots.js';

const begin = (serial: number, iteration: number): RunEvent => ({
  ...{ kind: 'iteration', idea: 'a', serial, iteration, max: 9, agentName: 'ed-001' },
});
const end = (
  serial: number,
  iteration: number,
  more: Partial<Extract<RunEvent, { kind: 'iteration-end' }>> = {},
): RunEvent => ({
  ...{ kind: 'iteration-end', idea: 'a', serial, iteration, signal: { kind: 'none' }, outcome: 'ok' },
  ...{ durationMs: 1000, commits: 0, ...more },
});
const retry: RunEvent = { kind: 'command', verb: 'retry', idea: 'a', done: 'queued' };

function told(...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'n', target: 'main' });
  for (const [n, event] of events.entries()) fold(model, { at: new Date(n * 1000).toISOString(), ...event });
  return model;
}

function counts(model: RunModel) {
  const idea = model.ideas.get('a');
  if (!idea) throw new Error('no idea');
  const report = makeReport(model, { now: 0, zone: 'UTC', over: true });
  const all = [
    iterationCount(idea),
    report.open[0]?.iterations,
    report.counts.iterations,
    ideaFacts(idea).spent.iterations,
    runFacts(model).spent.iterations,
  ];
  return { same: new Set(all), runs: runsOf(idea.spent) };
}

it('A8: a launch that failed is an agent run, and no iteration, in every view', () => {
  const model = told(
    begin(1, 1),
    end(1, 1, { outcome: 'failed', message: 'no such program', uncharged: true }),
    begin(2, 1),
    end(2, 1, { usage: { costUsd: 0.5 } }),
    begin(3, 2),
    end(3, 2, { outcome: 'failed', message: 'exit 3', usage: { costUsd: 0.5 } }),
  );
  expect(counts(model)).toEqual({ same: new Set([2]), runs: 3 });
  const report = makeReport(model, { now: 0, zone: 'UTC', over: true });
  expect(report.counts).toMatchObject({ iterations: 2, runs: 3, dollars: 1, unknownDollars: 1 });
  expect(tallyText(model.spent)).toBe('$1.00+');
});

it('A8: events of older versions show it by the number that comes again, except after a retry', () => {
  const failed = { outcome: 'failed', message: 'x' } as const;
  expect(counts(told(begin(1, 1), end(1, 1, failed), begin(2, 1), end(2, 1)))).toEqual({ same: new Set([1]), runs: 2 });
  expect(counts(told(begin(1, 1), end(1, 1, failed), retry, begin(2, 1), end(2, 1)))).toEqual({
    ...{ same: new Set([2]), runs: 2 },
  });
});

it.each(['assign', 'resume', 'unblock'])('A8: an iteration before %s counts, though its number comes again', (verb) => {
  const again: RunEvent = { kind: 'command', verb, idea: 'a', done: 'a starts in the next free slot' };
  const late = end(1, 1, { outcome: 'timeout', message: 'x' });
  expect(counts(told(begin(1, 1), late, again, begin(2, 1), end(2, 1)))).toEqual({ same: new Set([2]), runs: 2 });
});

it('G2: a repeated line counts once', () => {
  const once = end(1, 1, { outcome: 'failed', uncharged: true });
  expect(counts(told(begin(1, 1), once, once, begin(1, 1), begin(2, 1), end(2, 1), end(2, 1)))).toEqual({
    ...{ same: new Set([1]), runs: 2 },
  });
});

it('D1 G2: a gate that did not run again names the gate that had seen the same tree', () => {
  const same = 'gate of a';
  const model = told(begin(1, 1), { kind: 'gate', idea: 'a', merged: true, pass: true, same, durationMs: 0 });
  const idea = model.ideas.get('a');
  if (!idea) throw new Error('no idea');
  expect(factsText(ideaFacts(idea), 0)).toContain('gate green, same tree as gate of a');
});

it('A8: the average of iterations leaves out the time of runs that cost none', () => {
  const average = (model: RunModel): number => iterationsMs(model.spent) / model.spent.iterations;
  const two = [begin(1, 1), end(1, 1, { durationMs: 3000 }), begin(2, 2), end(2, 2, { durationMs: 4000 })];
  expect(average(told(...two))).toBe(3500);
  const cut = end(3, 3, { durationMs: 60_000, outcome: 'failed', uncharged: true });
  expect(average(told(begin(3, 3), cut, ...two))).toBe(3500);
  expect(average(told(...two, begin(3, 3), cut))).toBe(3500);
  // An older version does not say so: the next run has its number again.
  const older = end(1, 1, { durationMs: 60_000, outcome: 'failed' });
  expect(average(told(begin(1, 1), older, begin(2, 1), end(2, 1, { durationMs: 2000 })))).toBe(2000);
});

describe('A8 B4: what a run used is one number, in every text and JSON', () => {
  const failed = { outcome: 'failed', uncharged: true } as const;
  const model = told(
    begin(1, 1),
    end(1, 1, { ...failed, message: 'no such program', unused: true }),
    begin(2, 1),
    end(2, 1, { ...failed, message: 'killed' }),
    begin(3, 1),
    end(3, 1, { usage: { inputTokens: 40, outputTokens: 2 } }),
    begin(4, 2),
    end(4, 2),
    { kind: 'idea', idea: 'a', title: 'A', status: 'failed' },
    { kind: 'run', state: 'completed', landed: 0, total: 1 },
  );

  it('counts a run that never had a turn as neither known nor unknown, as the worker does', () => {
    const booked = [
      { durationMs: 1000, outcome: { kind: 'failed', failure: 'launch', message: '' } },
      { durationMs: 1000, outcome: { kind: 'failed', failure: 'killed', message: '' } },
      { durationMs: 1000, outcome: { kind: 'ok' }, usage: { inputTokens: 40, outputTokens: 2 } },
      { durationMs: 1000, outcome: { kind: 'ok' } },
    ] as const;
    const sum = booked
      .map((run) => spentBy(run, costsIteration(run.outcome), mayHaveUsed(run)))
      .reduce(addSpent, nothingSpent());
    expect(spentOf(model.spent)).toEqual(sum);
    expect(sum).toMatchObject({ tokens: 42, unknownTokens: 2, unknownDollars: 3 });
    expect(tallyText(model.spent)).toBe('42 tokens+');
  });

  it('is in the report, in runs and in the summary the same', () => {
    const unknown = { unknownTokens: 2, unknownDollars: 3, tokens: 42 };
    const report = makeReport(model, { now: 0, zone: 'UTC', over: true });
    expect(report.counts).toMatchObject(unknown);
    expect(report.counts).not.toHaveProperty('dollars');
    expect(runFacts(model).spent).toMatchObject({ unknownTokens: 2, unknownDollars: 3 });
    const status = { statistics: { iterations: { total: 2 } } };
    const summary = { outcome: 'completed', landed: 0, notLanded: [], status, run: runFacts(model) };
    const about = { runId: 'r', startedAt: 0, agents: [] };
    // Whatever its last event said.
    for (const run of [historyRun(report, []), historyOfSummary(about, summary as never, 7)]) {
      expect(run).toMatchObject(unknown);
      expect(run).not.toHaveProperty('dollars');
    }
  });

  it('is not 0 where nothing is known, and not unknown where nothing was used', () => {
    const silent = told(begin(1, 1), end(1, 1), begin(2, 2), end(2, 2, { ...failed, unused: true }));
    expect(tallyText(silent.spent)).toBe('cost not reported');
    expect(costText(silent.ideas.get('a') ?? expect.fail())).toBe('–');
    const idle = told(begin(1, 1), end(1, 1, { ...failed, unused: true }));
    expect(tallyText(idle.spent)).toBe('nothing used');
    expect(spentOf(idle.spent)).toMatchObject({ unknownTokens: 0, unknownDollars: 0 });
  });
});
