/** A question or an approval that a stop leaves open: every view has it after the run, until it is answered. Features: C3 C5 G4. */
import { describe, expect, it } from 'vitest';
import { takeLeft, whyLeft } from '../../../src/client/model/left-asking.js';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { describeLast } from '../../../src/client/views/last-run-lines.js';
import { attention } from '../../../src/client/views/need-lines.js';
import { runDetails } from '../../../src/decide/views/details.js';
import { runStatus } from '../../../src/decide/views/status.js';
import { why } from '../../../src/decide/views/why.js';
import { endWithoutEvent } from '../../../src/model/ended.js';
import type { SummaryFile } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { Folding } from '../../../src/model/with-summary.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import type { Extra } from '../../../src/report/extra.js';
import { newNight } from '../../../src/report/night.js';
import { afterRunOf, ideaVerbs } from '../../../src/screen/idea/possible.js';
import { listsOf } from '../../../src/screen/lists.js';
import { idea } from '../../activities/idea.js';
import { printedNow } from '../../support/printed.js';
import { card, closed, decided, pilotOf, SETTINGS, say } from '../decide/support.js';

const LOST = 'stopped while it waited for an answer';
const is = (
  id: string,
  status: 'running' | 'needs-human' | 'pending',
  reason?: string,
  approval = false,
): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: id, status },
  ...(reason ? { reason } : {}),
  ...(approval ? { approval } : {}),
});
const asks = (id: string, asking: 'tripwire' | 'escalation', question: string): RunEvent => ({
  ...{ kind: 'asks', idea: id, asking, question, id: `q-${id}` },
});
const run = (state: 'running' | 'stopping' | 'stopped'): RunEvent => ({ kind: 'run', state, landed: 0, total: 2 });
const STOPPED: RunEvent[] = [
  run('running'),
  is('stuck', 'running'),
  asks('stuck', 'escalation', 'What should change?\nIt got no further.'),
  is('stuck', 'needs-human', 'What should change?…'),
  asks('loose', 'tripwire', 'A test is gone. Land it?'),
  is('loose', 'needs-human', 'A test is gone. Land it?', true),
  run('stopping'),
  is('stuck', 'pending', LOST),
  is('loose', 'pending', LOST),
];

function folded(...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('stuck'), idea('loose')]);
  for (const [at, event] of events.entries()) fold(model, { at: new Date(1000 + at * 1000).toISOString(), ...event });
  return model;
}
const ideaOf = (model: RunModel, id: string) => {
  const found = model.ideas.get(id);
  if (!found) throw new Error(id);
  return found;
};
const extra: Extra = {
  ...{ now: 60_000, zone: 'UTC', over: true, night: newNight(), earlier: [], later: new Map(), givenUp: new Set() },
};

describe('C3: while the run stops', () => {
  const model = folded(...STOPPED);

  it('an open question waits for a person, and nothing is next', () => {
    expect(listsOf(model).needs.map(({ id, shown }) => [id, shown])).toEqual([
      ['stuck', 'asks'],
      ['loose', 'approve'],
    ]);
    expect(model.counts).toMatchObject({ needYou: 2, todo: 0 });
  });

  it('status and why have it, and say when it can be answered', () => {
    const pilot = pilotOf([card('stuck'), card('next')], { slots: 1 });
    decided(pilot);
    say(pilot, 'stuck', 'needs-human', { reason: 'What should change?' });
    decided(pilot);
    pilot.stop();
    closed(pilot, 'stuck', 'stopped', LOST);
    const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0);
    expect(status).toMatchObject({ state: 'stopping', next: [], attention: [] });
    takeLeft(status, model);
    expect(status.attention.map(({ id, status: now, reason }) => [id, now, reason])).toEqual([
      ['loose', 'needs-human', 'A test is gone. Land it?'],
      ['stuck', 'needs-human', 'What should change?\nIt got no further.'],
    ]);
    const view = why('stuck', SETTINGS, pilot.graph, pilot.state) ?? expect.fail('no view');
    whyLeft(view, model);
    expect(view).toMatchObject({ status: 'needs-human', reason: 'What should change?\nIt got no further.' });
    expect(pilot.commandProblem({ verb: 'answer', idea: 'stuck', text: 'blue' })).toBe(
      'the run is stopping. Possible now: abort. Once it has stopped, answer with: ralphctl answer stuck "…"',
    );
  });
});

describe('C3: after a stop', () => {
  const model = folded(...STOPPED, run('stopped'));

  it('an open question of any kind waits for a person, and takes an answer', () => {
    expect(listsOf(model).needs.map(({ id, shown }) => [id, shown])).toEqual([
      ['stuck', 'asks'],
      ['loose', 'approve'],
    ]);
    expect(model.counts).toMatchObject({ needYou: 2, todo: 0 });
    const { question, questionId } = ideaOf(model, 'stuck');
    expect([question, questionId]).toEqual(['What should change?\nIt got no further.', 'q-stuck']);
    for (const id of ['stuck', 'loose']) {
      expect(afterRunOf(ideaOf(model, id))).toBe('asks');
      expect(ideaVerbs(model, ideaOf(model, id)).has('answer')).toBe(true);
    }
  });

  it('the report has it whole, with the command that answers it', () => {
    const { todo } = makeReport(model, extra);
    expect(todo.map(({ idea: id, state }) => [id, state])).toEqual([
      ['stuck', 'asks'],
      ['loose', 'approve'],
    ]);
    expect(JSON.stringify(todo)).toContain('It got no further.');
    expect(todo[0]?.commands).toContain('ralphctl answer stuck "…"');
    expect(todo[1]?.commands).toContain('ralphctl answer loose "…"');
  });

  it('an answer closes it, and the next start continues the idea', () => {
    const done = 'stuck gets your answer with its first prompt in the next run';
    const answer: RunEvent = { kind: 'command', verb: 'answer', idea: 'stuck', text: 'x', done, afterRun: true };
    const then = folded(...STOPPED, run('stopped'), answer);
    expect(listsOf(then).needs.map(({ id }) => id)).toEqual(['loose']);
    expect(ideaOf(then, 'stuck').status).toBe('pending');
    expect(ideaOf(then, 'stuck').atEnd?.status).toBe('needs-human');
    expect(makeReport(then, extra).todo.map(({ idea: id, state }) => [id, state])).not.toContainEqual([
      'stuck',
      'asks',
    ]);
  });
});

it('C3: nothing asks after a rollback, or where the idea began again', () => {
  const rolledBack = [...STOPPED.slice(0, 6), is('loose', 'pending', 'rolled back'), run('stopping'), run('stopped')];
  expect(ideaOf(folded(...rolledBack), 'loose').status).toBe('pending');
  const again = folded(...STOPPED, run('stopped'), run('running'), is('stuck', 'running'));
  expect([ideaOf(again, 'stuck').status, ideaOf(again, 'loose').status]).toEqual(['running', 'pending']);
});

describe('C3: after a stop whose last event is lost', () => {
  it.each([
    ['its summary tells the end', (model: RunModel) => endBySummary(model)],
    ['the server tells the end', (model: RunModel) => endWithoutEvent(model, 'stopped', 60_000)],
  ])('%s, and the open questions wait for a person all the same', (_, end) => {
    const model = folded(...STOPPED);
    expect(listsOf(model).needs.map(({ id }) => id)).toEqual(['stuck', 'loose']);
    end(model);
    expect(listsOf(model).needs.map(({ id }) => id)).toEqual(['stuck', 'loose']);
    expect(model.counts.needYou).toBe(2);
  });
});

function endBySummary(model: RunModel): void {
  const notLanded = ['stuck', 'loose'].map((id) => ({ idea: id, status: 'pending' as const }));
  const status = { runId: 'r', statistics: { iterations: { total: 0 } } };
  const summary = {
    outcome: 'stopped',
    landed: 0,
    notLanded,
    status,
    run: { since: 60_000 },
  } as unknown as SummaryFile;
  new Folding(model, summary).end();
}

describe('C2 C3: an approval is told as one, not as a question', () => {
  it('in status after the run and while it stops', () => {
    const model = folded(...STOPPED, run('stopped'));
    const notLanded = ['stuck', 'loose'].map((id) => ({ idea: id, status: 'pending', reason: LOST }));
    const last = { outcome: 'stopped', landed: 0, notLanded };
    const text = printedNow(() =>
      describeLast({ last, held: new Set(), told: new Map(), start: undefined, model } as never),
    );
    expect(text).toContain('? stuck asks:\n    | What should change?\n');
    expect(text).toContain('? loose wants approval:\n    | A test is gone. Land it?\n');
    expect(text).toContain('ralphctl start works on it once more, and then asks again: ralphctl approve loose.');
    expect(text).not.toContain('loose asks');
    const stopping = folded(...STOPPED);
    const status = { state: 'stopping', attention: [], counts: { pending: 2, 'needs-human': 0 } } as never;
    takeLeft(status, stopping);
    const lines = (status as { attention: Parameters<typeof attention>[0][] }).attention;
    expect(printedNow(() => lines.forEach((one) => void attention(one)))).toContain('? loose wants approval:\n');
  });

  it('in the live status, on the page of the Web UI, and by why', () => {
    const pilot = pilotOf([card('loose'), card('next')], { slots: 1 });
    decided(pilot);
    say(pilot, 'loose', 'needs-human', { reason: 'A test is gone. Land it?', approvable: true });
    decided(pilot);
    const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0);
    const [line] = status.attention;
    expect(printedNow(() => line && attention(line))).toBe(
      '? loose wants approval:\n    | A test is gone. Land it?\n    ralphctl approve loose\n',
    );
    const page = runDetails(status);
    expect(page).toContain('· wants approval');
    expect(page).toContain('ralphctl approve loose');
    const view = why('loose', SETTINGS, pilot.graph, pilot.state) ?? expect.fail('no view');
    expect(view).toMatchObject({ status: 'needs-human', approval: true });
    const report = { ...view, runs: [], commands: [], over: false, question: 'A test is gone. Land it?' };
    expect(describeIdea(report)).toEqual(expect.arrayContaining(['status wants approval', 'it wants approval:']));
    const stopping = { idea: 'loose', status: 'pending' } as never;
    whyLeft(stopping, folded(...STOPPED));
    expect(stopping).toMatchObject({ status: 'needs-human', approval: true });
  });
});

it('C2: once the run is over, a question does not end with a command that only an open run takes', () => {
  const reason =
    'The gate is green, but check this before it lands: tests are gone (a.js). To land it as it is: ralphctl approve del-001.1. To change it: answer with the change you want.';
  const line = { id: 'del-001.1', title: 'D', status: 'needs-human', approval: true, reason } as Parameters<
    typeof attention
  >[0];
  const flat = (text: string) => text.replace(/\n {4}\| /g, ' ');
  expect(flat(printedNow(() => attention(line)))).toContain('To land it as it is: ralphctl approve del-001.1.');
  const over = flat(printedNow(() => attention(line, undefined, { start: 'ralphctl start' })));
  expect(over).not.toContain('To land it as it is');
  expect(over).toContain('tests are gone (a.js). To change it: answer');
  expect(over).toContain('ralphctl start works on it once more, and then asks again: ralphctl approve del-001.1');
});
