/** A key for the selected idea says why it does nothing, also where no line is selected. Features: C1 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { press } from '../../../src/screen/control/press.js';
import type { Seen } from '../../../src/screen/control/seen.js';
import { noDetails } from '../../../src/screen/details.js';
import { actionOf } from '../../../src/screen/keys.js';
import { initialUi, type ScreenName, type Selection } from '../../../src/screen/ui.js';
import { idea } from './shop.js';

const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A'), idea('b', 'B')]);
const told: RunEvent[] = [
  { kind: 'run', state: 'running', landed: 0, total: 2 },
  { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' },
  { kind: 'idea', idea: 'b', title: 'B', status: 'running', agentName: 'ed-002' },
];
for (const [at, event] of told.entries()) fold(model, { at: new Date(at * 1000).toISOString(), ...event });

const IDS = ['a', 'b'];
const at = (id: string): Selection => ({ section: 'slots', id });
const pressed = (name: string, screen: ScreenName, more: Partial<Seen> = {}) =>
  press({ ...initialUi(), screen }, name.length === 1 ? { name, text: name } : { name }, {
    ...{ model, details: noDetails(), places: IDS.map(at), rows: 24, columns: 80, ...more },
  });

const KEYS = ['enter', 'a', 'i', 'p', 'x', 'r', 'u', '+', 'c', 'b', 'e', 'D', 'R', 'X', 'd'];

describe.each(['run', 'needs', 'ideas', 'log'] as const)('on %s', (screen) => {
  it.each(KEYS.filter((key) => actionOf(screen, key)))('%s says that no line is selected', (key) => {
    const { ui, act } = pressed(key, screen);
    expect([act, ui.screen]).toEqual([undefined, screen]);
    expect(ui.message).toEqual({ text: 'no line is selected: the arrow keys select one', refused: true });
    expect(pressed(key, screen, { places: [] }).ui.message?.text).toBe('there is no line to select here');
  });
});

it('says that the selected line is about no idea', () => {
  const { ui } = pressed('i', 'run', { selected: { section: 'needs', id: 'account codex:1' } });
  expect(ui.message).toEqual({ text: 'the selected line is about no idea', refused: true });
});

it('Enter on a tab that opens nothing says which ones do', () => {
  const ui = { ...initialUi(), screen: 'idea' as const, idea: 'a', tab: 'said' as const };
  const seen: Seen = { model, details: noDetails(), places: [], rows: 24, columns: 80 };
  expect(press(ui, { name: 'enter' }, seen).ui.message?.text).toContain('Timeline');
});

it('s says that the order is for slots that do not all fit', () => {
  const { ui } = pressed('s', 'run');
  expect(ui.message?.text).toBe('every slot has a line: s sorts them where they do not all fit');
  expect(pressed('s', 'run', { places: [] }).ui.message).toEqual({ text: 'the slots that stand in lines: by slot' });
  expect(ui.order).toBe('quiet');
});
