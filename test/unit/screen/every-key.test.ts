/**
 * Every key of the help does what the help says: one row for each action, tried with each of its keys. Features: C1 C2 C3
 * C4 C5 G1 G5.
 */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { press } from '../../../src/screen/control/press.js';
import type { Seen } from '../../../src/screen/control/seen.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { type Action, KEYS } from '../../../src/screen/keys.js';
import { initialUi, NUMBERED, type Ui } from '../../../src/screen/ui.js';
import { idea } from './shop.js';

const EVENTS: RunEvent[] = [
  { kind: 'run', state: 'running', landed: 0, total: 5 },
  { kind: 'idea', idea: 'asks', title: 'A', status: 'needs-human', reason: 'which?' },
  { kind: 'idea', idea: 'works', title: 'W', status: 'running', agentName: 'ed-001' },
  ...[1, 2].map(
    (n): RunEvent => ({
      ...{ kind: 'iteration', idea: 'works', serial: n, iteration: n, max: 5, agentName: 'ed-001', agent: 'x' },
    }),
  ),
  { kind: 'warning', idea: 'works', warning: 'stuck', text: 'no further' },
  { kind: 'idea', idea: 'failed', title: 'F', status: 'failed', reason: 'exit 3' },
  { kind: 'idea', idea: 'blocked', title: 'B', status: 'blocked', reason: 'no key' },
  { kind: 'idea', idea: 'landed', title: 'L', status: 'landed', commit: 'abc123' },
];

function run(...more: RunEvent[]): RunModel {
  const ideas = ['asks', 'works', 'failed', 'blocked', 'todo', 'landed'].map((id) => idea(id, `Title of ${id}`));
  const all = [idea('epic', 'Epic', { blue: true }), idea('part', 'Part', { parent: 'epic' }), ...ideas];
  const model = newModel({ project: 'p', runId: 'r2', name: 'shop', target: 'main' }, all);
  for (const [at, event] of [...EVENTS, ...more].entries())
    fold(model, { at: new Date(at * 1000).toISOString(), ...event });
  return model;
}

interface Case {
  /** Before the key. */
  ui?: Partial<Ui>;
  /** The selected idea. */
  on?: string;
  model?: RunModel;
  details?: Details;
  places?: string[];
}
interface Row extends Case {
  /** After it. */
  gives?: Partial<Ui>;
  act?: unknown;
}

const tell = (...args: string[]) => ({ do: 'tell', args });
const asks = (...args: string[]): Pick<Row, 'gives'> => ({
  gives: { confirm: expect.any(String) as unknown as string, pending: tell(...args) as never },
});
const types = (label: string, ...args: string[]): Pick<Row, 'gives'> => ({
  gives: {
    prompt: expect.objectContaining({ kind: 'text', label: expect.stringContaining(label) }),
    pending: tell(...args) as never,
  },
});
const page: Partial<Ui> = { screen: 'idea', idea: 'works' };
const over = (): RunModel => run({ kind: 'run', state: 'completed', landed: 1, total: 5 });
const reviewed = (): RunModel => {
  const model = run();
  model.review = true;
  model.state = 'paused';
  return model;
};
const LINES = ['one', 'two', 'three'];
const lines = (on: string, to: string): Row => ({
  places: LINES,
  on,
  gives: { selected: { run: { section: 'slots', id: to } } },
});

const ROWS: Readonly<Record<Action, Row | ((key: string) => Row)>> = {
  up: lines('two', 'one'),
  down: lines('two', 'three'),
  first: lines('three', 'one'),
  last: lines('one', 'three'),
  'page-up': lines('three', 'one'),
  'page-down': lines('one', 'three'),
  section: { ui: page, gives: { tab: 'timeline', beside: 'agent' } },
  screen: (key) => ({ ui: { screen: 'help' }, gives: { screen: NUMBERED[Number(key) - 1] as never } }),
  'next-need': { gives: { screen: 'needs', selected: { needs: { section: 'needs', id: 'asks' } } } },
  'previous-need': {
    gives: { screen: 'needs', selected: { needs: { section: 'needs', id: expect.not.stringMatching('asks') } } },
  },
  find: { ui: { screen: 'log' }, gives: { screen: 'log', prompt: expect.objectContaining({ kind: 'find' }) } },
  back: { ui: { screen: 'log', back: ['run'] }, gives: { screen: 'run', back: [] } },
  open: { on: 'works', gives: { screen: 'idea', idea: 'works' } },
  answer: { on: 'asks', gives: { screen: 'needs', answering: 'asks' } },
  hint: { on: 'works', ...types('hint', 'hint', 'works', '--') },
  pause: { on: 'works', act: tell('pause', 'works') },
  stop: { on: 'works', ...asks('stop', 'works') },
  retry: { on: 'failed', act: tell('retry', 'failed') },
  unblock: { on: 'blocked', act: tell('unblock', 'blocked') },
  'more-iterations': { on: 'works', ...types('more iterations', 'limit', 'works') },
  edit: { on: 'failed', act: { do: 'edit', args: ['edit', 'failed'] } },
  split: { on: 'failed', ...types('split', 'split', 'failed') },
  rollback: { on: 'landed', ...asks('rollback', 'landed') },
  cleanup: { on: 'failed', ...asks('cleanup', 'failed') },
  bump: { on: 'todo', act: tell('bump', 'todo') },
  continue: { on: 'works', act: tell('warn', 'works', 'continue') },
  'pause-run': { act: tell('pause') },
  'stop-run': asks('stop'),
  mode: { gives: { prompt: expect.objectContaining({ kind: 'command', text: 'mode ' }) } },
  review: { model: reviewed(), act: tell('review') },
  worker: { act: { do: 'worker' } },
  command: { gives: { prompt: expect.objectContaining({ kind: 'command', text: '' }) } },
  diff: { on: 'works', gives: { screen: 'idea', idea: 'works', tab: 'diff' } },
  'tab-left': { ui: { ...page, tab: 'gate' }, gives: { tab: 'timeline' } },
  'tab-right': { ui: { ...page, tab: 'gate' }, gives: { tab: 'diff' } },
  follow: { ui: { ...page, follow: false }, gives: { follow: true } },
  wrap: { ui: { ...page, wrap: true }, gives: { wrap: false } },
  copy: { on: 'landed', act: { do: 'copy', text: 'abc123' } },
  web: { ui: page, act: { do: 'web', idea: 'works' } },
  page: { ui: { screen: 'history' }, on: 'r1', act: { do: 'page', run: 'r1' } },
  'hide-landed': { gives: { hideLanded: true } },
  order: { ui: { order: 'quiet' }, gives: { order: 'slot' } },
  sort: { ui: { screen: 'ideas', sort: 'backlog' }, gives: { sort: 'state' } },
  tree: { ui: { screen: 'ideas', tree: true }, gives: { tree: false } },
  'close-group': { ui: { screen: 'ideas' }, on: 'part', gives: { closed: new Set(['epic']) } },
  'open-group': { ui: { screen: 'ideas', closed: new Set(['epic']) }, on: 'epic', gives: { closed: new Set() } },
  'iteration-left': { ui: page, gives: { serial: 1 } },
  'iteration-right': { ui: { ...page, serial: 1 }, gives: { serial: 2 } },
  'log-of-run': { ui: { screen: 'history' }, on: 'r1', gives: { screen: 'log', ofRun: 'r1' } },
  help: { gives: { screen: 'help', back: ['run'] } },
  report: { model: over(), gives: { screen: 'report' } },
  refresh: { act: { do: 'refresh' } },
  repaint: { act: { do: 'repaint' } },
  shell: { act: { do: 'shell' } },
  leave: { act: { do: 'leave' } },
};

function pressed(key: string, { ui = {}, on, model = run(), details = noDetails(), places = [] }: Case) {
  const before: Ui = { ...initialUi(), ...ui };
  const seen: Seen = {
    ...{ model, details, rows: 24, columns: 80, places: places.map((id) => ({ section: 'slots' as const, id })) },
    ...(on === undefined ? {} : { selected: { section: 'slots', id: on } }),
  };
  return { before, ...press(before, key.length === 1 ? { name: key, text: key } : { name: key }, seen) };
}

describe.each(KEYS.map((key) => [key.keys.join(' '), key] as const))('%s', (_, { keys, action, does, screens }) => {
  it.each(keys)(`%s: ${does}`, (key) => {
    const found = ROWS[action];
    const row = typeof found === 'function' ? found(key) : found;
    const screen = row.ui?.screen ?? 'run';
    expect(screens ?? [screen]).toContain(screen);
    const { before, ui, act } = pressed(key, row);
    expect(ui.message?.refused).toBeUndefined();
    expect({ ui, act }).not.toEqual({ ui: before, act: undefined });
    expect(act).toEqual(row.act);
    expect(ui).toMatchObject(row.gives ?? {});
  });
});

describe('a key that depends on more than the idea', () => {
  it('Tab goes to the next section of a list', () => {
    const seen: Seen = {
      ...{ model: run(), details: noDetails(), rows: 24, columns: 80, selected: { section: 'needs', id: 'asks' } },
      places: [
        { section: 'needs', id: 'asks' },
        { section: 'needs', id: 'failed' },
        { section: 'slots', id: 'works' },
      ],
    };
    expect(press(initialUi(), { name: 'tab' }, seen).ui.selected.run).toEqual({ section: 'slots', id: 'works' });
  });

  it('a approves an iteration that waits for it, and retries a limit', () => {
    const model = run();
    const works = model.ideas.get('works');
    if (works) Object.assign(works, { status: 'paused', approval: true });
    expect(pressed('a', { model, on: 'works' }).act).toEqual(tell('approve', 'works'));
    // A finding that a person has to look at: one key must not land it.
    if (works) Object.assign(works, { status: 'needs-human', approval: true });
    const landing = pressed('a', { model, on: 'works' });
    expect([landing.act, landing.ui.confirm]).toEqual([undefined, 'land works as it is']);
    expect(pressed('y', { ui: landing.ui, model }).act).toEqual(tell('approve', 'works'));
    expect(pressed('a', { on: 'account codex:1' }).act).toEqual(tell('limits', 'retry', 'codex:1'));
  });

  it('what is typed first takes the place of a suggestion, and of the last filter', () => {
    const three = pressed('3', { ui: pressed('/', { ui: { screen: 'ideas', filter: 'old' } }).ui });
    expect([three.ui.prompt?.text, three.ui.filter]).toEqual(['3', '3']);
    const one = pressed('backspace', { ui: pressed('/', { ui: { screen: 'ideas', filter: 'old' } }).ui });
    expect(pressed('d', { ui: one.ui }).ui.prompt?.text).toBe('old');
    const more = pressed('+', { on: 'works' });
    expect([more.ui.prompt?.text, pressed('8', { ui: more.ui }).ui.prompt?.text]).toEqual(['5', '8']);
  });

  it('b starts the selected idea in semi-auto', () => {
    const model = run();
    model.mode = 'semi-auto';
    expect(pressed('b', { model, on: 'todo' }).act).toEqual(tell('assign', 'todo'));
  });

  it('Ctrl-E opens the answer in the editor', () => {
    expect(pressed('ctrl-e', { ui: { screen: 'needs', answering: 'asks' } }).act).toEqual({
      do: 'editor',
      idea: 'asks',
    });
  });

  it('y and o on History are about the chosen run, in its report, too; elsewhere about this one', () => {
    expect(pressed('y', { ui: { screen: 'history' }, on: 'r1' }).act).toEqual({ do: 'copy', text: 'r1' });
    const report: Partial<Ui> = { screen: 'report', back: ['history'], selected: { history: { id: 'r1' } } };
    expect(pressed('o', { ui: report }).act).toEqual({ do: 'page', run: 'r1' });
    expect(pressed('o', { ui: { screen: 'report' } }).act).toEqual({ do: 'page', run: 'r2' });
    expect(pressed('y', { ui: { screen: 'log' } }).act).toEqual({ do: 'copy', text: 'r2' });
  });
});

describe('a key that the run refuses', () => {
  const answered = (): RunModel => {
    const model = run();
    model.live = { at: 1, state: 'running', next: [] };
    return model;
  };

  it.each([
    ['u', 'works', tell('unblock', 'works')],
    ['r', 'works', tell('retry', 'works')],
    ['p', 'failed', tell('pause', 'failed')],
    ['V', 'failed', tell('review')],
  ])('%s on %s asks the run, which says why', (key, on, act) => {
    const { act: sent, ui } = pressed(key, { model: answered(), on });
    expect(sent).toEqual(act);
    expect(ui.message).toBeUndefined();
  });

  it.each([
    ['X', 'works', /^works is running\. Possible now: .*pause/],
    ['D', 'landed', /^landed has landed\. Possible now: .*rollback/],
    ['+', 'landed', /^landed has landed\. Possible now: .*rollback/],
    ['x', 'landed', /^landed has landed\. Possible now: .*rollback/],
    ['e', 'landed', /^landed has landed\. Possible now: .*rollback/],
  ])('%s on %s, which asks or needs more first, sends nothing and has the words of the run', (key, on, words) => {
    const { act, ui } = pressed(key, { model: answered(), on });
    expect(act).toBeUndefined();
    expect([ui.confirm, ui.prompt, ui.pending]).toEqual([undefined, undefined, undefined]);
    expect(ui.message?.text).toMatch(words);
  });

  it.each([
    ['no worker', { ...noDetails(), standstill: { kind: 'no-worker', since: 0 } } as Details, answered()],
    ['no answer yet', noDetails(), run()],
    ['a run that is over', noDetails(), Object.assign(answered(), { state: 'completed' })],
  ])('%s: the screen says it', (_, details, model) => {
    const { act, ui } = pressed('u', { details, model, on: 'works' });
    expect(act).toBeUndefined();
    expect(ui.message).toEqual({ text: expect.stringContaining('unblock does not apply'), refused: true });
  });
});
