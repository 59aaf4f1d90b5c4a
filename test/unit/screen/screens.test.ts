/** The other screens as pictures: G1 G2 G4 A4 C3. */
import { describe, expect, it } from 'vitest';
import { fold } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, TABS, type Ui } from '../../../src/screen/ui.js';
import type { Picture, Size } from '../../../src/screen/view.js';
import { NIGHT, night, nightDetails } from './night.js';
import { pastDetails } from './past.js';
import { expectPicture } from './pictures.js';
import { mfaDetails, NOW, searchDetails, shop, shopDetails } from './shop.js';

const UTF8 = { colour: true, ascii: false };
const ASCII = { colour: false, ascii: true };
const SIZES: Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
const named = ({ columns, rows }: Size): string => `${columns}x${rows}`;
const draw = (more: Partial<Ui>, details: Details, size: Size, theme = UTF8, model: RunModel = shop()): Picture =>
  compose(model, { ...initialUi(), ...more }, details, size, theme, NOW);
const textOf = ({ lines }: Picture): string => lines.map(plainLine).join('\n');
const SMALL: Size = { columns: 80, rows: 24 };

it('History leaves whole columns out where they do not fit: a number that is cut is another one', () => {
  const head = (columns: number): string[] => {
    const { lines } = draw({ screen: 'history' }, pastDetails(), { columns, rows: 10 });
    return lines.slice(1, 3).map(plainLine);
  };
  expect(head(60)).toEqual([
    '   begun         took    outcome        landed  not  iter.',
    expect.stringMatching(/^> {2}today 22:00 {3}1h42m .* 11 {4}3 {5}26 *$/),
  ]);
  expect(head(70)[0]).toMatch(/iter\. {5}cost$/);
  expect(head(70)[1]).toMatch(/26 {4}\$4\.10 *$/);
  expect(head(80)[0]).toMatch(/cost {2}agents$/);
});

it('what an idea did says that its cost is not known, and not only a sign', () => {
  const model = shop();
  const idea = model.ideas.get('mfa-001');
  if (idea) idea.spent.unknownDollars = idea.spent.iterations;
  const text = textOf(draw({ screen: 'needs' }, mfaDetails(), SMALL, ASCII, model));
  expect(text).toContain(' 0 commits - 12 files read - 2m - cost - - gate not run');
});

const ANSWER = { text: 'Codes from an app. Make the table with the migration tool, not by hand.', cursor: 71 };
const answering: Partial<Ui> = { screen: 'needs', answering: 'mfa-001', drafts: { 'mfa-001': ANSWER } };

for (const size of SIZES) {
  describe(`at ${named(size)}`, () => {
    it('Needs you has the question whole, what was said before it, and the answer (C3)', () => {
      expectPicture(`needs-answer-${named(size)}`, draw(answering, mfaDetails(), size));
      expectPicture(`needs-answer-ascii-${named(size)}`, draw(answering, mfaDetails(), size, ASCII));
      const blocked: Partial<Ui> = { screen: 'needs', selected: { needs: { section: 'needs', id: 'deploy-001' } } };
      expectPicture(`needs-blocked-${named(size)}`, draw(blocked, shopDetails(), size));
    });

    for (const tab of TABS)
      it(`the page of an idea shows its iteration, and ${tab} (G1, G2)`, () => {
        const ui: Partial<Ui> = { screen: 'idea', idea: 'search-001', tab };
        expectPicture(`idea-${tab}-${named(size)}`, draw(ui, searchDetails(), size));
      });

    it('Ideas is a tree with groups, filtered, sorted (A4)', () => {
      expectPicture(`ideas-${named(size)}`, draw({ screen: 'ideas', closed: new Set(['ops']) }, shopDetails(), size));
      const filtered: Partial<Ui> = { screen: 'ideas', filter: '!landed', sort: 'cost', tree: false };
      expectPicture(`ideas-flat-${named(size)}`, draw(filtered, shopDetails(), size));
    });

    it('Log, History and the keys', () => {
      expectPicture(`log-${named(size)}`, draw({ screen: 'log' }, shopDetails(), size));
      const chosen: Partial<Ui> = { screen: 'history', selected: { history: { id: 'r4' } } };
      expectPicture(`history-${named(size)}`, draw(chosen, pastDetails(), size));
      expectPicture(`keys-${named(size)}`, draw({ screen: 'help', back: ['run'] }, shopDetails(), size));
    });
  });
}

describe('the card of an idea that does not work says why, and what can be done (G4)', () => {
  const page = (idea: string, theme = UTF8): string[] =>
    textOf(draw({ screen: 'idea', idea, tab: 'timeline' }, noDetails(), SMALL, theme))
      .split('\n')
      .slice(1, 9);

  it.each([
    ['login-001', '┌ ✓ landed ', 'R roll back   d diff   y copy commit'],
    ['list-001', '┌ ▵ done, waits to land ', 'number 2 in the landing queue'],
    ['cache-001', '┌ ◔ timed out ', 'r retry'],
    ['deploy-001', '┌ ⊗ blocked ', 'u unblock   i hint, then u'],
    ['mfa-001', '┌ ? asks ', 'a answer'],
    ['logout-001', '┌ · waits for others ', 'it starts when session-001, mfa-001 have landed'],
    ['docs-001', '┌ ◦ ready to start ', 'score 30'],
    ['stuck-001', '┌ ! stuck ', 'c continue   x stop   + more iterations   i hint'],
  ])('%s', (id, title, words) => {
    const lines = page(id).join('\n');
    expect(lines).toContain(title);
    expect(lines).toContain(words);
  });

  it('in letters that every terminal has', () => {
    expect(page('cache-001', ASCII)[0]).toMatch(/^\+ T timed out -+ 3 of 3 iterations - 22:54 -\+$/);
  });
});

describe('the answer', () => {
  const type = (text: string, cursor: number, size = SMALL) =>
    draw({ ...answering, drafts: { 'mfa-001': { text, cursor } } }, mfaDetails(), size);
  const at = ({ lines, cursor }: Picture): string =>
    cursor ? plainLine(lines[cursor.line] ?? []).slice(0, cursor.column) : '';

  it('has its cursor where the next character goes, at both sizes', () => {
    expect(at(draw(answering, mfaDetails(), SMALL))).toBe(` ${ANSWER.text}`);
    expect(at(draw(answering, mfaDetails(), { columns: 120, rows: 40 }))).toMatch(/│ hand\.$/);
    expect(at(type('one two', 3))).toBe(' one');
    expect(at(type('one\ntwo', 7))).toBe(' two');
    expect(at(type('', 0))).toBe(' ');
  });

  it('keeps the cursor in sight in a text that is longer than its place', () => {
    const text = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    expect(at(type(text, text.length))).toBe(' line 39');
    expect(at(type(text, 3))).toBe(' lin');
  });

  it('shows no cursor where nothing is typed', () => {
    expect(draw({ screen: 'needs' }, mfaDetails(), SMALL).cursor).toBeUndefined();
  });
});

describe('10,000 ideas', () => {
  const model = night();
  const shown = (more: Partial<Ui>): Picture =>
    compose(model, { ...initialUi(), screen: 'ideas', ...more }, nightDetails(model), SMALL, UTF8, NIGHT);

  it('are found by state, group, word, and from any place in the list', () => {
    expect(textOf(shown({ filter: 'failed' }))).toContain('10,000 ideas, 20 shown');
    expect(textOf(shown({ filter: 'rename the' }))).toContain('api-2072');
    expect(textOf(shown({ filter: 'nothing like it' }))).toContain('no idea matches /nothing like it; Esc shows all');
    const last = shown({ selected: { ideas: { id: 'api-3333' } } });
    expect(textOf(last)).toMatch(/>· api-3333/);
    expect(textOf(last)).toContain('10,000 of 10,000');
    expect(last.scroll).toBe(10_000 - 19);
  });

  it('all can be selected, although few are visible', () => {
    const ui: Ui = { ...initialUi(), screen: 'ideas' };
    expect(placesOf(model, ui, noDetails(), SMALL, UTF8, NIGHT)).toHaveLength(10_000);
  });
});

describe('filters', () => {
  const ids = (filter: string): string[] =>
    placesOf(shop(), { ...initialUi(), screen: 'ideas', tree: false, filter }, noDetails(), SMALL, UTF8, NOW).map(
      ({ id }) => id,
    );

  it('know groups, states and all but', () => {
    expect(ids('=catalog')).toEqual(['search-001', 'db-001', 'list-001']);
    expect(ids('asks')).toEqual(['mfa-001']);
    expect(ids('timed out')).toEqual(['cache-001']);
    expect(ids('!landed')).not.toContain('db-001');
    expect(ids('商品')).toEqual(['docs-001']);
    // `login` is a state as well: nobody waits for one, and the word finds the ideas about logging in.
    expect(ids('login')).toEqual(['mfa-001', 'login-001']);
    expect(ids('!login')).toContain('login-001');
  });

  it('of History know the ideas of its runs, landed or not', () => {
    const runs = (find: string): string[] => {
      const ui: Ui = { ...initialUi(), screen: 'history', find };
      return placesOf(shop(), ui, pastDetails(), SMALL, UTF8, NOW).map(({ id }) => id);
    };
    expect(runs('')).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(runs('IMPORT-004')).toEqual(['r4']);
    expect(runs('mail-003')).toEqual(['r4']);
    expect(textOf(draw({ screen: 'history', find: 'nowhere' }, pastDetails(), SMALL))).toContain(
      'no run had an idea like /nowhere',
    );
  });
});

describe('every list', () => {
  const model = shop();
  const theme = UTF8;

  /** Presses a key so often, as the screen does. */
  const walk = (from: Ui, name: string, details: Details, times: number): { ui: Ui; seen: Set<string> } => {
    let ui = from;
    const seen = new Set<string>();
    for (let time = 0; time <= times; time += 1) {
      const places = placesOf(model, ui, details, SMALL, theme, NOW);
      const { selected, lines } = compose(model, ui, details, SMALL, theme, NOW);
      if (selected) seen.add(`${selected.section} ${selected.id}`);
      if (places.length > 0) expect(lines.some((one) => plainLine(one).includes('>'))).toBe(true);
      ui = press(ui, { name }, { model, details, places, ...SMALL, ...(selected ? { selected } : {}) }).ui;
    }
    return { ui, seen };
  };

  it.each([
    ['run', {}],
    ['needs', {}],
    ['ideas', {}],
    ['log', {}],
    ['history', {}],
    ['idea', { idea: 'search-001', tab: 'timeline' }],
    ['idea', { idea: 'search-001', tab: 'diff' }],
  ] as const)('%s %o is walked from end to end with the arrows', (screen, more) => {
    const details = { ...searchDetails(), ...pastDetails(), idea: searchDetails().idea } as Details;
    const ui: Ui = { ...initialUi(), screen, ...more };
    const places = placesOf(model, ui, details, SMALL, theme, NOW);
    expect(places.length).toBeGreaterThan(2);
    const top = walk(ui, 'g', details, 1).ui;
    const down = walk(top, 'down', details, places.length);
    expect(down.seen.size).toBe(places.length);
    expect(compose(model, down.ui, details, SMALL, theme, NOW).selected).toEqual(places.at(-1));
    const up = walk(down.ui, 'up', details, places.length);
    expect(compose(model, up.ui, details, SMALL, theme, NOW).selected).toEqual(places[0]);
  });

  it('of the log follows until somebody moves, and again with f', () => {
    const ui: Ui = { ...initialUi(), screen: 'log' };
    const text = (one: Ui): string => textOf(compose(model, one, noDetails(), SMALL, theme, NOW));
    expect(text(ui)).toContain('follows');
    const moved = walk(ui, 'up', noDetails(), 1).ui;
    expect(text(moved)).not.toContain('follows');
    expect(text(walk(moved, 'f', noDetails(), 0).ui)).toContain('follows');
  });
});

const THEME = { colour: true, ascii: false };
it('of the log has a question once, and whole', () => {
  const { model, details } = { model: shop(), details: shopDetails() };
  const question = `${'Which of the two ways is meant, the long one or the short one? '.repeat(6)}Say which.`;
  const at = new Date(NOW).toISOString();
  fold(model, { at, kind: 'asks', idea: 'cache-001', asking: 'question', question, id: 'q-1' });
  fold(model, {
    ...{ at, kind: 'idea', idea: 'cache-001', title: 'Cache the front page', status: 'needs-human' },
    reason: `${question.slice(0, 299)}…`,
  });
  // It is answered, so that the idea has it no longer.
  fold(model, { at, kind: 'idea', idea: 'cache-001', title: 'Cache the front page', status: 'running' });
  const ui: Ui = { ...initialUi(), screen: 'log', find: 'which of the two', wrap: true, follow: false };
  const text = textOf(compose(model, ui, details, { columns: 600, rows: 24 }, THEME, NOW));
  expect(text.match(/cache-001 .*Which of the two.*Say which\./g)).toHaveLength(1);
  expect(text.match(/Which of the two ways/g)).toHaveLength(6);
});

describe('the report', () => {
  it('is a page that scrolls', () => {
    const report = Array.from({ length: 60 }, (_, n) => `line ${n}`);
    const ui: Partial<Ui> = { screen: 'report', scroll: { report: 50 } };
    const text = textOf(draw(ui, { ...noDetails(), report: { runId: shop().runId, lines: report } }, SMALL));
    expect(text).toContain(' line 59');
    expect(text).toContain('40 to 60 of 60 lines');
  });
});
