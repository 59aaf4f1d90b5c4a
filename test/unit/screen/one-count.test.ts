/** A number is the same in every view that shows it: landings, iterations, agent runs, groups. Features: G1 G2 G4 G5 C2. */
import { expect, it } from 'vitest';
import { farewell } from '../../../src/client/screen/farewell.js';
import { factsText } from '../../../src/client/views/fact-lines.js';
import { runLine } from '../../../src/client/views/idea-lines.js';
import { lineOf } from '../../../src/client/views/idea-report.js';
import { leftText } from '../../../src/client/views/status-lines.js';
import { outcomeOf, outcomeOfStatus } from '../../../src/model/at-end.js';
import { ideaFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { IDEA_STATUSES, type IdeaStatus } from '../../../src/protocol/states.js';
import { makeReport } from '../../../src/report/build.js';
import { htmlReport } from '../../../src/report/html.js';
import { showText } from '../../../src/report/show.js';
import { textReport } from '../../../src/report/text.js';
import { titleOf } from '../../../src/screen/attention.js';
import { compose } from '../../../src/screen/compose.js';
import { atEnd } from '../../../src/screen/control/seen.js';
import { noDetails } from '../../../src/screen/details.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const drawn = (model: RunModel, ui: Partial<Ui>, columns = 80): string => {
  const theme = { colour: true, ascii: false };
  const { lines } = compose(model, { ...initialUi(), ...ui }, noDetails(), { columns, rows: 40 }, theme, NOW);
  return lines.map(plainLine).join('\n');
};
const tell = (model: RunModel, ...events: RunEvent[]): void => {
  for (const [second, event] of events.entries())
    fold(model, { at: new Date(clockAt('23:00', second)).toISOString(), ...event });
};
const shown = (model: RunModel, id: string): string => {
  const one = model.ideas.get(id) ?? expect.fail(id);
  return showText({ model, idea: one, now: NOW, commands: [], others: [] }).join('\n');
};
const reportOf = (model: RunModel) => makeReport(model, { now: NOW, zone: 'UTC', over: true });
const landed = (id: string): RunEvent => ({ kind: 'idea', idea: id, title: id, status: 'landed', commit: 'abc123' });

it('G5 C2: what landed before the run is told apart on the screen, at its end, in status and in the report', () => {
  const ids = ['old-1', 'old-2', 'new-1', 'out-1', 'open-1'];
  const head = { project: 'p', runId: 'r', name: 'shop', target: 'main' };
  const model = newModel(
    head,
    ids.map((id) => idea(id, id)),
    new Set(['old-1', 'old-2']),
  );
  tell(
    model,
    { kind: 'run', state: 'running', landed: 2, total: 5 },
    landed('new-1'),
    { kind: 'idea', idea: 'out-1', title: 'out-1', status: 'skipped' },
    { kind: 'idea', idea: 'open-1', title: 'open-1', status: 'failed', reason: 'exit code 3' },
  );
  const statuses = Object.fromEntries(IDEA_STATUSES.map((status) => [status, 0])) as Record<IdeaStatus, number>;
  const live = { total: 5, landedBefore: 2, counts: { ...statuses, landed: 3, skipped: 1, failed: 1 } };
  expect(outcomeOfStatus(live)).toEqual(outcomeOf(model));
  expect(leftText(live, model)).toBe('1 not landed, 1 left out');
  expect(drawn(model, {})).toContain(' 3 landed in all ');

  tell(model, { kind: 'run', state: 'completed', landed: 3, total: 5 });
  const words = '1 landed in this run (3 in all), 1 not landed, 1 left out';
  expect(drawn(model, atEnd({ ...initialUi(), screen: 'log', back: ['run'] }))).toContain(
    `run ended: ${words}; report`,
  );
  const [, second = '', counts = ''] = drawn(model, { screen: 'run' }).split('\n');
  expect(second).toContain('1 landed in this run (3 in all), 1 not, 1 left out');
  expect(counts).toContain(' 3 landed in all ');
  expect(textReport(reportOf(model)).join('\n')).toContain('1 landed in this run (3 in all)   1 not   1 left out');
});

it.each([true, false])(
  'G5 A7: who waits for a person is one number in every view; for a review of the run: %s',
  (review) => {
    const ideas = [idea('a-1', 'A'), idea('b-1', 'B')];
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, ideas);
    tell(
      model,
      { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: 'exit code 3' },
      { kind: 'idea', idea: 'b-1', title: 'B', status: 'running' },
      { kind: 'account', account: { key: 'claude', agents: ['claude'], state: 'parked', kind: 'auth' } },
      { kind: 'run', state: review ? 'paused' : 'running', landed: 0, total: 2 },
    );
    model.review = review;
    const many = review ? 3 : 2;
    expect(listsOf(model).needs.map(({ shown }) => shown)).toEqual([...(review ? ['review'] : []), 'login', 'failed']);
    expect(drawn(model, {})).toContain(` ${many} need you `);
    expect(drawn(model, {})).toContain(`─ Needs you ${many} ─`);
    expect(drawn(model, { screen: 'needs' })).toContain(` ${many} need you`);
    expect(titleOf(model)).toBe(`ralph shop 0/2 ?${many}`);
    expect(farewell(model)[0]).toContain(` ${many} need you`);
    if (review) return;
    const theme = { colour: true, ascii: false };
    const small = compose(model, initialUi(), noDetails(), { columns: 60, rows: 10 }, theme, NOW).lines.map(plainLine);
    expect(small[1]).toContain(` ${many} need you `);
  },
);

/** The first agent run was interrupted, and is not charged: the second one has the number of its iteration again. */
function interrupted(...more: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const run = { kind: 'iteration', idea: 'a-1', iteration: 1, max: 5, agentName: 'ed-001', agent: 'x' } as const;
  tell(
    model,
    { kind: 'run', state: 'running', landed: 0, total: 1 },
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' },
    { ...run, serial: 1 },
    {
      ...{ kind: 'iteration-end', idea: 'a-1', serial: 1, iteration: 1, outcome: 'failed', message: 'overloaded' },
      ...{ signal: { kind: 'none' }, durationMs: 1000, commits: 0, uncharged: true },
    },
    ...more,
  );
  return model;
}
const ends: RunEvent = {
  ...{ kind: 'iteration-end', idea: 'a-1', serial: 2, iteration: 1, outcome: 'ok' },
  ...{ signal: { kind: 'progress', percent: 30 }, durationMs: 1000, commits: 1 },
};
const again: RunEvent = { kind: 'iteration', idea: 'a-1', serial: 2, iteration: 1, max: 5, agentName: 'ed-001' };

it.each([
  ['one that was not charged', [], '0'],
  ['one that was not charged, and one more', [again, ends], '1'],
])('G1 G2: iterations are counted alike on Ideas, on the page, by show and in the report: %s', (_, more, count) => {
  const model = interrupted(...more, { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: 'no' });
  expect(drawn(model, { screen: 'ideas' })).toMatch(new RegExp(`✗ a-1 .* failed +${count} `));
  const words = `${count} iteration${count === '1' ? '' : 's'} · `;
  expect(drawn(model, { screen: 'idea', idea: 'a-1', tab: 'timeline' })).toContain(words);
  expect(shown(model, 'a-1')).toContain(words);
  expect(reportOf(model).open).toMatchObject([{ iterations: Number(count) }]);
});

it('G2: an agent run has one number: in the timeline, in show, why, logs and the page of the report', () => {
  const model = interrupted(again, ends, { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: 'no' });
  const last = model.ideas.get('a-1')?.iterations.at(-1) ?? expect.fail('no run');
  expect(runLine(lineOf(last))).toMatch(/^#2 /);
  const row = /#2 .*PROGRESS 30/;
  expect(drawn(model, { screen: 'idea', idea: 'a-1', tab: 'timeline' })).toMatch(row);
  expect(drawn(model, { screen: 'idea', idea: 'a-1', tab: 'agent' }, 120)).toMatch(/#2 .*PROGRESS 30/);
  expect(shown(model, 'a-1')).toMatch(row);
  expect(htmlReport(reportOf(model))).toMatch(/#1<.*#2<[^\n]*PROGRESS 30/);
  // A page of one agent run names both numbers.
  const ui = { screen: 'idea', idea: 'a-1', tab: 'gate', serial: 2 } as const;
  expect(drawn(model, ui)).toContain('agent run 2, iteration 1: its words are on Agent');
});

it('G4: a group in a group has landed with all of its ideas, on the page, in show and in the report', () => {
  const ideas = [
    idea('all', 'All', { blue: true }),
    idea('part', 'Part', { blue: true, parent: 'all' }),
    idea('a-1', 'A', { parent: 'part' }),
    idea('b-1', 'B', { parent: 'all' }),
    idea('c-1', 'C', { dependsOn: ['all'] }),
    idea('d-1', 'D', { dependsOn: ['a-1'] }),
    idea('e-1', 'E', { dependsOn: ['d-1'] }),
  ];
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, ideas);
  tell(model, { kind: 'run', state: 'running', landed: 0, total: 5 }, landed('b-1'));
  const page = (id: string): string => drawn(model, { screen: 'idea', idea: id, tab: 'task' }, 120);
  for (const text of [page('b-1'), shown(model, 'b-1')]) expect(text).toMatch(/part of +all, 1 of 2 landed/);
  for (const text of [page('c-1'), shown(model, 'c-1')]) expect(text).toMatch(/after +all\s/);
  for (const text of [page('a-1'), shown(model, 'a-1')]) expect(text).toMatch(/unblocks +c-1, d-1, e-1\s/);
  expect(drawn(model, { screen: 'ideas' })).toContain('after all');
  expect(reportOf(model).open.find((one) => one.idea === 'c-1')).toMatchObject({ reason: 'waits for all' });
  tell(model, landed('a-1'));
  for (const text of [page('c-1'), shown(model, 'c-1')]) expect(text).toMatch(/after +all ✓/);
});

it('G4: the newest gate is the last one, on the page, in show and in status', () => {
  const gate = { kind: 'gate', idea: 'a-1', durationMs: 1000 } as const;
  const model = interrupted(
    again,
    ends,
    { ...gate, pass: false, merged: true, command: 'npm test' },
    { ...gate, pass: true },
  );
  expect(shown(model, 'a-1')).toContain('last gate: green');
  expect(factsText(ideaFacts(model.ideas.get('a-1') ?? expect.fail('gone')), NOW)).toContain('gate green');
  expect(drawn(model, { screen: 'idea', idea: 'a-1', tab: 'gate' })).not.toContain('on the merged tree');
});

it('G1: at 80 columns the slot of an idea says which gate runs', () => {
  const model = interrupted(again);
  tell(model, { kind: 'activity', idea: 'a-1', activity: 'base', command: 'npm test', number: 1, of: 2 });
  expect(drawn(model, {})).toMatch(/ base gat(?:e|…)/);
  tell(model, { kind: 'activity', idea: 'a-1', activity: 'base-tests', command: 'npm test', number: 1, of: 2 });
  expect(drawn(model, {})).toMatch(/ base tes(?:ts|…)/);
});
