/** Long questions beside the answer, and the picture before the events are read: C3 G4 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { noDetails, type Standstill } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import type { Picture, Size } from '../../../src/screen/view.js';
import { idea, mfaDetails, NOW, shop } from './shop.js';

const THEME = { colour: true, ascii: false };
const SMALL: Size = { columns: 80, rows: 24 };
const SIZES: Size[] = [SMALL, { columns: 120, rows: 40 }, { columns: 40, rows: 10 }, { columns: 60, rows: 12 }];
const LINES = 60;

function asking(): RunModel {
  const model = shop();
  const mfa = model.ideas.get('mfa-001');
  if (mfa) mfa.question = Array.from({ length: LINES }, (_, n) => `Point ${n + 1} of the question.`).join('\n');
  return model;
}
const draw = (ui: Ui, size: Size, model = asking()): Picture => compose(model, ui, mfaDetails(), size, THEME, NOW);
const textOf = ({ lines }: Picture): string => lines.map((one) => plainLine(one).trimEnd()).join('\n');
const answer = (text: string): Ui => ({
  ...initialUi(),
  screen: 'needs',
  answering: 'mfa-001',
  drafts: { 'mfa-001': { text, cursor: text.length } },
});

describe('a question longer than the screen', () => {
  it.each(SIZES)('leaves the answer in sight at $columns x $rows, and says how much is hidden', (size) => {
    const picture = draw(answer('My words'), size);
    const { cursor } = picture;
    expect(cursor).toBeDefined();
    const at = plainLine(picture.lines[cursor?.line ?? 0] ?? []).slice(0, cursor?.column);
    expect(at).toMatch(/ My words$/);
    expect(textOf(picture)).toContain('Point 1 of the question.');
    expect(textOf(picture)).toMatch(/… \d+ more lines, PgDn/);
  });

  it.each(SIZES)('is read to its end with PgDn at $columns x $rows, and back with PgUp', (size) => {
    let ui = answer('My words');
    const model = asking();
    const seen = new Set<string>();
    const page = (name: string): Picture => {
      const picture = draw(ui, size, model);
      for (const [, n = ''] of textOf(picture).matchAll(/Point (\d+) of/g)) seen.add(n);
      const places = placesOf(model, ui, noDetails(), size, THEME, NOW);
      const { most, selected } = picture;
      ui = press(ui, { name }, { model, details: noDetails(), places, ...size, selected, most }).ui;
      return picture;
    };
    for (let time = 0; time < LINES + 5; time += 1) page('pagedown');
    const last = textOf(page('pageup'));
    expect(last).toContain(`Point ${LINES} of`);
    expect(last).toMatch(/… \d+ lines above, PgUp/);
    expect(textOf(draw(ui, size, model))).not.toContain(`Point ${LINES} of`);
    expect(ui.drafts['mfa-001']?.text).toBe('My words');
    if (size === SMALL) expect(seen.size).toBe(LINES);
  });

  it('says where the whole text is while nobody types, and on the page of the idea', () => {
    expect(textOf(draw({ ...initialUi(), screen: 'needs' }, SMALL))).toMatch(
      /… \d+ more lines: a answer, or ralphctl why mfa-001/,
    );
    expect(textOf(draw({ ...initialUi(), screen: 'idea', idea: 'mfa-001' }, SMALL))).toContain(
      '… 55 more lines: ralphctl why mfa-001',
    );
  });
});

describe('an idea that failed or timed out', () => {
  const MESSAGE = 'started\nmine exited with code 3: the config file names no model';
  const ended = (status: 'failed' | 'timeout', outcome: 'failed' | 'timeout', message = MESSAGE): RunModel => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
    const at = new Date(NOW).toISOString();
    fold(model, { at, kind: 'run', state: 'running', landed: 0, total: 1 });
    for (const serial of [1, 2]) {
      const run = { idea: 'a', serial, iteration: serial };
      fold(model, { at, kind: 'iteration', ...run, max: 2, agentName: 'ed-001' });
      const signal = { kind: 'none' as const };
      fold(model, { at, kind: 'iteration-end', ...run, signal, outcome, message, durationMs: 900, commits: 0 });
    }
    fold(model, { at, kind: 'idea', idea: 'a', title: 'A', status, reason: '2 of 2 iterations are used up' });
    return model;
  };
  const shown = (more: Partial<Ui>, model: RunModel): string =>
    textOf(compose(model, { ...initialUi(), ...more }, noDetails(), SMALL, THEME, NOW));

  it.each([
    ['failed', 'failed'],
    ['timeout', 'failed'],
    ['timeout', 'timeout'],
  ] as const)('%s after an iteration that %s shows its last error on the card and in Needs you', (status, outcome) => {
    const model = ended(status, outcome);
    for (const more of [{ screen: 'needs' }, { screen: 'idea', idea: 'a' }] as const)
      expect(shown(more, model)).toContain('last error: mine exited with code 3: the config file names no model');
  });

  it('shows the error in its timeline where the row has room', () => {
    const model = ended('failed', 'failed', 'mine exited with code 3');
    expect(shown({ screen: 'idea', idea: 'a', tab: 'timeline' }, model)).toContain('  failed: mine exited with code 3');
  });
});

describe('the signal of an agent', () => {
  it('reads as a signal in the Agent tab and in Needs you, whole or cut off', () => {
    const model = asking();
    const raw = '<ralph nonce="x1">NEEDS_HUMAN: Which way?';
    const details = mfaDetails();
    const told = {
      ...details,
      idea: {
        id: 'mfa-001',
        serial: 1,
        lastWords: `Both work.\n${raw}`,
        stream: [{ text: raw }, { text: 'And why?</ralph>', more: true as const }],
      },
    };
    const agent = textOf(compose(model, { ...initialUi(), screen: 'idea', idea: 'mfa-001' }, told, SMALL, THEME, NOW));
    expect(agent).toContain('? NEEDS_HUMAN: Which way?');
    expect(agent).toContain('And why?');
    const mfa = model.ideas.get('mfa-001');
    if (mfa) mfa.question = `${raw}</ralph>`;
    const needs = textOf(compose(model, { ...initialUi(), screen: 'needs' }, told, SMALL, THEME, NOW));
    expect(needs).toContain('Both work.');
    expect(needs).toContain('? NEEDS_HUMAN: Which way?');
    expect(`${agent}${needs}`).not.toMatch(/<\/?ralph|nonce/);
  });
});

describe('the footer', () => {
  const footer = (model: RunModel, more: Partial<Ui> = {}): string =>
    textOf(compose(model, { ...initialUi(), ...more }, noDetails(), { columns: 160, rows: 40 }, THEME, NOW))
      .split('\n')
      .at(-1) ?? '';
  const over = (): RunModel => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
    const at = new Date(NOW).toISOString();
    fold(model, { at, kind: 'idea', idea: 'a', title: 'A', status: 'landed' });
    fold(model, { at, kind: 'run', state: 'completed', landed: 1, total: 1 });
    return model;
  };

  it.each(['run', 'needs'] as const)('of %s offers the report and a new start when the run has ended', (screen) => {
    const model = over();
    expect(footer(model, { screen })).toMatch(/P start again.* v report/);
    const seen = { model, details: noDetails(), places: [], rows: 24, columns: 80 };
    const ui: Ui = { ...initialUi(), screen };
    expect(press(ui, { name: 'v' }, seen).ui.screen).toBe('report');
    expect(press(ui, { name: 'P' }, seen).ui.confirm).toContain('start a new run');
    expect(footer(shop(), { screen })).not.toMatch(/start again|v report/);
  });

  it('offers no command while no server answers, the start of a server that ralphctl starts, and no second worker', () => {
    const lastLine = (standstill: Standstill): string =>
      textOf(compose(shop(), initialUi(), { ...noDetails(), standstill }, { columns: 160, rows: 40 }, THEME, NOW))
        .split('\n')
        .at(-1) ?? '';
    const down = lastLine({ kind: 'no-server', since: NOW });
    expect(down).toContain('W start server and worker');
    expect(down).not.toMatch(/\b[pxPS] /);
    expect(lastLine({ kind: 'no-server', since: NOW, where: 'cloud:7233' })).not.toMatch(/\b[pxPSW] /);
    // It is started again and again.
    const ended = { kind: 'crashing', since: NOW, times: 10, how: 'exit code 1', log: '/log' } as const;
    expect(lastLine(ended)).not.toContain('W start');
    // Commands are kept for a worker.
    expect(lastLine({ kind: 'no-worker', since: NOW })).toMatch(/ x stop.* W start a worker/);
  });

  it('offers no answer where nothing asks, and no diff on a line about the run', () => {
    const model = over();
    const text = textOf(compose(model, initialUi(), noDetails(), SMALL, THEME, NOW));
    expect(text).not.toContain('a answer');
    expect(text.split('\n').at(-1)).not.toContain('d diff');
    const blocked = shop();
    for (const one of blocked.ideas.values()) if (one.status === 'needs-human') one.status = 'blocked';
    expect(textOf(compose(blocked, initialUi(), noDetails(), SMALL, THEME, NOW))).not.toContain('a answer');
    expect(textOf(draw(initialUi(), SMALL))).toContain('a answer  n next');
  });
});

describe('before the events are read', () => {
  it.each(['run', 'needs'] as const)('%s says that it reads, and claims nothing about the run', (screen) => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
    const text = (): string => textOf(compose(model, { ...initialUi(), screen }, noDetails(), SMALL, THEME, NOW));
    model.reading = true;
    expect(text()).toContain('shop → main  · reading …');
    expect(text()).not.toMatch(/starting|\d slots|nobody is waited for|need you/);
    delete model.reading;
    expect(text()).toContain('◦ starting');
    expect(text()).toContain('nobody is waited for');
  });
});
