/** What a person types ends with its subject: answered elsewhere, landed, given up, the run over. Features: C1 C5 G1. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { closedOver } from '../../../src/screen/control/closed.js';
import { press } from '../../../src/screen/control/press.js';
import type { Pressed } from '../../../src/screen/control/seen.js';
import { TypedOn } from '../../../src/screen/control/typed-on.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZE = { columns: 80, rows: 24 };
const details = noDetails();

const tell = (model: RunModel, time: string, ...events: RunEvent[]): void => {
  for (const event of events) fold(model, { at: new Date(clockAt(time)).toISOString(), ...event });
};
const becomes = (id: string, status: 'needs-human' | 'running' | 'landed' | 'failed' | 'abandoned'): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: `Title of ${id}`, status },
  ...(status === 'needs-human' ? { reason: `${id}?` } : {}),
  ...(status === 'running' ? { agentName: 'ed-001' } : {}),
});
const asks = (model: RunModel, time: string, id: string, question: string): void =>
  tell(
    model,
    time,
    { kind: 'asks', idea: id, asking: 'question', question: `${question}?`, id: question },
    becomes(id, 'needs-human'),
  );
/** q-1, q-2 and q-3 ask; w-1 works, f-1 has failed, l-1 has landed. */
const run = (): RunModel => {
  const ids = ['q-1', 'q-2', 'q-3', 'w-1', 'f-1', 'l-1'];
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('22:00') },
    ids.map((id) => idea(id, `Title of ${id}`)),
  );
  tell(model, '22:30', { kind: 'run', state: 'running', landed: 0, total: ids.length });
  for (const id of ['q-1', 'q-2', 'q-3']) asks(model, '22:31', id, `${id}-first`);
  tell(model, '22:32', becomes('w-1', 'running'), becomes('f-1', 'failed'), becomes('l-1', 'landed'));
  return model;
};
const answer = (model: RunModel, id: string): void =>
  tell(
    model,
    '22:41',
    { kind: 'command', verb: 'answer', idea: id, text: 'elsewhere', by: 'cli', done: `${id} has your answer` },
    { kind: 'answered', idea: id, text: 'elsewhere', by: 'cli' },
  );

const places = (model: RunModel, ui: Ui) => placesOf(model, ui, details, SIZE, THEME, NOW);
const draw = (model: RunModel, ui: Ui) => {
  const { lines, cursor } = compose(model, ui, details, SIZE, THEME, NOW);
  return { lines: lines.map(plainLine), cursor };
};
const key = (model: RunModel, ui: Ui, name: string, text?: string): Pressed => {
  const { selected, most } = compose(model, ui, details, SIZE, THEME, NOW);
  const seen = { model, details, places: places(model, ui), ...SIZE, selected, most };
  return press(ui, text === undefined ? { name } : { name, text }, seen);
};
const type = (model: RunModel, from: Ui, text: string): Ui =>
  [...text].reduce((ui, one) => key(model, ui, one, one).ui, from);
const keys = (model: RunModel, from: Ui, ...names: string[]): Ui =>
  names.reduce((ui, name) => key(model, ui, name).ui, from);
const over = (model: RunModel, ui: Ui): Ui => closedOver(ui, model, (now) => places(model, now)) ?? ui;
const typing = (model: RunModel): Ui => type(model, keys(model, initialUi(), '2', 'g', 'down', 'a'), 'abc');

describe('an answer whose question was answered elsewhere', () => {
  it('closes with a message, keeps its text, and selects the next line', () => {
    const model = run();
    const ui = typing(model);
    expect(ui.answering).toBe('q-2');
    expect(closedOver(ui, model, () => [])).toBeUndefined();
    answer(model, 'q-2');
    tell(model, '22:41', becomes('q-2', 'running'));
    const after = over(model, ui);
    expect(after).toMatchObject({
      drafts: { 'q-2': { text: 'abc' } },
      selected: { needs: { id: 'q-3' } },
      message: {
        text: 'q-2 was answered with ralphctl answer at 22:41; your draft is kept',
        refused: true,
      },
    });
    expect([after.answering, after.answers]).toEqual([undefined, undefined]);
    const { lines, cursor } = draw(model, after);
    expect(cursor).toBeUndefined();
    expect(lines.find((line) => line.startsWith('>'))).toContain('q-3');
    expect(lines.join('\n')).toContain('q-2 was answered with ralphctl answer at 22:41; your draft is kept');
    // The keys mean what the last line says.
    expect(lines.at(-1)).toContain('a answer');
    expect(key(model, after, '1').ui.screen).toBe('run');
    expect(key(model, after, 'q').act).toEqual({ do: 'leave' });
  });

  it('the last line gone, the one above it is selected; without a text the message names none', () => {
    const model = run();
    tell(model, '22:33', becomes('f-1', 'landed'));
    const ui = keys(model, initialUi(), '2', 'g', 'down', 'down', 'a');
    expect(ui.answering).toBe('q-3');
    answer(model, 'q-3');
    tell(model, '22:41', becomes('q-3', 'running'));
    const after = over(model, ui);
    expect(after.selected.needs?.id).toBe('q-2');
    expect(after.message?.text).toBe('q-3 was answered with ralphctl answer at 22:41');
  });

  it('a key that comes before the picture of it goes into the draft, and sends nothing', () => {
    const model = run();
    const ui = typing(model);
    answer(model, 'q-2');
    tell(model, '22:41', becomes('q-2', 'running'));
    const { ui: after, act } = key(model, ui, 'd', 'd');
    expect([act, after.answering, after.drafts['q-2']?.text]).toEqual([undefined, undefined, 'abcd']);
    expect(after.message?.text).toContain('q-2 was answered');
    const sent = key(model, ui, 'enter');
    expect([sent.act, sent.ui.drafts['q-2']?.text]).toEqual([undefined, 'abc']);
    expect(sent.ui.message?.text).toContain('q-2 was answered');
  });

  it('C5: does not go to the next question of the same idea unless the person opens it again', () => {
    const model = run();
    const ui = typing(model);
    answer(model, 'q-2');
    asks(model, '22:45', 'q-2', 'q-2-second');
    const after = over(model, ui);
    expect(after).toMatchObject({
      drafts: { 'q-2': { text: 'abc' } },
      selected: { needs: { id: 'q-2' } },
      message: {
        text: 'q-2 was answered with ralphctl answer at 22:41 and asks something else now; your draft is kept',
      },
    });
    expect(after.answering).toBeUndefined();
    expect(key(model, ui, 'enter').act).toBeUndefined();
    const again = keys(model, after, 'a');
    expect(key(model, again, 'enter').act).toMatchObject({
      args: ['answer', 'q-2', '--question', 'q-2-second', '--', 'abc'],
    });
  });

  it.each([
    ['landed', 'q-2 is landed and asks nothing now; your draft is kept'],
    ['abandoned', 'q-2 is abandoned and asks nothing now; your draft is kept'],
  ] as const)('closes as well when its idea is %s', (status, text) => {
    const model = run();
    const ui = typing(model);
    tell(model, '22:41', becomes('q-2', status));
    expect(over(model, ui)).toMatchObject({ message: { text }, drafts: { 'q-2': { text: 'abc' } } });
    expect(over(model, ui).answering).toBeUndefined();
  });

  it('stays while the run stops and once it is over: the question is still open', () => {
    const model = run();
    const ui = typing(model);
    for (const state of ['stopping', 'stopped'] as const) {
      tell(model, '22:50', { kind: 'run', state, landed: 0, total: 6 });
      expect(
        closedOver(ui, model, () => []),
        state,
      ).toBeUndefined();
    }
  });

  it('closes when the screen goes on with another run, and not before its files are read', () => {
    const ui = typing(run());
    const next = newModel({ project: 'p', runId: 'r2', name: 'shop', target: 'main' }, [idea('q-2', 'Title of q-2')]);
    next.reading = true;
    expect(closedOver(ui, next, () => [])).toBeUndefined();
    delete next.reading;
    expect(over(next, ui)).toMatchObject({
      message: { text: 'q-2 is pending and asks nothing now; your draft is kept' },
    });
  });
});

describe('a text or a question about what is over', () => {
  it('a hint closes when its idea lands, and its text stays', () => {
    const model = run();
    const ui = type(model, keys(model, initialUi(), '1', 'n', '3', 'g', 'down', 'down', 'down', 'i'), 'look');
    expect(ui.prompt?.label).toBe('hint for w-1');
    expect(closedOver(ui, model, () => [])).toBeUndefined();
    tell(model, '22:41', becomes('w-1', 'landed'));
    const after = over(model, ui);
    expect(after).toMatchObject({
      message: { text: 'w-1 is landed: hint does not apply to it any more; your text is kept', refused: true },
      drafts: { 'hint w-1': { text: 'look' } },
    });
    expect([after.prompt, after.pending]).toEqual([undefined, undefined]);
    const { act, ui: sent } = key(model, ui, 'enter');
    expect([act, sent.drafts['hint w-1']?.text]).toEqual([undefined, 'look']);
  });

  const on = (model: RunModel, id: string, name: string): Ui =>
    key(model, { ...initialUi(), screen: 'idea', idea: id }, name).ui;

  it('more iterations close when the idea lands', () => {
    const model = run();
    const ui = on(model, 'w-1', '+');
    expect(ui.prompt).toBeDefined();
    tell(model, '22:41', becomes('w-1', 'landed'));
    expect(over(model, ui).message?.text).toBe('w-1 is landed: limit does not apply to it any more');
    expect(over(model, ui).prompt).toBeUndefined();
  });

  it.each([
    ['w-1', 'x', becomes('w-1', 'landed'), 'w-1 is landed: stop does not apply to it any more'],
    ['f-1', 'x', becomes('f-1', 'running'), 'f-1 was failed and is running now: abandon is not done'],
    ['l-1', 'R', becomes('l-1', 'running'), 'l-1 was landed and is running now: rollback is not done'],
  ] as const)('the question of %s %s closes, and y does nothing', (id, name, event, text) => {
    const model = run();
    const ui = on(model, id, name);
    expect(ui.confirm).toBeDefined();
    expect(closedOver(ui, model, () => [])).toBeUndefined();
    tell(model, '22:41', event);
    const after = over(model, ui);
    expect([after.confirm, after.pending, after.message?.text]).toEqual([undefined, undefined, text]);
    const pressed = key(model, ui, 'y');
    expect([pressed.act, pressed.ui.confirm, pressed.ui.message?.text]).toEqual([undefined, undefined, text]);
  });

  it('the question of S closes when the run is over', () => {
    const model = run();
    const ui = keys(model, initialUi(), 'S');
    expect(ui.confirm).toBeDefined();
    tell(model, '22:50', { kind: 'run', state: 'completed', landed: 6, total: 6 });
    expect(over(model, ui)).toMatchObject({ message: { text: 'the run is completed: stop does not apply any more' } });
    expect(key(model, ui, 'y').act).toBeUndefined();
  });

  it('the question before a new start closes when the screen goes on with another run', () => {
    const model = run();
    tell(model, '22:50', { kind: 'run', state: 'completed', landed: 6, total: 6 });
    const ui = keys(model, initialUi(), 'P');
    expect(ui.confirm).toContain('start a new run');
    expect(closedOver(ui, model, () => [])).toBeUndefined();
    const next = { ...run(), runId: 'r2' };
    expect(over(next, ui).confirm).toBeUndefined();
    expect(key(next, ui, 'y').act).toBeUndefined();
  });

  it('a command line that the run refuses anyway gets the refusal of the run, and a filter stays', () => {
    const model = run();
    const line = type(model, keys(model, initialUi(), ':'), 'rollback w-1');
    expect(closedOver(line, model, () => [])).toBeUndefined();
    const asked = keys(model, line, 'enter');
    expect(closedOver(asked, model, () => [])).toBeUndefined();
    expect(closedOver(keys(model, initialUi(), '/'), model, () => [])).toBeUndefined();
  });
});

describe('keys of a person who types on', () => {
  it('are nobody’s command until a pause', () => {
    const typed = new TypedOn();
    typed.takes({ name: 'a', text: 'a' }, 1000);
    typed.closed(1200);
    expect(typed.takes({ name: 'p', text: 'p' }, 1400)).toBe(true);
    expect(typed.takes({ name: 'enter' }, 2000)).toBe(true);
    expect(typed.takes({ name: 'q', text: 'q' }, 3100)).toBe(false);
    expect(typed.takes({ name: 'r', text: 'r' }, 3200)).toBe(false);
  });

  it('are commands where nobody typed just before it closed, and Ctrl-C always', () => {
    const typed = new TypedOn();
    typed.takes({ name: 'a', text: 'a' }, 1000);
    typed.closed(9000);
    expect(typed.takes({ name: 'q', text: 'q' }, 9100)).toBe(false);
    typed.closed(9200);
    expect(typed.takes({ name: 'ctrl-c' }, 9300)).toBe(false);
  });
});

describe('a text over the limit', () => {
  const LONG = 'x'.repeat(100_090);

  it('its frame says so at once, and Enter is refused on the spot', () => {
    const model = run();
    const ui = key(model, keys(model, initialUi(), '2', 'g', 'down', 'a'), 'paste', LONG).ui;
    for (const size of [SIZE, { columns: 120, rows: 40 }, { columns: 40, rows: 10 }]) {
      const { lines } = compose(model, ui, details, size, THEME, NOW);
      const spans = lines.flat().filter(({ text }) => text.includes('100,090 of 8,000 characters'));
      expect([size.columns, spans.map(({ colour }) => colour)]).toEqual([size.columns, ['yellow']]);
    }
    const { act, ui: after } = key(model, ui, 'enter');
    expect(act).toBeUndefined();
    expect(after.answering).toBe('q-2');
    expect(after.drafts['q-2']?.text).toBe(LONG);
    expect(after.message).toEqual({
      text: 'the text is longer than 8000 characters; put it into a file of the repository and name it',
      refused: true,
    });
    const fits = { ...ui, drafts: { 'q-2': { text: 'x'.repeat(8000), cursor: 0 } } };
    expect(draw(model, fits).lines.join('\n')).not.toContain('of 8,000 characters');
    expect(key(model, fits, 'enter').act).toBeDefined();
  });

  it('where the question was answered meanwhile, that is the message', () => {
    const model = run();
    const ui = key(model, keys(model, initialUi(), '2', 'g', 'down', 'a'), 'paste', LONG).ui;
    answer(model, 'q-2');
    tell(model, '22:41', becomes('q-2', 'running'));
    const { act, ui: after } = key(model, ui, 'enter');
    expect([act, after.message?.text]).toEqual([
      undefined,
      'q-2 was answered with ralphctl answer at 22:41; your draft is kept',
    ]);
  });

  it('a hint is refused on the spot, too, and its text stays', () => {
    const model = run();
    const open = key(model, { ...initialUi(), screen: 'idea', idea: 'w-1' }, 'i').ui;
    const { act, ui } = key(model, key(model, open, 'paste', LONG).ui, 'enter');
    expect([act, ui.drafts['hint w-1']?.text]).toEqual([undefined, LONG]);
    expect(ui.message?.text).toContain('longer than 8000 characters');
  });
});
