/** While something loads, the screen says so by its name: never the words of something else. Features: G1 G2 G8. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { type Details, type IdeaDetails, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZE = { columns: 80, rows: 24 };

function modelOf(runId: string, ...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId, name: 'shop', target: 'main' }, [idea('a-1', 'Add a login page')]);
  for (const event of events) fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
  return model;
}
const begins = (number: number): RunEvent => ({
  ...{ kind: 'iteration', idea: 'a-1', serial: number, iteration: number, max: 5, agentName: 'ed-001', agent: 'x' },
});
const ends = (number: number): RunEvent => ({
  ...{ kind: 'iteration-end', idea: 'a-1', serial: number, iteration: number, signal: { kind: 'none' } },
  ...{ outcome: 'ok', durationMs: 1000, commits: 1, words: `last words ${number}` },
});
const shown = (model: RunModel, ui: Partial<Ui>, details: Partial<Details> = {}): string =>
  compose(model, { ...initialUi(), ...ui }, { ...noDetails(), ...details }, SIZE, THEME, NOW)
    .lines.map(plainLine)
    .join('\n');
const refused = (why: string): RunEvent => ({ kind: 'refused', verb: 'hint', idea: 'a-1', why });

describe('the log of another run', () => {
  const now = modelOf('r2', refused('of this run'));
  const past = modelOf('r1', refused('of the other run'));
  const ui: Partial<Ui> = { screen: 'log', ofRun: 'r1' };

  it('G8: is loading, by its name, and shows nothing of this run', () => {
    const text = shown(now, ui);
    expect(text).toContain('loading the log of run r1 …');
    expect(text).not.toContain('of this run');
    expect(placesOf(now, { ...initialUi(), ...ui }, noDetails(), SIZE, THEME, NOW)).toEqual([]);
    // A third run was looked at before.
    expect(shown(now, ui, { past: modelOf('r0', refused('of the third')) })).not.toContain('of the third');
  });

  it('G8: then names its run', () => {
    const text = shown(now, ui, { past });
    expect(text).toContain('of the other run');
    expect(text).toContain('1 event of run r1');
  });

  it('G8: that cannot be read says so, with the command that tells more', () => {
    expect(shown(now, ui, { lost: 'r1' })).toContain('cannot be read: ralphctl logs --run r1');
  });
});

it('G8: the report of another run is loading while the lines of this one are here', () => {
  const report = { runId: 'r2', lines: ['the night of this run'] };
  const ui: Partial<Ui> = { screen: 'report', back: ['history'], selected: { history: { id: 'r1' } } };
  const text = shown(modelOf('r2'), ui, { report });
  expect(text).toContain('loading the report of run r1 …');
  expect(text).not.toContain('the night of this run');
  expect(shown(modelOf('r2'), { screen: 'report' }, { report })).toContain('the night of this run');
});

describe('the page of an idea', () => {
  const started: RunEvent = { kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' };
  const gate: RunEvent = { kind: 'gate', idea: 'a-1', pass: false, command: 'npm test', durationMs: 1000 };
  const model = modelOf('r', started, begins(1), ends(1), gate, begins(2), ends(2), gate, begins(3));
  const page = (tab: Ui['tab'], more: Partial<Ui>, details?: IdeaDetails): string =>
    shown(model, { screen: 'idea', idea: 'a-1', tab, ...more }, details ? { idea: details } : {});
  const third: IdeaDetails = {
    ...{ id: 'a-1', serial: 3, outputOf: '2' },
    stream: [{ at: NOW, text: 'said in the third' }],
    prompt: 'prompt of the third',
    gateOutput: { total: 1, lines: ['output of the second'] },
  };

  it('G1: opens an iteration with one text, and it is its own', () => {
    const first = page('agent', { serial: 1 });
    expect(first).toContain('loading what the agent said in iteration 1 …');
    expect(first).not.toContain('last words 1');
    const other = page('agent', { serial: 1 }, third);
    expect(other).toContain('loading what the agent said in iteration 1 …');
    expect(other).not.toContain('said in the third');
    expect(page('agent', {}, third)).toContain('said in the third');
  });

  it('G1: has a last sign of life only for an iteration that still runs', () => {
    expect(page('agent', {}, { ...third, lastSign: NOW })).toContain('last sign of life');
    const ended = { ...third, serial: 2, lastSign: NOW, toolCalls: 3 };
    expect(page('agent', { serial: 2 }, ended)).toContain('3 tool calls');
    expect(page('agent', { serial: 2 }, ended)).not.toContain('last sign of life');
  });

  it('G1: has the prompt and the gate of the chosen iteration only', () => {
    expect(page('task', { serial: 1 }, third)).toContain('loading the prompt of iteration 1 …');
    expect(page('task', { serial: 3 }, third)).toContain('prompt of the third');
    const gateOf = page('gate', { serial: 1 }, third);
    expect(gateOf).toContain('loading the output of this gate …');
    expect(gateOf).not.toContain('output of the second');
    expect(page('gate', { serial: 2 }, { ...third, serial: 2 })).toContain('output of the second');
  });

  it('G1: the diff says what loads, and why there is none', () => {
    expect(page('diff', {})).toContain('loading the diff of a-1 …');
    const files = ['one.ts', 'two.ts'].map((path) => ({ path, added: 1, deleted: 0 }));
    const diff = { base: 'abc', files, file: 'one.ts', lines: ['+first'] };
    const two = page('diff', { selected: { idea: { id: 'two.ts' } } }, { ...third, diff });
    expect(two).toContain('loading two.ts …');
    expect(two).not.toContain('+first');
    // Another tab has asked for the names of the files alone.
    const { lines: _, file: __, ...names } = diff;
    expect(page('diff', {}, { ...third, diff: names })).toContain('loading one.ts …');
    expect(page('diff', {}, third)).toContain('its branch is not in this repository');
  });
});

it('G8: Enter and l on History open the page of the chosen run, which loads', () => {
  const model = modelOf('r2');
  const seen = { model, details: noDetails(), places: [{ id: 'r2' }, { id: 'r1' }], ...SIZE, selected: { id: 'r1' } };
  const log = press({ ...initialUi(), screen: 'history' }, { name: 'l' }, seen).ui;
  expect(shown(model, log)).toContain('loading the log of run r1 …');
});

describe('the page of an idea that landed before this run', () => {
  const made = new Set(['a-1']);
  const ticked = newModel(
    { project: 'p', runId: 'r2', name: 'shop', target: 'main' },
    [{ ...idea('a-1', 'Add a login page'), done: true }],
    made,
  );
  const ui: Partial<Ui> = { screen: 'idea', idea: 'a-1', tab: 'timeline' };

  it('G2: says nothing of a tick while the run that landed it loads', () => {
    const text = shown(ticked, ui);
    expect(text).toContain('loading the run that landed it …');
    expect(text).not.toContain('ticked');
  });

  it('G2: says so once no run has it, and at once where only the tick says that it is done', () => {
    expect(shown(ticked, ui, { idea: { id: 'a-1' } })).toContain('the backlog had it ticked before this run');
    const only = newModel(
      { project: 'p', runId: 'r2', name: 'shop', target: 'main' },
      [{ ...idea('a-1', 'Add a login page'), done: true }],
      made,
    );
    Object.assign(only.ideas.get('a-1') ?? {}, { onlyTicked: true });
    expect(shown(only, ui)).toContain('the backlog had it ticked before this run');
  });
});
