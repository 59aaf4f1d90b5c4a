import { describe, expect, it } from 'vitest';
import { factsText } from '../../../src/client/views/fact-lines.js';
import { ideaFacts, runFacts, toldIdeas } from '../../../src/model/facts.js';
import { addIdeas, fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';

const T0 = Date.UTC(2026, 0, 1);
const HEAD = { project: 'p', runId: 'r', name: 'shop', target: 'main' };

function played(...events: RunEvent[]): RunModel {
  const model = newModel(HEAD);
  for (const [at, event] of events.entries()) fold(model, { at: new Date(T0 + at * 1000).toISOString(), ...event });
  return model;
}

const facts = (model: RunModel, id: string) => {
  const idea = model.ideas.get(id);
  if (!idea) throw new Error(`no ${id}`);
  return ideaFacts(idea);
};

const running: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' };
const begun = { kind: 'iteration', idea: 'a', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' } as const;
const over: Extract<RunEvent, { kind: 'iteration-end' }> = {
  kind: 'iteration-end',
  ...{ idea: 'a', serial: 1, iteration: 1, outcome: 'ok', durationMs: 5000, commits: 1 },
  signal: { kind: 'progress', percent: 30 },
};

describe('facts of a run', () => {
  it('G1: name what takes minutes around a gate, until the next thing begins', () => {
    const gate = { kind: 'gate-start', idea: 'a', command: 'npm test', number: 1, of: 1 } as const;
    const setUp = { kind: 'activity', idea: 'a', activity: 'base-tests-set-up', command: 'npm ci' } as const;
    const tests = {
      kind: 'activity',
      idea: 'a',
      activity: 'base-tests',
      command: 'npm test',
      number: 1,
      of: 2,
    } as const;
    const text = (...events: RunEvent[]) => factsText(facts(played(running, ...events), 'a'), T0);
    expect(text({ kind: 'activity', idea: 'a', activity: 'set-up', command: 'npm ci' })).toContain(' · set-up: npm ci');
    expect(text({ kind: 'activity', idea: 'a', activity: 'set-up', command: 'npm ci' }, begun)).not.toContain('set-up');
    expect(text(begun, over, gate)).toContain('gate runs: npm test (1 of 1)');
    expect(text(begun, over, gate, { kind: 'activity', idea: 'a', activity: 'base' })).toContain(' · gate on the base');
    expect(text(begun, over, gate, setUp)).toContain('set-up for the tests of the base: npm ci');
    expect(text(begun, over, gate, setUp)).not.toContain('gate runs');
    expect(text(begun, over, gate, setUp, tests)).toContain('tests of the base on this work: npm test (1 of 2)');
    expect(text(begun, over, gate, tests, { kind: 'gate', idea: 'a', pass: true, durationMs: 5 })).toMatch(
      /gate green/,
    );
    expect(text(begun, over, gate, tests, gate)).toContain('gate runs: npm test');
  });

  it('G6: hold what is known, and leave out what nobody reported', () => {
    const known = facts(played(running, begun, over), 'a');
    expect(known).toMatchObject({ status: 'running', since: T0, percent: 30, commits: 1, max: 5 });
    expect(known.spent).toMatchObject({ iterations: 1, unknownDollars: 1, unknownTokens: 1 });
    for (const absent of ['model', 'agent', 'question', 'gate', 'stepsSkipped', 'said', 'switched', 'held'])
      expect(known).not.toHaveProperty(absent);
    // Plain JSON.
    expect(JSON.parse(JSON.stringify(known))).toEqual(known);
  });

  it('B8 B9 C5: agent, model, usage, switches, steps and answers; a line that stands twice counts once', () => {
    const told = { ...over, agent: 'codex', model: 'big', usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.5 } };
    const model = played(
      ...[running, begun, told, told],
      { kind: 'agent', idea: 'a', agent: 'claude', before: 'codex', why: 'usage limit' },
      { kind: 'step', idea: 'a', step: 's-1', phase: 'p', state: 'skipped', number: 1, of: 2 },
      { kind: 'step', idea: 'a', step: 's-2', phase: 'p', state: 'failed', number: 2, of: 2 },
      { kind: 'idea', idea: 'a', title: 'A', status: 'needs-human', reason: 'which' },
      { kind: 'asks', idea: 'a', asking: 'question', question: 'which?\n  a) or b)' },
      { kind: 'command', idea: 'a', verb: 'answer', done: 'a has your answer' },
      { kind: 'answered', idea: 'a', text: 'b' },
    );
    expect(facts(model, 'a')).toMatchObject({
      ...{ agent: 'claude', model: 'big', asking: 'question', question: 'which?\n  a) or b)' },
      ...{ stepsSkipped: ['s-1'], stepsFailed: ['s-2'], step: { number: 2, of: 2 } },
      switched: [{ text: 'claude instead of codex: usage limit' }],
      said: [{ verb: 'answer', text: 'b' }],
      spent: { iterations: 1, tokensIn: 10, tokensOut: 2, dollars: 0.5, unknownDollars: 0 },
      runs: [{ serial: 1, agent: 'codex', model: 'big', dollars: 0.5 }],
    });
    expect(runFacts(model).spent).toMatchObject({ iterations: 1, dollars: 0.5 });
  });

  it('G6: are of the ideas that the run told something of; a title that it told is newer than the backlog', () => {
    const model = played({ ...running, title: 'edited' });
    const idea = { text: 't', blue: false, dependsOn: [], tags: [], ralph: true, done: false, success: [] };
    addIdeas(model, [
      { ...idea, id: 'a', title: 'old' },
      { ...idea, id: 'b', title: 'B' },
    ] as unknown as Parameters<typeof addIdeas>[1]);
    expect(toldIdeas(model).map(({ id, title }) => [id, title])).toEqual([['a', 'edited']]);
  });
});
