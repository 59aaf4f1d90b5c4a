/** What became of a hint: in a prompt, too late, or kept for the next run. Features: C4 G4 G8. */
import { describe, expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { htmlReport } from '../../../src/report/html.js';
import { lookOf } from '../../../src/report/look.js';
import { showText } from '../../../src/report/show.js';
import { idea } from '../screen/shop.js';

const START = Date.parse('2026-03-04T20:00:00.000Z');
const NOW = START + 3_600_000;

function modelOf(...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
  for (const [at, event] of events.entries())
    fold(model, { at: new Date(START + at * 60_000).toISOString(), ...event });
  return model;
}
const hint = (text: string): RunEvent => ({ kind: 'command', verb: 'hint', idea: 'a', text, done: 'a has it' });
const iteration = (serial: number): RunEvent => ({
  ...{ kind: 'iteration', idea: 'a', serial, iteration: serial, max: 5, agentName: 'ed-001', agent: 'x' },
});
const running: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' };
const landed: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'landed', commit: 'abc123' };

const only = (model: RunModel): IdeaModel => model.ideas.get('a') as IdeaModel;
const shown = (model: RunModel): string =>
  showText({ model, idea: only(model), now: NOW, commands: [], others: [] }).join('\n');
const LATE = 'not delivered: it landed first';

describe('G4 a hint to an idea that lands without another prompt', () => {
  const late = modelOf(running, iteration(1), hint('use tabs'), landed);

  it('is told as delivered where the run was cut off and began again with it in its prompt', () => {
    const given: RunEvent = { kind: 'delivered', idea: 'a', serial: 1, notes: 2, fromProgram: 1 };
    const cut: RunEvent = { kind: 'interrupted', idea: 'a', iteration: 1 };
    const again = modelOf(running, iteration(1), hint('use tabs'), cut, iteration(1), given, hint('and a cat'), landed);
    expect(only(again).said.map(({ text, undelivered }) => [text, undelivered])).toEqual([
      ['use tabs', undefined],
      ['and a cat', true],
    ]);
  });

  it('is told as not delivered by show, why and the report', async () => {
    expect(shown(late)).toContain(`hint: use tabs (${LATE})`);
    const view = { idea: 'a', title: 'A', status: 'landed', score: 0, parts: [], waitsFor: [] } as const;
    const about = { root: '/nowhere', project: 'p', told: only(late), over: true };
    const why = describeIdea(await reportOn({ ...view, parts: [], waitsFor: [] }, about));
    expect(why.join('\n')).toContain(`you told it: hint (use tabs; ${LATE})`);
    const report = makeReport(late, { now: NOW, zone: 'UTC', over: true });
    expect(htmlReport(report)).toContain(`use tabs (${LATE})`);
    expect(report.landed[0]?.said).toMatchObject([{ verb: 'hint', undelivered: true }]);
    expect(lookOf(late, [], { now: NOW, zone: 'UTC', over: true })).toMatchObject([
      { kind: 'you', text: '1 hint, not delivered' },
    ]);
  });

  it('is not, once a prompt after it had the hint', () => {
    const early = modelOf(running, iteration(1), hint('use tabs'), iteration(2), landed);
    expect(shown(early)).toContain('hint: use tabs');
    expect(shown(early)).not.toContain('not delivered');
  });
});

it('G8: a hint that is kept for the next run counts once', () => {
  const model = modelOf(hint('use tabs'), {
    ...{ kind: 'command', verb: 'hint', idea: 'a' },
    done: 'kept for the first prompt in the next run: "use tabs"',
  });
  expect(lookOf(model, [], { now: NOW, zone: 'UTC', over: true })).toMatchObject([{ kind: 'you', text: '1 hint' }]);
  expect(only(model).said).toMatchObject([{ text: 'use tabs', done: expect.stringContaining('kept for') }]);
});
