/** Times on the screen: local, to the minute, by one rule. Features: G1 G2 G6. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { clock, duration, lasted, withLocalTimes } from '../../../src/screen/text/time.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const DAY = 24 * 3_600_000;
const utc = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

it('G2: a duration that has ended has its seconds, and one that goes on does not tick', () => {
  const both = (ms: number) => [lasted(ms), duration(ms)];
  expect([400, 4900, 48_900, 60_000, 8_520_000].map(both)).toEqual([
    ['<1s', '<10s'],
    ['4s', '<10s'],
    ['48s', '40s'],
    ['1m', '1m'],
    ['2h22m', '2h22m'],
  ]);
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'One')]);
  const at = new Date(NOW - 600_000).toISOString();
  const run = { at, idea: 'a-1', serial: 1, iteration: 1 };
  fold(model, { ...run, kind: 'iteration', max: 5, agentName: 'ed-001' });
  const signal = { kind: 'complete' } as const;
  fold(model, { ...run, kind: 'iteration-end', signal, outcome: 'ok', durationMs: 48_200, commits: 1 });
  fold(model, { at, kind: 'gate', idea: 'a-1', pass: true, durationMs: 47_600 });
  const ui: Ui = { ...initialUi(), screen: 'idea', idea: 'a-1', tab: 'timeline' };
  const { lines } = compose(model, ui, noDetails(), { columns: 120, rows: 40 }, THEME, NOW);
  expect(lines.map(plainLine).join('\n')).toMatch(/#1 .* 48s {2}✓ COMPLETE[\s\S]* 1 iteration · 48s · /);
});

describe('a time in a text of the program', () => {
  const at = NOW - 3 * 3_600_000;

  it('is local, with the day by the rule of every other time', () => {
    expect(withLocalTimes(`until ${utc(at)} UTC (quota)`, NOW)).toBe(`until ${clock(at, NOW)} (quota)`);
    expect(withLocalTimes(`until ${utc(at - 3 * DAY)} UTC`, NOW)).toBe(`until ${clock(at - 3 * DAY, NOW)}`);
    expect(withLocalTimes(`next try at ${utc(at).slice(11)} UTC`, NOW)).toBe(`next try at ${clock(at, NOW)}`);
    expect(withLocalTimes(`ralphctl retries at ${utc(at)} UTC. Now`, NOW)).toBe(
      `ralphctl retries at ${clock(at, NOW)}. Now`,
    );
    for (const others of ['no time, 12:30 here, UTC there', '+  cron: 12:30 UTC', `at ${utc(at)} UTC it failed`])
      expect(withLocalTimes(others, NOW)).toBe(others);
  });

  it('G6: is local on every page', () => {
    // The clock of this machine names the day where the text is older.
    const reason = `at a limit until ${utc(at)} UTC`;
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'One')]);
    const told = { at: new Date(at).toISOString(), kind: 'idea', idea: 'a-1', title: 'One', status: 'failed', reason };
    fold(model, told as never);
    const pages: Partial<Ui>[] = [
      ...(['run', 'needs', 'log'] as const).map((screen) => ({ screen })),
      { screen: 'idea', idea: 'a-1', tab: 'timeline' },
    ];
    for (const ui of pages) {
      const size = { columns: 120, rows: 40 };
      const { lines } = compose(model, { ...initialUi(), ...ui }, noDetails(), size, THEME, NOW);
      const text = lines.map(plainLine).join('\n');
      expect(text).toContain('at a limit until');
      expect(text).not.toContain('UTC');
    }
  });
});

it('G2: the times of an idea that worked on another day are whole, in columns', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'One')]);
  const at = new Date(clockAt('23:00') - 3 * DAY).toISOString();
  fold(model, { at, kind: 'idea', idea: 'a-1', title: 'One', status: 'running', agentName: 'ed-001' });
  const begins = { kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001', agent: 'x' };
  fold(model, { at, ...begins } as never);
  const time = clock(Date.parse(at), NOW);
  expect(time.length).toBeGreaterThan(5);
  const stream = [{ at: Date.parse(at), text: 'I begin' }];
  const details = { ...noDetails(), idea: { id: 'a-1', serial: 1, stream } };
  for (const tab of ['timeline', 'agent'] as const) {
    const ui: Ui = { ...initialUi(), screen: 'idea', idea: 'a-1', tab };
    const { lines } = compose(model, ui, details, { columns: 80, rows: 24 }, THEME, NOW);
    expect(lines.map(plainLine).join('\n')).toContain(`${time} `);
  }
});

it.each([80, 120])(
  'C5 G1: the list of what needs a person keeps its columns where it waits since another day, at %i',
  (columns) => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      idea('a-1', 'One'),
      idea('b-1', 'Two'),
    ]);
    const asks = (id: string, since: number): void => {
      const told = {
        at: new Date(since).toISOString(),
        idea: id,
        kind: 'idea',
        title: `Title of ${id}`,
        status: 'needs-human',
      };
      fold(model, { ...told, reason: 'Which?' } as never);
    };
    asks('a-1', NOW - 3 * DAY);
    asks('b-1', NOW - 9 * DAY);
    const ui: Ui = { ...initialUi(), screen: 'needs' };
    const { lines } = compose(model, ui, noDetails(), { columns, rows: 40 }, THEME, NOW);
    const text = lines.map(plainLine).join('\n');
    for (const [id, since] of [
      ['a-1', NOW - 3 * DAY],
      ['b-1', NOW - 9 * DAY],
    ] as const)
      expect(text).toMatch(
        new RegExp(`${id} +asks +since ${clock(since, NOW)} +${columns < 120 ? `Title of ${id}` : ''}`),
      );
  },
);
