/** A key for the selected idea says why it does nothing, also where no line is selected. Features: C1 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import type { Seen } from '../../../src/screen/control/seen.js';
import { noDetails } from '../../../src/screen/details.js';
import { actionOf } from '../../../src/screen/keys.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName, type Selection } from '../../../src/screen/ui.js';
import { idea, NOW, searchDetails, shop } from './shop.js';

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

describe('the last line says how to select one', () => {
  const asking = (...ids: string[]) => {
    const asked = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      idea('a', 'A'),
      idea('b', 'B'),
    ]);
    fold(asked, { at: new Date(0).toISOString(), kind: 'run', state: 'running', landed: 0, total: 2 });
    for (const id of ids)
      fold(asked, { at: new Date(1000).toISOString(), kind: 'idea', idea: id, title: id, status: 'needs-human' });
    return asked;
  };
  const needs = (from: typeof model, columns: number, ascii = false) => {
    const ui = {
      ...initialUi(),
      screen: 'needs' as const,
      selected: { needs: { section: 'needs' as const, id: 'a' } },
    };
    const { lines } = compose(from, ui, noDetails(), { columns, rows: 24 }, { colour: true, ascii }, NOW);
    return lines.map(plainLine);
  };

  it.each([80, 120])('once the answered request has left the list, at %i columns', (columns) => {
    const [message, keys] = needs(asking('b'), columns).slice(-2);
    expect(keys).toContain('↑↓ choose');
    expect(message).toContain('no request is selected, so that no key answers another one: ↑↓ choose');
    expect(needs(asking('b'), columns, true).at(-1)).toContain('Up Down choose');
  });

  it('and not where one is selected, or there is none', () => {
    expect(needs(asking('a', 'b'), 80).slice(-2).join()).not.toContain('choose');
    expect(needs(asking(), 80).slice(-2).join()).not.toContain('choose');
  });

  it.each([80, 120])('G2: on the timeline and in the diff, at %i columns, where there is a choice', (columns) => {
    const rows = columns === 80 ? 24 : 40;
    const keys = (tab: 'timeline' | 'diff' | 'agent', id = 'search-001') => {
      const ui = { ...initialUi(), screen: 'idea' as const, idea: id, tab };
      const { lines } = compose(shop(), ui, searchDetails(), { columns, rows }, { colour: true, ascii: false }, NOW);
      return plainLine(lines.at(-1) ?? []);
    };
    expect(keys('timeline')).toContain('[ ] tab  ↑↓ choose');
    expect(keys('diff')).toContain('[ ] tab  ↑↓ choose');
    expect(keys('agent')).not.toContain('choose');
    expect(keys('timeline', 'deploy-001')).not.toContain('choose');
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
