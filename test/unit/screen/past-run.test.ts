/** Pages about an older run: its ideas, its log, the page of an idea in it, and no command. Features: G1 G2 G8. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import type { Seen } from '../../../src/screen/control/seen.js';
import { type Details, type IdeaDetails, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZE = { columns: 80, rows: 24 };

function modelOf(runId: string, ids: readonly string[], ...events: RunEvent[]): RunModel {
  const model = newModel(
    { project: 'p', runId, name: 'shop', target: 'main' },
    ids.map((id) => idea(id, `Title of ${id}`)),
  );
  for (const event of events) fold(model, { at: new Date(clockAt('22:30')).toISOString(), ...event });
  return model;
}
const begins: RunEvent = {
  ...{ kind: 'iteration', idea: 'old-1', serial: 1, iteration: 1, max: 3, agentName: 'ed-001', agent: 'claude' },
};
const ends: RunEvent = {
  ...{ kind: 'iteration-end', idea: 'old-1', serial: 1, iteration: 1, signal: { kind: 'progress', percent: 40 } },
  ...{ outcome: 'ok', durationMs: 60_000, commits: 1 },
};
/** The backlog has lost the idea since, and the newest run works on another one. */
const now = modelOf(
  'r2',
  ['new-1'],
  { kind: 'run', state: 'running', landed: 0, total: 1 },
  { kind: 'idea', idea: 'new-1', title: 'N', status: 'failed', reason: 'exit 3' },
);
const past = modelOf(
  'r1',
  ['old-1'],
  { kind: 'run', state: 'running', landed: 0, total: 1 },
  { kind: 'idea', idea: 'old-1', title: 'Title of old-1', status: 'running', agentName: 'ed-001' },
  begins,
  ends,
  { kind: 'gate', idea: 'old-1', pass: false, command: 'npm test', durationMs: 1000 },
  { kind: 'command', idea: 'old-1', verb: 'hint', text: 'look left', done: 'kept' },
  { kind: 'idea', idea: 'old-1', title: 'Title of old-1', status: 'failed', reason: 'exit 7' },
  { kind: 'run', state: 'completed', landed: 0, total: 1 },
);
const told: IdeaDetails = {
  ...{ id: 'old-1', ofRun: 'r1', serial: 1, outputOf: '1', prompt: 'the old prompt' },
  ...{ stream: [{ at: NOW, text: 'said back then' }], gateOutput: { total: 1, lines: ['red back then'] } },
};
const details: Details = { ...noDetails(), past, idea: told };

const draw = (ui: Ui, what: Details = details) => compose(now, ui, what, SIZE, THEME, NOW);
const shown = (ui: Ui, what: Details = details): string => draw(ui, what).lines.map(plainLine).join('\n');
function play(ui: Ui, keys: readonly string[], what: Details = details): Ui {
  let at = ui;
  for (const name of keys) {
    const places = placesOf(now, at, what, SIZE, THEME, NOW);
    const { selected } = draw(at, what);
    const seen: Seen = { model: now, details: what, places, ...SIZE, ...(selected ? { selected } : {}) };
    at = press(at, { name }, seen).ui;
  }
  return at;
}
const HISTORY: Details = {
  ...details,
  history: {
    runs: ['r2', 'r1'].map((runId) => ({ runId, startedAt: NOW, outcome: 'completed', agents: [] })),
  },
};
const onHistory: Ui = { ...initialUi(), screen: 'history', back: ['run'], selected: { history: { id: 'r1' } } };

describe('an idea of an older run', () => {
  it.each([
    ['its log', ['l', 'up', 'enter']],
    ['its report and its ideas', ['enter', '3', 'enter']],
    ['its log and its ideas', ['l', '3', 'enter']],
  ])('G1 G2: is reached from History by %s, and each tab shows that run', (_, keys) => {
    const page = play(onHistory, keys, HISTORY);
    expect(page).toMatchObject({ screen: 'idea', idea: 'old-1', ofRun: 'r1' });
    const tab = (name: Ui['tab']): string => shown({ ...page, tab: name });
    expect(tab('agent')).toContain('shop › run r1 › old-1  Title of old-1');
    expect(tab('agent')).toContain('said back then');
    expect(tab('timeline')).toMatch(/#1 .*PROGRESS 40/);
    expect(tab('gate')).toContain('red back then');
    expect(shown({ ...page, tab: 'task', serial: 1 })).toContain('the old prompt');
    expect(tab('said')).toContain('look left');
    expect(tab('diff')).toContain('no diff: it did not land in that run');
  });

  it('G8: takes no command, and says so; Esc goes back the way', () => {
    const page = play(onHistory, ['enter', '3', 'enter'], HISTORY);
    const text = shown(page);
    expect(text).toContain('exit 7');
    expect(text).not.toMatch(/r retry|e edit|P start again|S stop run/);
    for (const key of ['r', 'x', 'P', 'S', 'i']) {
      const { message, confirm, prompt } = play(page, [key], HISTORY);
      expect(message?.text).toContain('run r1, which is over, and takes no command; 1 goes to the newest run');
      expect([confirm, prompt]).toEqual([undefined, undefined]);
    }
    expect(play(page, ['esc'], HISTORY)).toMatchObject({ screen: 'ideas', ofRun: 'r1' });
    expect(play(page, ['esc', 'esc'], HISTORY)).toMatchObject({ screen: 'report', ofRun: 'r1' });
    expect(play(page, ['v'], HISTORY)).toMatchObject({ screen: 'report', selected: { history: { id: 'r1' } } });
  });

  it('G8: other pages are about the newest run again', () => {
    const page = play(onHistory, ['l', '3', 'enter'], HISTORY);
    for (const keys of [
      ['1', '3'],
      ['5', '3'],
      ['2', '3'],
      ['esc', 'esc', 'esc', '3'],
    ]) {
      const ui = play(page, keys, HISTORY);
      expect(ui).toMatchObject({ screen: 'ideas' });
      expect(ui.ofRun).toBeUndefined();
      expect(shown(ui)).toContain('new-1');
    }
  });

  it('G8: loads by its name, and never shows the same idea of another run', () => {
    const page: Ui = { ...initialUi(), screen: 'idea', idea: 'old-1', ofRun: 'r1' };
    expect(shown(page, noDetails())).toContain('loading old-1 of run r1 …');
    expect(shown({ ...page, screen: 'ideas' }, noDetails())).toContain('loading the ideas of run r1 …');
    const { ofRun: _, ...ofNow } = told;
    expect(shown(page, { ...details, idea: ofNow })).not.toContain('said back then');
  });
});

it('G6: Enter on the log opens the idea of the event', () => {
  const log: Ui = { ...initialUi(), screen: 'log' };
  expect(play(log, ['enter'])).toMatchObject({ screen: 'idea', idea: 'new-1' });
});
