/** A run that has ended, on the screen: what it says, and how the next one starts. Features: C1 G4 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { Gone, IdeaModel, RunModel } from '../../../src/model/model.js';
import { takeVerdicts } from '../../../src/model/stands.js';
import { compose } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { noDetails } from '../../../src/screen/details.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SMALL = { columns: 80, rows: 24 };

function over(failed: number): RunModel {
  const ids = ['a-1', 'b-2', 'c-3', 'd-4', 'e-5', 'f-6'];
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('23:00') },
    ids.map((id) => idea(id, `Title of ${id}`)),
  );
  const at = new Date(clockAt('23:04')).toISOString();
  for (const [place, id] of ids.entries())
    fold(model, { at, kind: 'idea', idea: id, title: id, status: place < failed ? 'failed' : 'landed' });
  fold(model, { at, kind: 'run', state: 'completed', landed: 6 - failed, total: 6 });
  return model;
}

const lines = (model: RunModel, more: Partial<Ui> = {}): string[] =>
  compose(model, { ...initialUi(), ...more }, noDetails(), SMALL, THEME, NOW).lines.map((one) =>
    plainLine(one).trimEnd(),
  );

const seenAt = (model: RunModel) =>
  ({
    model,
    details: noDetails(),
    places: [],
    selected: { section: 'needs', id: 'a-1' },
    rows: 24,
    columns: 80,
  }) as const;

describe('a run that has ended', () => {
  it('G4: asks about landed work that somebody took off, and counts a rollback as taken off', () => {
    const model = over(1);
    const off = (id: string): Gone => ({
      ...{ text: `${id} landed as 1, and 2 (Revert) took it off main again`, landed: '1', stays: true },
      ...{ command: `ralphctl retry ${id}`, start: 'ralphctl start' },
    });
    const rolled = model.ideas.get('c-3') as IdeaModel;
    rolled.forNext = { leftOut: true, rolledBack: true, words: ['rollback c-3'] };
    takeVerdicts(model, new Map(['b-2', 'c-3'].map((id) => [id, { is: 'off' as const, gone: off(id) }])));
    const run = lines(model);
    expect(run[2]?.replace(/ +/g, ' ')).toBe(' 3 landed 0 land 0 work 2 need you 0 to do 1 taken off of 6');
    expect(run.find((one) => one.includes('⊖'))).toMatch(/⊖ b-2 +taken off +b-2 landed as 1, and 2 \(Revert\)/);
    const needs = lines(model, { screen: 'needs', selected: { needs: { section: 'needs', id: 'b-2' } } });
    expect(needs.join(' ').replace(/\s+/g, ' ')).toContain(
      'took it off main again. Run it again with: ralphctl retry b-2, then: ralphctl start',
    );
    expect(listsOf(model).needs.map(({ id, shown }) => [id, shown])).toEqual([
      ['a-1', 'failed'],
      ['b-2', 'taken off'],
    ]);
  });

  it('G5: has a green tick only where everything landed', () => {
    expect(lines(over(0))[0]).toContain('✓ completed 4m');
    expect(lines(over(4))[0]).toContain('! completed 4m, 4 not landed');
    const head = compose(over(4), initialUi(), noDetails(), SMALL, THEME, NOW).lines[0] ?? [];
    expect(head.some(({ colour, text }) => colour === 'green' || text.includes('✓'))).toBe(false);
  });

  it.each(['run', 'needs', 'ideas', 'log', 'idea', 'report', 'history'] as const)(
    'C1: %s offers the next start, also on an idea',
    (screen) => {
      const model = over(5);
      const ui: Ui = { ...initialUi(), screen, idea: 'a-1', selected: { [screen]: { section: 'needs', id: 'a-1' } } };
      expect(lines(model, ui).at(-1)).toContain('P start again');
      const seen = seenAt(model);
      const asked = press(ui, { name: 'P' }, seen);
      expect(asked.act).toBeUndefined();
      expect(asked.ui.confirm).toBe('start a new run with 5 ideas, and new ones: a-1, b-2, c-3, d-4 …');
      expect(press(asked.ui, { name: 'y' }, seen).act).toEqual({ do: 'tell', args: ['start', '--detach'] });
    },
  );

  it('E1: P begins the run that is over again: its source, its waves, its target', () => {
    const model: RunModel = { ...over(5), startAgain: { args: ['run', 'reports.jsonl', '--target', 'release'] } };
    const asked = press(initialUi(), { name: 'P' }, seenAt(model));
    const args = ['run', 'reports.jsonl', '--target', 'release', '--detach'];
    expect(press(asked.ui, { name: 'y' }, seenAt(model)).act).toEqual({ do: 'tell', args });
  });

  it('C1: r on an idea asks nothing and retries it, and starts no run on any page: that is P alone', () => {
    const model = over(1);
    const seen = seenAt(model);
    expect(press(initialUi(), { name: 'r' }, seen).act).toEqual({ do: 'tell', args: ['retry', 'a-1'] });
    for (const screen of ['run', 'needs', 'history', 'report'] as const) {
      const { ui, act } = press(
        { ...initialUi(), screen },
        { name: 'r' },
        { ...seen, places: [], selected: undefined },
      );
      expect([act, ui.confirm]).toEqual([undefined, undefined]);
      expect(ui.message?.text).toMatch(/; P starts a new run$/);
      expect(lines(model, { ...initialUi(), screen }).at(-1)).not.toContain('r start again');
    }
  });

  it.each(['history', 'report', 'log'] as const)('G8: a key about an idea says on %s why it does nothing', (screen) => {
    for (const name of ['p', 'x', 'i', 'a', '+']) {
      const { ui, act } = press({ ...initialUi(), screen }, { name }, { ...seenAt(over(1)), selected: undefined });
      expect(act).toBeUndefined();
      const text = `${name} is about an idea: press it on page 3, or on the page of an idea`;
      expect(ui.message).toEqual({ text, refused: true });
    }
  });

  it.each(['history', 'report'] as const)('G8: S and M say on %s why they do nothing after the run', (screen) => {
    const says = (name: string) => press({ ...initialUi(), screen }, { name }, seenAt(over(1))).ui.message?.text;
    expect(says('S')).toBe('the run is completed: stop does not apply');
    expect(says('M')).toBe('M is about the run: press it on page 1');
  });
});

describe('the page of keys', () => {
  it('G8: has its notes also on 80x24, below what fits, and says that there is more', () => {
    const size = { columns: 80, rows: 24 };
    const shown = (down: number): string => {
      const ui: Ui = { ...initialUi(), screen: 'help', back: ['run'], scroll: { help: down } };
      return compose(over(1), ui, noDetails(), size, THEME, NOW).lines.map(plainLine).join('\n');
    };
    expect(shown(0)).toMatch(/[1-9] more lines below/);
    expect(shown(0)).not.toContain('ask first');
    expect(shown(99)).toMatch(/x S R X ask first|ask first\./);
    expect(shown(99)).not.toContain('more line');
  });

  it.each(['history', 'log', 'report', 'run'] as const)('of %s names only keys that %s has', (screen) => {
    const size = { columns: 120, rows: 50 };
    const ui: Ui = { ...initialUi(), screen: 'help', back: [screen] };
    const picture = compose(over(1), ui, noDetails(), size, THEME, NOW);
    const text = picture.lines.map(plainLine).join('\n');
    expect(text.includes('R takes its commits back')).toBe(screen === 'run');
    expect(text).not.toContain('r tries it again');
    expect(text).toContain('P starts the next one');
  });
});

describe('a message that is longer than its line', () => {
  const text =
    'a-1 gets your answer with its first prompt in the next run. No run is open. Start one with: ralphctl start';
  const screens: ScreenName[] = ['run', 'needs', 'ideas', 'log', 'history', 'idea', 'report'];

  it.each(screens)('G4: is whole on %s, with its command', (screen) => {
    const shown = lines(over(4), { screen, idea: 'a-1', message: { text } });
    expect(shown.slice(0, -1).join(' ').replace(/\s+/g, ' ')).toContain(text);
    expect(shown).toHaveLength(23);
  });

  it('G4: a question before an action is whole, with its keys', () => {
    const confirm =
      'stop the run: running iterations finish, finished work lands, the rest stays on its branches, and so on';
    const shown = lines(over(4), { confirm, pending: { do: 'leave' } });
    expect(shown.slice(-3, -1).join(' ').replace(/\s+/g, ' ')).toBe(` ${confirm} y yes n no`);
  });

  it('takes four lines at most, and leaves a short one in its line', () => {
    const long = lines(over(4), { message: { text: 'many words '.repeat(200) } });
    expect(long.filter((one) => one.includes('many words'))).toHaveLength(4);
    expect(long.at(-2)).toMatch(/…$/);
    const short = lines(over(4), { message: { text: 'a-1 is queued again' } });
    expect(short.slice(0, -2)).toEqual(lines(over(4)).slice(0, -2));
  });
});
