/** *Run* as pictures: G1 G4 G5 A7. */
import { describe, expect, it } from 'vitest';
import { endWithoutEvent } from '../../../src/model/ended.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { ShownState } from '../../../src/protocol/states.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { type Details, noDetails, type Standstill } from '../../../src/screen/details.js';
import { runTakes } from '../../../src/screen/idea/possible.js';
import { listsOf } from '../../../src/screen/lists.js';
import { RUN_SECTIONS, runPlaces } from '../../../src/screen/run/run.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { IDEA_SORTS, initialUi, SLOT_ORDERS, TABS, type Ui } from '../../../src/screen/ui.js';
import { isSame, placeOf, windowAt } from '../../../src/screen/view.js';
import { NIGHT, night, nightDetails } from './night.js';
import { expectPicture } from './pictures.js';
import { clockAt, idea, NOW, shop, shopDetails } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZES = [
  [80, 24],
  [120, 40],
] as const;

describe('Run', () => {
  for (const [columns, rows] of SIZES) {
    const size = { columns, rows };
    it(`answers the four questions at ${columns}x${rows}, in UTF-8 and in ASCII (G1, G4, G5)`, () => {
      expectPicture(`run-${columns}x${rows}`, compose(shop(), initialUi(), shopDetails(), size, THEME, NOW));
      const ascii = compose(shop(), initialUi(), shopDetails(), size, { colour: false, ascii: true }, NOW);
      expectPicture(`run-ascii-${columns}x${rows}`, ascii);
      expect(ascii.lines.flat().filter(({ colour }) => colour)).toEqual([]);
      expect(ascii.lines.flat().some(({ inverse }) => inverse)).toBe(true);
    });

    it(`shows 100 slots of 10,000 ideas at ${columns}x${rows}: one cell each, and the ones that say nothing longest`, () => {
      const model = night();
      expectPicture(
        `run-100-slots-${columns}x${rows}`,
        compose(model, initialUi(), nightDetails(model), size, THEME, NIGHT),
      );
    });
  }

  it('goes on when it is small, and says so when it is too small for anything', () => {
    const draw = (columns: number, rows: number) =>
      compose(shop(), initialUi(), shopDetails(), { columns, rows }, THEME, NOW);
    expectPicture('run-60x10', draw(60, 10));
    expectPicture('run-70x20', draw(70, 20));
    expect(draw(39, 24).lines.map(plainLine)).toEqual(['too small; ralphctl status tells the', 'same']);
    expect(draw(39, 2).lines.map(plainLine)).toEqual(['too small; ralphctl status tells the s…']);
    expect(draw(80, 9).lines.map(plainLine)).toEqual(['too small; ralphctl status tells the same']);
  });

  it('gives a long id the cells of a hint that is not there, and cuts it in its middle; nothing else moves (G1)', () => {
    const ids = ['checkout-flow-of-guests-001', 'checkout-flow-of-guests-002', 'checkout-of-all-01', 'a-1'];
    const model = newModel(
      { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('22:00'), slots: 4 },
      ids.map((id) => idea(id, `Title of ${id}`)),
    );
    const tell = (event: RunEvent) => fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
    for (const [slot, id] of ids.entries()) {
      tell({ kind: 'idea', idea: id, title: id, status: 'running', agentName: `ed-00${slot + 1}` });
      tell({ kind: 'iteration', idea: id, serial: 1, iteration: 1, max: 9, agentName: `ed-00${slot + 1}` });
    }
    tell({ kind: 'step-start', idea: ids[1] ?? '', step: 's', phase: 'p', number: 3, of: 4 });
    const { lines } = compose(model, initialUi(), noDetails(), { columns: 80, rows: 24 }, THEME, NOW);
    const slots = lines.map(plainLine).filter((one) => / 1\/9 /.test(one));
    expect(slots.map((one) => one.slice(3, 33))).toEqual([
      '1 checkout-fl…guests-001   1/9',
      '2 checko…ts-002 step 3/4   1/9',
      '3 checkout-of-all-01       1/9',
      '4 a-1                      1/9',
    ]);
    expect(new Set(slots.map((one) => one.indexOf('1/9'))).size).toBe(1);
    // Also where it waits for a person.
    tell({ kind: 'idea', idea: ids[0] ?? '', title: 'x', status: 'failed', reason: 'exit code 3' });
    const needs = compose(model, initialUi(), noDetails(), { columns: 80, rows: 24 }, THEME, NOW);
    expect(needs.lines.map(plainLine).find((one) => one.includes('exit code 3'))).toMatch(
      /^>✗ checko\S*…\S*001 +failed/,
    );
  });

  it('always shows the selected line when it is small, and acts on no other', () => {
    for (const [columns, rows] of [
      [40, 10],
      [60, 10],
      [80, 12],
      [59, 24],
    ] as const) {
      const size = { columns, rows };
      const places = placesOf(shop(), initialUi(), shopDetails(), size, THEME, NOW);
      expect(places.length).toBeGreaterThan(2);
      for (const chosen of places) {
        const ui = { ...initialUi(), selected: { run: chosen } };
        const { lines, selected } = compose(shop(), ui, shopDetails(), size, THEME, NOW);
        expect(selected).toEqual(chosen);
        const marked = lines.map(plainLine).filter((one) => one.startsWith('>'));
        expect(marked).toEqual([expect.stringContaining(chosen.id)]);
      }
    }
  });

  it('takes colours, and nothing else, where NO_COLOR is set', () => {
    const size = { columns: 80, rows: 24 };
    const coloured = compose(shop(), initialUi(), shopDetails(), size, THEME, NOW);
    const plain = compose(shop(), initialUi(), shopDetails(), size, { colour: false, ascii: false }, NOW);
    expect(plain.lines.map(plainLine)).toEqual(coloured.lines.map(plainLine));
    expect(coloured.lines.flat().some(({ colour }) => colour === 'blue')).toBe(true);
    expect(plain.lines.flat().some(({ colour }) => colour)).toBe(false);
    expect(plain.lines.flat().some(({ bold }) => bold)).toBe(true);
  });
});

describe('Next', () => {
  const many = (count: number): RunModel => {
    const model = newModel(
      { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('22:00'), slots: 4 },
      Array.from({ length: count }, (_, n) => idea(`todo-${n}`, `Title ${n}`)),
    );
    fold(model, { at: new Date(NOW).toISOString(), kind: 'run', state: 'running', landed: 0, total: count });
    return model;
  };
  const lines = (count: number, columns: number, rows: number): string[] =>
    compose(many(count), initialUi(), noDetails(), { columns, rows }, THEME, NOW).lines.map((one) =>
      plainLine(one).trimEnd(),
    );
  const shown = (all: readonly string[]): number => all.join('\n').match(/\btodo-\d+/g)?.length ?? 0;

  it('uses the rows that are free (G1)', () => {
    const wide = lines(12, 120, 40);
    // The message line names the selected one.
    expect(shown(wide.slice(0, -2))).toBe(12);
    expect(wide.findIndex((one) => one.includes('Lately'))).toBe(wide.findIndex((one) => one.includes('todo-11')) + 1);
    const narrow = lines(30, 80, 24);
    expect(shown(narrow)).toBeGreaterThan(20);
    expect(narrow.filter((one) => /todo-\d/.test(one)).length).toBeGreaterThan(1);
  });

  it('says how many there are besides (G1)', () => {
    const wide = lines(90, 120, 40);
    expect(wide.join('\n')).toMatch(/… and \d+ more: 3/);
    expect(shown(wide.slice(0, -2)) + Number(/… and (\d+) more: 3/.exec(wide.join('\n'))?.[1])).toBe(90);
    expect(
      lines(90, 80, 24)
        .filter((one) => /todo-\d/.test(one))
        .at(-1),
    ).toMatch(/ …$/);
    // Lately keeps three lines, and has one event.
    expect(wide.slice(3, -2).filter((one) => one === '')).toHaveLength(1);
  });

  it('takes no row from what has happened (G1)', () => {
    const model = many(90);
    for (let n = 0; n < 60; n += 1)
      fold(model, { at: new Date(NOW).toISOString(), kind: 'idea', idea: `todo-${n}`, title: 'x', status: 'landed' });
    const all = compose(model, initialUi(), noDetails(), { columns: 120, rows: 40 }, THEME, NOW).lines.map(plainLine);
    expect(all.filter((one) => /^ \d\d:\d\d /.test(one)).length).toBeGreaterThan(20);
  });
});

describe('before its first event', () => {
  it('says that it starts, since when, and what it waits for (G5)', () => {
    const begun = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: NOW - 20_000 });
    expect(first(begun)[0]).toMatch(/^shop → main {2}◦ starting 20s/);
    expect(first(begun)[1]).toBe(' the server has the run; a worker is about to take it up');
  });
});

const empty = (events: RunEvent[], since = '23:30'): RunModel => {
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('22:00'), slots: 4 },
    ['a', 'b', 'c', 'd'].map((id) => idea(id, `Title of ${id}`)),
  );
  for (const event of events) fold(model, { at: new Date(clockAt(since)).toISOString(), ...event });
  return model;
};
const first = (model: RunModel, more: Partial<Details> = {}): string[] =>
  compose(model, initialUi(), { ...noDetails(), ...more }, { columns: 80, rows: 24 }, THEME, NOW)
    .lines.slice(0, 3)
    .map((line) => plainLine(line).trimEnd());
const run = (state: ShownState, why?: string): RunEvent => ({
  kind: 'run',
  state,
  landed: 0,
  total: 4,
  ...(why ? { why } : {}),
});
const status = (id: string, name: 'needs-human' | 'running' | 'failed', more: object = {}): RunEvent => ({
  kind: 'idea',
  idea: id,
  title: id,
  status: name,
  ...more,
});

describe('a run that holds says so in its first line, and why in its second', () => {
  it('waits for a person (A7)', () => {
    const model = empty([
      status('a', 'needs-human', { reason: 'x' }),
      status('b', 'needs-human', { reason: 'x' }),
      status('c', 'needs-human', { approval: true }),
      run('waits for you'),
    ]);
    expect(first(model).slice(0, 2)).toEqual([
      'shop → main  ? waits for you 12m  autopilot  0/4 slots  no limits',
      ' nothing runs: 2 ideas ask, 1 wants approval',
    ]);
  });

  it('is paused, or about to be', () => {
    expect(first(empty([run('paused', 'paused by you: lunch')]))[0]).toContain('◫ paused 12m');
    expect(first(empty([run('paused', 'paused by you: lunch')]))[1]).toBe(' paused by you: lunch');
    const pausing = empty([status('a', 'running'), status('b', 'running'), run('pausing', 'lunch')]);
    expect(first(pausing)[0]).toContain('◫ pausing');
    expect(first(pausing)[1]).toBe(' lunch; 2 iterations still run');
  });

  it('needs a review (A7)', () => {
    const text = '3 ideas failed one after another; look at them, then go on with: ralphctl review';
    const model = empty([
      status('a', 'failed'),
      status('b', 'failed'),
      status('c', 'failed'),
      { kind: 'warning', warning: 'worker', text: 'x' },
      run('paused', text),
    ]);
    expect(first(model).slice(0, 2)).toEqual([
      'shop → main  ! needs a review  autopilot  0/4 slots  no limits',
      ' 3 ideas failed one after another: a, b, c',
    ]);
  });

  it('waits for a limit, and for a login', () => {
    const account = (key: string, kind: 'limited' | 'auth', until?: number): RunEvent => ({
      kind: 'account',
      account: { key, agents: [key], state: 'parked', kind, ...(until === undefined ? {} : { until }) },
    });
    const model = empty([
      account('codex', 'limited', clockAt('24:10')),
      account('claude', 'auth'),
      run('paused', 'codex is at a usage limit'),
    ]);
    expect(first(model).slice(0, 2)).toEqual([
      'shop → main  ◷ waits for a limit until 00:10 (28m)  autopilot  0/4 slots',
      ' codex: usage limit · claude: login expired',
    ]);
  });

  it('has used up a budget', () => {
    const model = empty([run('paused', 'the budget of the day is used up')]);
    model.budget = [{ scope: 'day', dimension: 'dollars', used: 40, most: 40, unknown: 0 }];
    model.live = { at: NOW, state: 'paused', next: [], resumesAt: clockAt('24:00') };
    expect(first(model)[0]).toContain('◷ budget of the day is used up until 00:00');
    expect(first(model)[1]).toBe(' $40.00 of $40');
  });

  it('waits for ideas to be started, in semi-auto', () => {
    expect(first(empty([{ ...run('waiting_user'), mode: 'semi-auto' } as RunEvent])).slice(0, 2)).toEqual([
      'shop → main  ? waits for you  semi-auto  0/4 slots  no limits',
      ' 4 are ready: b starts the selected one',
    ]);
  });

  it('is over', () => {
    expect(first(empty([run('completed')])).slice(0, 2)).toEqual([
      'shop → main  ! completed 1h30m, 4 not landed',
      ' 0 landed, 4 not · 0 iterations',
    ]);
  });

  it('A8: was terminated: nothing works in it any more, and it cannot be paused', () => {
    const model = shop();
    const { total, landed, working } = model.counts;
    expect(working).toBeGreaterThan(0);
    endWithoutEvent(model, 'terminated', NOW - 60_000);
    const [state, second, counts] = first(model, { standstill: { kind: 'no-worker', since: NOW } });
    expect(state).toMatch(/^shop → main {2}! terminated \d+h\d+m/);
    expect(second).toContain(`${landed} landed, ${total - landed} not`);
    expect(counts).toContain(' 0 land   0 work ');
    expect(listsOf(model).slots).toEqual([]);
    expect(runTakes(model, 'pause')).toBe(false);
    expect(Object.values(model.counts).reduce((sum, one) => sum + one, 0)).toBe(2 * total);
    for (const { iterations } of model.ideas.values())
      expect(iterations.length === 0 || iterations.at(-1)?.endedAt !== undefined).toBe(true);
    // It was reset, and goes on.
    fold(model, { at: new Date(NOW).toISOString(), kind: 'run', state: 'running', landed, total });
    expect(first(model)[0]).toContain('▸ running');
  });

  it('moves no more: no worker, no server, a worker that does not answer or crashes, a workflow that fails', () => {
    const since = clockAt('23:14');
    const still = (standstill: Standstill) => first(shop(), { standstill });
    expect(still({ kind: 'no-worker', since })).toEqual([
      'shop → main  ! nothing moves: no worker answers since 23:14          as of 23:41',
      ' W starts a worker. Nothing is lost; commands are kept and carried out then.',
      ' 11 landed   4 worked then   3 need you   6 to do   of 24',
    ]);
    expect(still({ kind: 'no-server', since })[0]).toContain('! nothing moves: no server answers since 23:14');
    const where = 'cloud:7233, namespace "team" (from TEMPORAL_ADDRESS)';
    const away = still({ kind: 'no-server', since, where });
    expect(away[0]).toContain('! nothing moves: no server answers since 23:14');
    // ralphctl does not start that server.
    expect(away[1]).toContain('cloud:7233, namespace "team"');
    expect(away[1]).not.toContain('W starts');
    const gone = still({ kind: 'gone', since });
    expect(gone[0]).toContain('! nothing moves: the server does not have this run');
    expect(gone[1]).toContain('ralphctl start');
    expect(still({ kind: 'busy', since })[0]).toContain('! busy: the worker has not answered since 23:14');
    expect(still({ kind: 'busy', since })[1]).toContain('It runs and has other work first');
    // Whether it still runs is not known.
    expect(still({ kind: 'busy', since, polled: since })[1]).toBe(
      ' A worker last asked for work at 23:14. Commands are queued.',
    );
    const ended = { kind: 'crashing', since, times: 10, how: 'exit code 1', log: '/log' } as const;
    const crashing = still({ ...ended, error: 'the bundle is missing' });
    expect(crashing[0]).toContain('! stuck: the worker ended 10 times since 23:14');
    expect(crashing[1]).toBe(' exit code 1: the bundle is missing   log: /log');
    expect(still(ended)[1]).toBe(' exit code 1   log: /log');
    const failing = still({ kind: 'failing', since, tries: 41, error: 'TypeError: x\n  at y', log: '/log' });
    expect(failing[0]).toContain("! stuck: the run's own code fails, 41 tries since 23:14");
    expect(failing[1]).toBe(' TypeError: x   log: /log');
    expect(still({ kind: 'failing', tries: 41, error: 'x' })[0]).toContain('fails, 41 tries');
    expect(still({ kind: 'failing', tries: 41, error: 'x' })[0]).not.toContain('since');
  });
});

describe('what is selected', () => {
  const size = { columns: 80, rows: 24 };
  const view = (ui: Ui) => ({ model: shop(), ui, details: shopDetails(), size, theme: THEME, now: NOW });

  it('goes through all sections, and stays by id', () => {
    const places = runPlaces(view(initialUi()));
    expect([...new Set(places.map(({ section }) => section))]).toEqual(['needs', 'slots', 'lately']);
    expect(RUN_SECTIONS).toEqual(expect.arrayContaining(places.map(({ section }) => section)));
    expect(places.slice(0, 4).map(({ id }) => id)).toEqual(['mfa-001', 'deploy-001', 'cache-001', 'search-001']);
    const chosen = { section: 'slots', id: 'price-001' } as const;
    const ui = { ...initialUi(), selected: { run: chosen } };
    const { lines, selected } = compose(shop(), ui, shopDetails(), size, THEME, NOW);
    expect(selected).toEqual(chosen);
    const line = lines.find((one) => plainLine(one).startsWith('>'));
    expect(line && plainLine(line)).toMatch(/^>▹ 3 price-001/);
    expect(line?.every(({ inverse }) => inverse)).toBe(true);
  });

  it('is looked for elsewhere when it leaves its section, then is the first', () => {
    const places = runPlaces(view(initialUi()));
    const at = placeOf(places, { section: 'needs', id: 'price-001' });
    expect(places[at] && isSame(places[at], { section: 'slots', id: 'price-001' })).toBe(true);
    expect(placeOf(places, { section: 'needs', id: 'gone' })).toBe(0);
    expect(placeOf([], undefined)).toBe(-1);
  });

  it('is always in the window of a list, which moves as little as possible', () => {
    expect([windowAt(0, 100, 10), windowAt(12, 100, 10), windowAt(12, 100, 10, 8), windowAt(2, 100, 10, 8)]).toEqual([
      0, 3, 8, 2,
    ]);
    expect(windowAt(99, 100, 10, 500)).toBe(90);
  });
});

describe('the last lines', () => {
  const draw = (more: Partial<Ui>) =>
    compose(shop(), { ...initialUi(), ...more }, shopDetails(), { columns: 80, rows: 24 }, THEME, NOW);
  const message = (more: Partial<Ui>): string => plainLine(draw(more).lines.at(-2) ?? []).trimEnd();

  it('ask first, take what is typed, say what the run said', () => {
    expect(message({ confirm: 'stop stuck-001: its iteration ends now, its work is saved, y/n' })).toMatch(
      /^ stop stuck-001: .*y yes {2}n no$/,
    );
    expect(message({ message: { text: 'mfa-001 has your answer' } })).toBe(' mfa-001 has your answer');
    const { lines, cursor } = draw({
      prompt: { kind: 'command', label: ':', text: 'slots 6', cursor: 5, completions: ['slots', 'skip'] },
    });
    expect(plainLine(lines[21] ?? [])).toBe(' :slots 6  slots  skip');
    expect(cursor).toEqual({ line: 21, column: 7 });
  });

  it('show keys that are possible for what is selected, and no others', () => {
    const keys = (id: string): string =>
      plainLine(draw({ selected: { run: { section: 'needs', id } } }).lines.at(-1) ?? []);
    expect(keys('mfa-001')).toContain('a answer');
    expect(keys('deploy-001')).toMatch(/r retry {2}u unblock/);
    expect(keys('deploy-001')).not.toContain('a answer');
  });

  it('begin with the first of each choice', () => {
    expect(initialUi()).toMatchObject({ tab: TABS[0], sort: IDEA_SORTS[0], order: SLOT_ORDERS[0] });
  });
});
