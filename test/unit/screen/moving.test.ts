/** Esc, the tabs of an idea's page, and scrolling: what a key leaves as it was, and where a text begins. Features: G1 G2 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const NARROW = { columns: 80, rows: 24 };
const WIDE = { columns: 120, rows: 40 };

const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'Add a login page')]);
const events: RunEvent[] = [
  { kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' },
  ...[1, 2].map(
    (n): RunEvent => ({
      ...{ kind: 'iteration', idea: 'a-1', serial: n, iteration: n, max: 5, agentName: 'ed-001', agent: 'x' },
    }),
  ),
];
for (const event of events) fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });

const LINES = Array.from({ length: 200 }, (_, n) => `row ${n}`);
const details: Details = {
  ...noDetails(),
  idea: { id: 'a-1', serial: 1, prompt: LINES.join('\n'), stream: LINES.map((text) => ({ at: NOW, text })) },
  report: { runId: 'r', lines: LINES },
};
const keys = (from: Partial<Ui>, size: typeof NARROW, ...names: string[]): Ui =>
  names.reduce(
    (ui: Ui, name) => {
      const { selected, most } = compose(model, ui, details, size, THEME, NOW);
      const places = placesOf(model, ui, details, size, THEME, NOW);
      return press(ui, { name }, { model, details, places, ...size, selected, most }).ui;
    },
    { ...initialUi(), ...from },
  );
const text = (ui: Ui, size = NARROW): string =>
  compose(model, ui, details, size, THEME, NOW).lines.map(plainLine).join('\n');
const page: Partial<Ui> = { screen: 'idea', idea: 'a-1', back: ['run'] };

describe('Esc', () => {
  it('G5: does nothing on Run, whatever was open before', () => {
    const ui = keys({}, NARROW, '3', 'enter', '1');
    expect(ui).toMatchObject({ screen: 'run', back: [] });
    expect(keys(ui, NARROW, 'esc', 'esc')).toEqual(ui);
  });

  it('goes back once on a list after the page of an iteration', () => {
    const ui = keys({ ...page, serial: 1 }, NARROW, '3');
    expect(keys(ui, NARROW, 'esc')).toMatchObject({ screen: 'idea', serial: 1 });
  });
});

describe('the tabs', () => {
  const walk = (from: Partial<Ui>, size: typeof NARROW, key: string): string[] => {
    const tabs: string[] = [];
    let ui: Ui = { ...initialUi(), ...from };
    for (let turn = 0; turn < 6; turn += 1) {
      ui = keys(ui, size, key);
      tabs.push(ui.tab);
    }
    return tabs;
  };

  it('G2: are six, one of them the timeline', () => {
    expect(walk(page, NARROW, ']')).toEqual(['timeline', 'gate', 'diff', 'task', 'said', 'agent']);
  });

  it.each([
    ['of a chosen iteration', { ...page, serial: 1 }, NARROW],
    ['beside the timeline of a wide terminal', page, WIDE],
  ])('G2: %s are without it', (_, from, size) => {
    expect(walk(from, size, ']')).toEqual(['gate', 'diff', 'task', 'said', 'agent', 'gate']);
    expect(walk(from, size, '[')).toEqual(['said', 'task', 'diff', 'gate', 'agent', 'said']);
  });

  it('from the timeline go on beside the tab that stands there', () => {
    expect(keys({ ...page, tab: 'timeline', beside: 'diff' }, WIDE, ']').tab).toBe('task');
  });
});

describe('a text', () => {
  it('G1: of another iteration begins at its top', () => {
    const end = keys({ ...page, tab: 'task', serial: 2 }, NARROW, 'G');
    const other = keys(end, NARROW, 'left');
    expect(other.serial).toBe(1);
    expect(text(other)).toMatch(/^ row 0$/m);
    const opened = keys({ ...page, tab: 'timeline', scroll: { 'idea task': 1e9 } }, NARROW, 'up', 'enter');
    expect(text({ ...opened, tab: 'task' })).toMatch(/^ row 0$/m);
  });

  it.each([
    ['the report', { screen: 'report', back: ['run'] }],
    ['a prompt', { ...page, tab: 'task', serial: 1 }],
  ] as const)('%s moves with the first key after its end', (_, from) => {
    const end = keys(from as Partial<Ui>, NARROW, 'G');
    expect(text(end)).toMatch(/^ row 199$/m);
    expect(text(keys(end, NARROW, 'up'))).not.toMatch(/^ row 199$/m);
  });

  it('that follows moves with the first key after its beginning', () => {
    const start = keys({ ...page, serial: 1 }, NARROW, 'g');
    expect(text(start)).toMatch(/ row 0$/m);
    expect(text(keys(start, NARROW, 'down'))).not.toMatch(/ row 0$/m);
  });
});
