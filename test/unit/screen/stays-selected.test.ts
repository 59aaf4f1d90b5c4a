/** The selection stays with its idea while the lists move under it: no key acts on another one. Features: G1 C2 C5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { ideaAt, type Pressed } from '../../../src/screen/control/seen.js';
import { noDetails } from '../../../src/screen/details.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const WIDE = { columns: 120, rows: 40 };
const SMALL = { columns: 50, rows: 12 };
const details = noDetails();

const told = (model: RunModel, event: RunEvent): void =>
  fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
const working = (...ids: string[]): RunModel => {
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ids.map((id) => idea(id, `Title of ${id}`)),
  );
  told(model, { kind: 'run', state: 'running', landed: 0, total: ids.length });
  for (const [at, id] of ids.entries())
    told(model, { kind: 'idea', idea: id, title: id, status: 'running', agentName: `ed-00${at + 1}` });
  return model;
};
const land = (model: RunModel, id: string): void =>
  told(model, { kind: 'idea', idea: id, title: id, status: 'landed', commit: 'abc123' });

const seen = (model: RunModel, ui: Ui, size = WIDE) => {
  const { selected, most } = compose(model, ui, details, size, THEME, NOW);
  return { model, details, places: placesOf(model, ui, details, size, THEME, NOW), ...size, selected, most };
};
const key = (model: RunModel, ui: Ui, name: string, size = WIDE): Pressed => press(ui, { name }, seen(model, ui, size));
const at = (model: RunModel, ui: Ui, size = WIDE): string | undefined => ideaAt(ui, seen(model, ui, size));

describe('an idea lands while its page is open', () => {
  it.each(['1', '3'])('Esc puts the cursor onto no other idea of screen %s', (screen) => {
    const model = working('a-1', 'b-1', 'c-1');
    let ui = key(model, initialUi(), screen).ui;
    ui = key(model, ui, 'enter').ui;
    expect(ui).toMatchObject({ screen: 'idea', idea: 'a-1' });
    land(model, 'a-1');
    ui = key(model, ui, 'esc').ui;
    expect(at(model, ui)).toBe('a-1');
    const { ui: after, act } = key(model, ui, 'x');
    expect(act).toBeUndefined();
    expect(after.confirm).toBeUndefined();
  });

  it('the page can be of an idea that another key chose', () => {
    const model = working('a-1', 'b-1', 'c-1');
    let ui = key(model, initialUi(), 'down').ui;
    ui = key(model, ui, 'd').ui;
    land(model, 'b-1');
    expect(at(model, key(model, ui, 'esc').ui)).toBe('b-1');
  });
});

it('no row is selected once the list has nothing of the idea; the next key down selects the first one', () => {
  const model = working('a-1', 'b-1');
  told(model, { kind: 'idea', idea: 'a-1', title: 'a-1', status: 'needs-human', reason: 'which?' });
  told(model, { kind: 'idea', idea: 'b-1', title: 'b-1', status: 'needs-human', reason: 'how?' });
  let ui = key(model, initialUi(), 'down', SMALL).ui;
  expect(at(model, ui, SMALL)).toBe('b-1');
  land(model, 'b-1');
  expect(at(model, ui, SMALL)).toBeUndefined();
  expect(key(model, ui, 'x', SMALL).act).toBeUndefined();
  ui = key(model, ui, 'down', SMALL).ui;
  expect(at(model, ui, SMALL)).toBe('a-1');
});

it.each([WIDE, { columns: 80, rows: 24 }])('Needs you selects no other request for one that is over (%o)', (size) => {
  const model = working('a-1', 'b-1', 'c-1');
  for (const id of ['a-1', 'b-1'])
    told(model, { kind: 'idea', idea: id, title: id, status: 'needs-human', reason: 'which?' });
  const warned = (id: string): RunEvent => ({ kind: 'warning', idea: id, warning: 'stuck', text: 'no progress' });
  told(model, warned('c-1'));
  let ui = ['2', 'down'].reduce((before, name) => key(model, before, name, size).ui, initialUi());
  expect(at(model, ui, size)).toBe('b-1');
  // It goes on, and warns: that is another row of the same idea.
  told(model, { kind: 'idea', idea: 'b-1', title: 'b-1', status: 'running', agentName: 'ed-002' });
  expect(at(model, ui, size)).toBeUndefined();
  for (const name of ['a', 'x', 'r']) expect(key(model, ui, name, size).act, name).toBeUndefined();
  told(model, warned('b-1'));
  expect(at(model, ui, size)).toBe('b-1');
  land(model, 'b-1');
  expect(at(model, ui, size)).toBeUndefined();
  expect(at(model, key(model, ui, 'n', size).ui, size)).toBe('a-1');
  ui = key(model, ui, 'down', size).ui;
  expect(at(model, ui, size)).toBe('a-1');
});

it('Ideas without the landed ones selects no other idea for one that lands', () => {
  const model = working('a-1', 'b-1', 'c-1');
  const ui = ['3', 'z', 'down'].reduce((before, name) => key(model, before, name).ui, initialUi());
  expect(at(model, ui)).toBe('b-1');
  land(model, 'b-1');
  expect(at(model, ui)).toBeUndefined();
  expect(at(model, key(model, ui, 'down').ui)).toBe('a-1');
});

it('a command stays with the line that it was given on, though nobody has moved', () => {
  const model = working('a-1', 'b-1');
  let { ui } = key(model, initialUi(), 'p');
  told(model, { kind: 'idea', idea: 'b-1', title: 'b-1', status: 'needs-human', reason: 'how?' });
  expect(at(model, ui)).toBe('a-1');
  land(model, 'a-1');
  ui = key(model, ui, 'r').ui;
  expect(at(model, ui)).toBe('a-1');
});
