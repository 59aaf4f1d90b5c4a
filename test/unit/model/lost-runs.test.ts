/** Agent runs that told nothing of what they used count as unknown, in every view. Features: A8 B4 G2 G4. */
import { describe, expect, it } from 'vitest';
import { tallyText } from '../../../src/client/views/fact-lines.js';
import { endWithoutEvent } from '../../../src/model/ended.js';
import { ideaFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { iterationCount, runsOf } from '../../../src/model/tally.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { WORKER_LOST } from '../../../src/protocol/failures.js';
import { makeReport } from '../../../src/report/build.js';
import { notReported } from '../../../src/report/head.js';
import { historyRun } from '../../../src/report/history.js';
import { newNight } from '../../../src/report/night.js';
import { noDetails } from '../../../src/screen/details.js';
import { timeline } from '../../../src/screen/idea/timeline.js';
import { costText } from '../../../src/screen/run/run-slots.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { moneyText } from '../../../src/screen/text/numbers.js';
import { initialUi } from '../../../src/screen/ui.js';

const is = (status: 'running' | 'pending' | 'blocked'): RunEvent => ({ kind: 'idea', idea: 'a', title: 'A', status });
const begin: RunEvent = { kind: 'iteration', idea: 'a', serial: 1, iteration: 1, max: 9, agentName: 'ed-001' };
const end: RunEvent = {
  ...{ kind: 'iteration-end', idea: 'a', serial: 1, iteration: 1, signal: { kind: 'none' }, outcome: 'ok' },
  ...{ durationMs: 1000, commits: 0, usage: { costUsd: 0.8, inputTokens: 1000 } },
};
const lost: RunEvent = { kind: 'waiting', idea: 'a', why: WORKER_LOST, ms: 500 };
const interrupted: RunEvent = { kind: 'interrupted', idea: 'a', iteration: 1 };

function told(...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'n', target: 'main' });
  for (const [n, event] of events.entries()) fold(model, { at: new Date(n * 1000).toISOString(), ...event });
  return model;
}
const ideaOf = ({ ideas }: RunModel) => ideas.get('a') ?? expect.fail('no idea');
const extra = { now: 60_000, zone: 'UTC', over: true, night: newNight() };

describe('B4 G4: an agent run that began again after its worker was lost', () => {
  const model = told(is('running'), begin, lost, begin, lost, begin, end);
  const idea = ideaOf(model);

  it('leaves the sum incomplete in every view, and costs one iteration', () => {
    expect(iterationCount(idea)).toBe(1);
    expect(runsOf(idea.spent)).toBe(3);
    expect(costText(idea)).toBe('$0.80+');
    expect(moneyText(model.spent)).toBe('$0.80+');
    expect(tallyText(ideaFacts(idea).spent)).toBe('$0.80+, 1k tokens+');
    const report = makeReport(model, extra);
    expect(report.counts).toMatchObject({ iterations: 1, runs: 3, dollars: 0.8, unknownDollars: 2 });
    expect(notReported(report)).toContain('2 agent runs did not report the cost');
    expect(moneyText(historyRun(report, []))).toBe('$0.80+');
    const size = { columns: 100, rows: 40 };
    const view = {
      ...{ model, ui: { ...initialUi(), idea: 'a' }, details: noDetails(), now: 60_000 },
      ...{ size, theme: { colour: false, ascii: false } },
    };
    expect(timeline(view, idea, 100, 20).map(plainLine).at(-1)).toContain('· $0.80+');
  });

  it('the same event twice counts once', () => {
    const again = told(is('running'), begin, lost, begin, end);
    fold(again, { at: new Date(2000).toISOString(), ...lost });
    expect(ideaOf(again).spent).toMatchObject({ runs: 2, unknownDollars: 1 });
  });

  it('a worker that is lost between agent runs loses none', () => {
    expect(ideaOf(told(is('running'), begin, end, lost)).spent).toMatchObject({ runs: 1, unknownDollars: 0 });
  });
});

it('G4: an agent run that a person or an abort ended told nothing either', () => {
  for (const last of [interrupted, is('pending')]) {
    const { spent } = ideaOf(told(is('running'), begin, last));
    expect(spent).toMatchObject({ iterations: 0, runs: 1, ms: 0, unknownDollars: 1, unknownTokens: 1 });
    expect(tallyText(spent)).toBe('cost not reported');
  }
});

it('G4: nor did one in a run that the server closed', () => {
  const model = told(is('running'), begin);
  endWithoutEvent(model, 'stopped', 60_000);
  expect(model.spent).toMatchObject({ runs: 1, unknownDollars: 1 });
  expect(ideaOf(model).iterations[0]).toMatchObject({ outcome: 'interrupted', endedAt: 60_000 });
});

it('G4: one whose end comes after its idea has changed counts as it reports', () => {
  const model = told(is('running'), begin, is('blocked'), end);
  expect(model.spent).toMatchObject({ iterations: 1, runs: 1, dollars: 0.8, unknownDollars: 0, unknownTokens: 0 });
  expect(costText(ideaOf(model))).toBe('$0.80');
});
