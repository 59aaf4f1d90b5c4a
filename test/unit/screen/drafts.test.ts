/** Unsent texts of several screens for one question: none is lost, and the editor offers each. Features: C3 C5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose } from '../../../src/screen/compose.js';
import {
  opened,
  textsOf,
  together,
  turned,
  typingFor,
  withLook,
  withoutSent,
} from '../../../src/screen/control/drafts.js';
import { press } from '../../../src/screen/control/press.js';
import { draftOf } from '../../../src/screen/control/typing.js';
import { noDetails } from '../../../src/screen/details.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { idea } from '../../activities/idea.js';

const came = (name: string, ...texts: string[]) => ({ came: texts.map((text) => ({ name, text })), gone: [] });
const gone = (name: string, ...texts: string[]) => ({ came: [], gone: texts.map((text) => ({ name, text })) });
const of = (text: string, ...others: string[]) => ({ ...draftOf(text), ...(others.length > 0 ? { others } : {}) });

describe('the texts of other screens', () => {
  it('come beside the own one, and an empty editor gets the newest', () => {
    expect(withLook({}, came('a', 'older', 'newer'))).toEqual({ a: of('newer', 'older') });
    expect(withLook({ a: of('mine') }, came('a', 'theirs'))).toEqual({ a: of('mine', 'theirs') });
    expect(withLook({ a: of('same') }, came('a', 'same'))).toEqual({ a: of('same') });
    expect(withLook({ a: of('') }, came('a', 'theirs'))).toEqual({ a: of('theirs') });
  });

  it('never change the editor in which somebody types', () => {
    expect(withLook({ a: of('') }, came('a', 'theirs'), 'a')).toEqual({ a: of('', 'theirs') });
    expect(withLook({}, came('a', 'theirs'), 'a')).toEqual({ a: of('', 'theirs') });
    expect(withLook({ a: of('mine') }, gone('a', 'mine'), 'a')).toEqual({ a: of('mine') });
  });

  it('go where the other screen sent or changed them', () => {
    expect(withLook({ a: of('mine', 'theirs') }, gone('a', 'theirs'))).toEqual({ a: of('mine') });
    expect(withLook({ a: of('theirs', 'older') }, gone('a', 'theirs'))).toEqual({ a: of('older') });
    expect(withLook({ a: of('theirs') }, gone('a', 'theirs'))).toEqual({});
    expect(
      withLook({ a: of('theirs') }, { ...gone('a', 'theirs'), ...{ came: [{ name: 'a', text: 'theirs, on' }] } }),
    ).toEqual({ a: of('theirs, on') });
  });

  it('stay when one is sent, and when the screen goes to the next run', () => {
    const both = { a: of('mine', 'theirs') };
    expect(withoutSent(both, both, 'a')).toEqual({ a: of('theirs') });
    expect(together(both, { a: of('new'), b: of('x') })).toEqual({ a: of('mine', 'new', 'theirs'), b: of('x') });
  });

  it('turn into the editor one after another, and none twice', () => {
    const all = of('one', 'two', 'three');
    expect(turned(all)).toEqual(of('two', 'three', 'one'));
    expect(turned(turned(turned(all)))).toEqual(all);
    expect(turned(of('one', 'one'))).toEqual(of('one', 'one'));
    expect(opened(of('', 'two'))).toEqual(of('two'));
    expect(textsOf(of('', 'two', 'two'))).toEqual(['two']);
  });
});

describe('the editor', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('asks')]);
  const tell = (event: RunEvent): void => fold(model, { at: new Date(1000).toISOString(), ...event });
  tell({ kind: 'run', state: 'running', landed: 0, total: 1 });
  tell({ kind: 'asks', idea: 'asks', asking: 'question', question: 'Left or right?', id: 'q1' });
  tell({ kind: 'idea', idea: 'asks', title: 'A', status: 'needs-human', reason: 'Left or right?' });
  const seen = {
    ...{ model, details: noDetails(), places: [{ section: 'needs' as const, id: 'asks' }], rows: 24, columns: 80 },
    selected: { section: 'needs' as const, id: 'asks' },
  };
  const shown = (ui: Ui): string =>
    compose(model, ui, noDetails(), { columns: 80, rows: 24 }, { colour: false, ascii: false }, 1000)
      .lines.map((spans) => spans.map(({ text }) => text).join(''))
      .join('\n');
  const start: Ui = { ...initialUi(), drafts: { asks: of('right', 'left') } };

  it('says that there is another text; Ctrl-N brings it, and sends only what it shows', () => {
    const open = press(start, { name: 'a' }, seen).ui;
    expect(shown(open)).toContain('1 more unsent text: Ctrl-N');
    const typed = press(open, { name: '!', text: '!' }, seen).ui;
    const other = press(typed, { name: 'ctrl-n' }, seen).ui;
    expect(other.drafts.asks).toEqual(of('left', 'right!'));
    expect(press(other, { name: 'enter' }, seen).act).toMatchObject({
      args: ['answer', 'asks', '--question', 'q1', '--', 'left'],
    });
  });

  it('that somebody has just opened keeps what another screen sends beside it, also when that is sent or turned', () => {
    const empty = initialUi();
    const answer = press(empty, { name: 'a' }, seen).ui;
    expect(typingFor(answer)).toBe('asks');
    const both = { ...answer, drafts: withLook(answer.drafts, came('asks', 'half'), typingFor(answer)) };
    expect(press(both, { name: 'x', text: 'x' }, seen).ui.drafts.asks).toEqual(of('x', 'half'));

    const hint = press(empty, { name: 'i' }, seen).ui;
    expect(typingFor(hint)).toBe('hint asks');
    const now = { ...hint, drafts: withLook(hint.drafts, came('hint asks', 'theirs'), typingFor(hint)) };
    const mine = press(now, { name: 'x', text: 'x' }, seen).ui;
    const { ui: sent, act } = press(mine, { name: 'enter' }, seen);
    expect(act).toMatchObject({ args: ['hint', 'asks', '--', 'x'] });
    expect(withoutSent(sent.drafts, sent.drafts, 'hint asks')).toEqual({ 'hint asks': of('theirs') });
    const other = press(mine, { name: 'ctrl-n' }, seen).ui;
    expect(textsOf(other.drafts['hint asks'])).toEqual(['theirs', 'x']);
  });

  it('of one line leaves the line breaks of a text that nobody edited', () => {
    const lone: Ui = { ...initialUi(), drafts: { 'hint asks': of('two\nlines') } };
    const open = press(lone, { name: 'i' }, seen).ui;
    expect(press(open, { name: 'ctrl-n' }, seen).ui).toEqual(open);
    const several: Ui = { ...initialUi(), drafts: { 'hint asks': of('two\nlines', 'one') } };
    const turn = press(press(several, { name: 'i' }, seen).ui, { name: 'ctrl-n' }, seen).ui;
    expect(turn.drafts['hint asks']).toEqual(of('one', 'two\nlines'));
  });

  it('of one line has them, too', () => {
    const prompt: Ui = { ...initialUi(), drafts: { 'hint asks': of('one', 'two\nlines') } };
    const open = press(prompt, { name: 'i' }, seen).ui;
    expect(open.prompt?.note).toContain('1 more unsent text: Ctrl-N');
    const other = press(open, { name: 'ctrl-n' }, seen).ui;
    expect(other.prompt?.text).toBe('two lines');
    expect(press(other, { name: 'enter' }, seen).act).toMatchObject({ args: ['hint', 'asks', '--', 'two lines'] });
    expect(textsOf(press(other, { name: 'enter' }, seen).ui.drafts['hint asks'])).toEqual(['two lines', 'one']);
  });
});
