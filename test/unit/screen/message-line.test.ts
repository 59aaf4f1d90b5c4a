/** The line above the keys: input, commands on their way, and the end of the run. Features: C1 C3 C4 G5 G8. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { atEnd, goTo, withNewRun } from '../../../src/screen/control/seen.js';
import { answered, messageUntil, sending } from '../../../src/screen/control/sent.js';
import { ideaWish } from '../../../src/screen/control/verbs.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZE = { columns: 80, rows: 24 };

function modelOf(...events: RunEvent[]): RunModel {
  const ideas = ['slow', 'late', 'long', 'used'].map((id) => idea(id, `Title of ${id}`));
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, ideas);
  for (const event of events) fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
  return model;
}
const timeout = (id: string, reason: string): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: id, status: 'timeout', reason },
});
const model = modelOf(
  { kind: 'run', state: 'running', landed: 0, total: 4 },
  { kind: 'idea', idea: 'slow', title: 'slow', status: 'running', agentName: 'ed-001' },
  { kind: 'iteration', idea: 'slow', serial: 3, iteration: 3, max: 3, agentName: 'ed-001', agent: 'x' },
  {
    ...{ kind: 'iteration', idea: 'late', serial: 1, iteration: 1, max: 3, agentName: 'ed-001' },
    limitMs: 90 * 60_000,
  },
  // A number is data, and no part of a sentence.
  timeout('late', '7m of working time used'),
  timeout('long', 'the agent timed out after 30m'),
  timeout('used', '3 of 3 iterations used'),
);
const keys = (ui: Ui, on: string, ...names: string[]) => keysIn(model, ui, on, ...names);
const keysIn = (model: RunModel, ui: Ui, on: string, ...names: string[]) => {
  let pressed: ReturnType<typeof press> = { ui };
  for (const name of names) {
    const key = name.length === 1 ? { name, text: name } : { name };
    pressed = press(pressed.ui, key, {
      ...{ model, details: noDetails(), places: [], ...SIZE },
      selected: { section: 'needs', id: on },
    });
  }
  return pressed;
};
/** Single attempts, and an idea whose events are of an older version. */
const others = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
  ...['once', 'over'].map((id) => idea(id, id, { ralph: false })),
  idea('old', 'old', { ralph: true }),
]);
for (const event of [
  { kind: 'run', state: 'running', landed: 0, total: 3 },
  { kind: 'idea', idea: 'once', title: 'once', status: 'running', agentName: 'ed-001' },
  { kind: 'iteration', idea: 'once', serial: 1, iteration: 1, max: 1, agentName: 'ed-001' },
  timeout('over', '1 of 1 iterations used'),
  timeout('old', '1h30m of working time used'),
] satisfies RunEvent[])
  fold(others, { at: new Date(clockAt('23:00')).toISOString(), ...event });
const rows = (ui: Ui, of: RunModel = model, details: Details = noDetails()): string[] =>
  compose(of, ui, details, SIZE, THEME, NOW).lines.map(plainLine);
const line = (ui: Ui, of: RunModel = model): string => rows(ui, of).at(-2) ?? '';

describe('more of what an idea ran out of', () => {
  it('C3: the label and its value are two things', () => {
    expect(line(keys(initialUi(), 'slow', '+').ui)).toMatch(
      /^ more iterations for slow: 5 {3}Enter sends, Esc cancels/,
    );
    expect(keys(initialUi(), 'used', '+', 'enter').act).toMatchObject({ args: ['limit', 'used', '5'] });
  });

  it('C3: an idea that ran out of time gets time, and is tried again', () => {
    const { ui } = keys(initialUi(), 'late', '+');
    expect(line(ui)).toMatch(/^ minutes of work for late: 180 +it used up 90; then it is tried again/);
    expect(keys(ui, 'late', 'enter').act).toEqual({
      ...{ do: 'tell', args: ['edit', 'late', '--timeout', '180'], next: ['retry', 'late'] },
    });
  });

  it('C3: a number that the events do not have is typed', () => {
    const { ui } = keysIn(others, initialUi(), 'old', '+');
    expect(line(ui, others)).toMatch(/^ minutes of work for old: +then it is tried again/);
    expect(keysIn(others, ui, 'old', '9', 'enter').act).toMatchObject({ args: ['edit', 'old', '--timeout', '9'] });
  });

  it.each([
    ['once', ''],
    ['over', ' To try it again: ralphctl retry over.'],
  ])('B10: %s has a single attempt, and the key names what helps', (id, again) => {
    const { ui, act } = keysIn(others, initialUi(), id, '+');
    expect([act, ui.prompt, ui.pending]).toEqual([undefined, undefined, undefined]);
    expect(rows({ ...initialUi(), screen: 'idea', idea: id, tab: 'timeline' }, others).join('\n')).not.toMatch(
      /\+ more/,
    );
    expect(ui.message?.text).toContain(
      `${id} has a single attempt (ralph: false), so more iterations do not help it.${again} For a longer agent run: ralphctl edit ${id} --iteration-timeout MINUTES`,
    );
  });

  it('C3: where neither helps, the key names what does', () => {
    const { ui, act } = keys(initialUi(), 'long', '+');
    expect([act, ui.prompt, ui.pending]).toEqual([undefined, undefined, undefined]);
    expect(ui.message?.text).toContain('ralphctl edit long --iteration-timeout MINUTES');
  });

  it.each([
    ['late', '+ more time'],
    ['used', '+ more iterations'],
    ['long', ''],
  ])('G4: the card and the keys of %s offer what helps', (id, offer) => {
    const text = rows({ ...initialUi(), screen: 'idea', idea: id, tab: 'timeline' }).join('\n');
    if (offer === '') expect(text).not.toMatch(/\+ more/);
    else expect(text.split(offer).length).toBeGreaterThan(1);
  });
});

it('C4: a hint to the last iteration says before it is typed that no prompt follows by itself', () => {
  expect(line(keys(initialUi(), 'slow', 'i').ui)).toContain('its last iteration: read only after + or a retry');
});

it('B10: a hint to the only attempt names no key that does not help', () => {
  expect(line(keysIn(others, initialUi(), 'once', 'i').ui, others)).toContain(
    'its only attempt: read only after a retry',
  );
});

it('an empty input says that nothing was sent', () => {
  const { ui, act } = keys(initialUi(), 'slow', '+', 'ctrl-u', 'enter');
  expect(act).toBeUndefined();
  expect(line(ui)).toContain('nothing typed, nothing sent');
});

describe('a command on its way', () => {
  it('C1: is named at once and until the run has answered, also after other keys', () => {
    const sent = sending(initialUi(), ['pause']);
    expect(line(sent)).toContain('pause of the run: sent, waiting for the answer of the run …');
    const moved = keys(sent, 'slow', 'down', '3').ui;
    expect(line(moved)).toContain('pause of the run: sent');
    const two = sending(moved, ['retry', 'late']);
    expect(line(two)).toContain('pause of the run: sent, waiting for the answer of the run …; 1 more after it');
    expect(line(answered(two))).toContain('retry late: sent');
    expect(answered(answered(two)).sent).toBeUndefined();
  });

  it.each([
    [['rollback', 'late'], 'rollback late: under way without a run; landed work first passes its gate …'],
    [['retry', 'late', '--fresh'], 'retry late: under way without a run …'],
    [['start', '--detach'], 'start: under way; it begins a run …'],
    [['run', 'github', '--detach'], 'run: under way; it begins a run …'],
  ])('C2: after the run, %s waits for no run', (args, words) => {
    const over = modelOf({ kind: 'run', state: 'completed', landed: 0, total: 4 });
    expect(line(sending(initialUi(), args), over).trim()).toBe(words);
  });
});

describe('the end of the run', () => {
  const over = modelOf(
    { kind: 'idea', idea: 'slow', title: 'slow', status: 'landed', commit: 'abc' },
    timeout('late', '3 of 3 iterations used'),
    { kind: 'run', state: 'completed', landed: 1, total: 4 },
  );
  const on = (screen: ScreenName): Ui =>
    atEnd({ ...initialUi(), screen, idea: 'late', back: screen === 'run' ? [] : ['run'] });

  it.each(['idea', 'needs', 'ideas', 'log', 'history', 'help'] as const)(
    'G8: is told on %s until somebody looks',
    (screen) => {
      const ui = on(screen);
      expect(line(ui, over)).toContain('run ended: 1 landed, 3 not landed; report: v');
      const later = press(ui, { name: 'down' }, { model: over, details: noDetails(), places: [], ...SIZE }).ui;
      expect(line(later, over)).toContain('run ended');
      const seen = { model: over, details: noDetails(), places: [], ...SIZE };
      const report = press(screen === 'help' ? goTo(ui, 'needs') : ui, { name: 'v' }, seen).ui;
      expect(report).toMatchObject({ screen: 'report' });
      expect(press(report, { name: 'esc' }, seen).ui.news).toBeUndefined();
      expect(withNewRun(ui).news).toBeUndefined();
    },
  );

  it('A4: leaves the filter of a list in sight, whatever the state of the run takes of the first line', () => {
    const head = (filter: string): string => rows({ ...initialUi(), screen: 'ideas', filter }, over)[0] ?? '';
    expect(head('late')).toMatch(/completed.* 1 shown {2}\/late$/);
    expect(head('late and a long word')).toMatch(/\/late and a long word$/);
  });

  it('G8: puts the report in the place of Run', () => {
    expect(on('run')).toMatchObject({ screen: 'report', back: ['run'] });
    expect(on('run').news).toBeUndefined();
    expect(withNewRun(on('run'))).toMatchObject({ screen: 'run', back: [] });
  });

  it('G8: is told on the report of another run, too', () => {
    const older: Ui = { ...initialUi(), screen: 'report', back: ['history'], selected: { history: { id: 'r0' } } };
    expect(line(atEnd(older), over)).toContain('run ended');
    const seen = { model: over, details: noDetails(), places: [], ...SIZE };
    expect(press(atEnd(older), { name: 'v' }, seen).ui).toMatchObject({ screen: 'report', back: ['run'] });
  });

  it('v on History is about the run of the screen, not about the chosen one', () => {
    const seen = { model: over, details: noDetails(), places: [], ...SIZE };
    const ui = press({ ...on('history'), selected: { history: { id: 'r0' } } }, { name: 'v' }, seen).ui;
    expect(ui).toMatchObject({ screen: 'report', back: ['run'] });
  });
});

describe('the answer of the run', () => {
  it('C3: a refusal stays until the next key, or the end of the run, and other answers for some seconds', () => {
    const refused: Ui = { ...initialUi(), message: { text: 'slow waits for an approval', refused: true } };
    expect(messageUntil(refused, NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(messageUntil({ message: { text: 'slow pauses' } }, NOW)).toBe(NOW + 8000);
    expect(keys(refused, 'slow', 'j').ui.message).toBeUndefined();
    expect(line(atEnd({ ...refused, screen: 'log' }))).toContain('run ended');
  });

  it('A6 C2: p does not offer to resume an idea that waits for an approval', () => {
    const asks = modelOf(
      { kind: 'run', state: 'running', landed: 0, total: 4 },
      { kind: 'idea', idea: 'slow', title: 'slow', status: 'paused', agentName: 'ed-001', approval: true },
      { kind: 'idea', idea: 'late', title: 'late', status: 'paused', agentName: 'ed-002' },
    );
    const wish = (id: string) => ideaWish('pause', asks, asks.ideas.get(id) ?? expect.fail(id));
    expect(wish('slow')).toEqual({ act: { do: 'tell', args: ['pause', 'slow'] } });
    expect(wish('late')).toEqual({ act: { do: 'tell', args: ['resume', 'late'] } });
    const shown = rows({ ...initialUi(), screen: 'idea', idea: 'slow', tab: 'timeline' }, asks).join('\n');
    expect(shown).toContain('a approve');
    expect(shown).not.toContain('p resume');
  });
});
