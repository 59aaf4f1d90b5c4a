/**
 * The page of an idea: each gate with its own output, on its branch and on the merged tree; the prompt of an agent run;
 * the two sides. Features: G1 G2.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DetailReader } from '../../../src/client/screen/details.js';
import { ideaDir, iterationDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { put } from '../git/repo.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const RUN = { project: 'p', runId: 'r' };
let root: string;
let model: RunModel;
let details: Details;
let reader: DetailReader;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-gate-tab-'));
  model = newModel({ ...RUN, name: 'shop', target: 'main' }, [idea('a-1', 'Add a login page')]);
  details = noDetails();
  reader = new DetailReader(root, root, () => undefined);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const tell = (time: string, event: RunEvent): void =>
  fold(model, { at: new Date(clockAt(time)).toISOString(), ...event });
const begins = (time: string, number: number): void => {
  tell(time, { kind: 'idea', idea: 'a-1', title: 'Add a login page', status: 'running', agentName: 'ed-001' });
  tell(time, {
    ...{ kind: 'iteration', idea: 'a-1', serial: number, iteration: number, max: 5, agentName: 'ed-001', agent: 'x' },
  });
};
const ends = (time: string, number: number): void =>
  tell(time, {
    ...{ kind: 'iteration-end', idea: 'a-1', serial: number, iteration: number, signal: { kind: 'complete' } },
    ...{ outcome: 'ok', durationMs: 1000, commits: 1 },
  });
const red: Extract<RunEvent, { kind: 'gate' }> = {
  ...{ kind: 'gate', idea: 'a-1', pass: false, command: 'npm test', exitCode: 1, durationMs: 48_000 },
  commands: [
    { command: 'npm run lint', exitCode: 0, durationMs: 2000 },
    {
      ...{ command: 'npm test', exitCode: 1, durationMs: 48_000 },
      tests: { passed: 4, failed: 2, skipped: 0, total: 6 },
      again: { exitCode: 1, tests: { passed: 5, failed: 1, skipped: 0, total: 6 } },
    },
  ],
};
const green: RunEvent = { kind: 'gate', idea: 'a-1', pass: true, durationMs: 1000, commands: [] };
const output = (serial: number | 'landing', text: string): Promise<void> => {
  const dir =
    serial === 'landing'
      ? join(ideaDir(root, 'p', 'r', 'a-1'), 'landing')
      : join(iterationDir(root, 'p', 'r', 'a-1', serial), 'gate');
  return put(dirname(dir), { [`${dir.slice(dirname(dir).length + 1)}/gate-1.log`]: text });
};

const read = async (ui: Ui): Promise<void> => {
  details = { ...details, ...(await reader.read(model, ui, undefined)) };
};
const size = (columns: number) => ({ columns, rows: 40 });
const shows = (ui: Ui, columns = 80): string =>
  compose(model, ui, details, size(columns), THEME, NOW).lines.map(plainLine).join('\n');
const keys = (from: Ui, columns: number, ...names: string[]): Ui =>
  names.reduce((ui, name) => {
    const { selected, most } = compose(model, ui, details, size(columns), THEME, NOW);
    const places = placesOf(model, ui, details, size(columns), THEME, NOW);
    const key = name.length === 1 ? { name, text: name } : { name };
    return press(ui, key, { model, details, places, ...size(columns), selected, most }).ui;
  }, from);
const page = (tab: Ui['tab'], more: Partial<Ui> = {}): Ui => ({
  ...initialUi(),
  ...{ screen: 'idea', back: ['run'], idea: 'a-1', tab, ...more },
});

it.each([80, 120])('G1: the heading of a diff keeps the end of a path that is too long, at %i columns', (columns) => {
  const path = `gen/${'a/very/deep/folder/structure/'.repeat(5)}for/the/diff/words.ts`;
  const diff = { base: 'abcdef12', files: [{ path, added: 1, deleted: 0 }], file: path, lines: ['+one'] };
  begins('23:00', 1);
  details = { ...noDetails(), idea: { id: 'a-1', diff } as NonNullable<Details['idea']> };
  expect(shows(page('diff'), columns)).toMatch(/─ …\S+\/for\/the\/diff\/words\.ts /);
});

describe('the Gate tab', () => {
  beforeEach(async () => {
    begins('23:00', 1);
    ends('23:05', 1);
    tell('23:06', red);
    await output(1, 'one\nnot ok 5 - finds maps\nmaps are missing\nlast\n');
    begins('23:07', 2);
  });

  it.each([80, 120])('has the output of the gate whose commands it shows, at %i columns', async (columns) => {
    await read(page('gate'));
    expect(shows(page('gate'), columns)).toMatch(/iteration 1, 23:06[\s\S]*npm test[\s\S]*not ok 5 - finds maps/);
    // Its own gate runs now: the commands and the output of iteration 1 would be those of older work.
    ends('23:10', 2);
    tell('23:10', { kind: 'gate-start', idea: 'a-1', command: 'npm test', number: 2, of: 2 });
    await output(2, 'of the second\n');
    await read(page('gate'));
    const now = shows(page('gate'), columns);
    expect(now).toMatch(/iteration 2, runs[\s\S]*npm test[\s\S]*runs, 2 of 2[\s\S]*of the second/);
    expect(now).not.toMatch(/exit code 1|finds maps/);
  });

  it('keeps the end of a failing path that is too long, and the beginning of other names', async () => {
    const file = 'packages/storefront/test/checkout/price.test.js';
    ends('23:10', 2);
    tell('23:10', { ...red, newTests: [file, 'the basket adds the price of all goods, and the tax'] });
    const shown = shows(page('gate'));
    expect(shown).toMatch(/✗ …\S*\/test\/checkout\/price\.test\.js +new: not red/);
    expect(shown).toMatch(/✗ the basket adds .*… +new: not red/);
  });

  it('B4: has a tripwire of a green gate under its own heading, and not as failing', async () => {
    ends('23:10', 2);
    const wire = 'package.json: a file that decides what the gate checks or how agents run is new or changed';
    tell('23:10', { ...green, tripwires: [wire] });
    expect(shows(page('gate'))).toMatch(/─ worth a look ─+\n ! package\.json: a file that decides/);
    expect(shows(page('gate'))).not.toContain('failing');
    tell('23:11', { ...red, newTests: ['finds maps'], tripwires: [wire] });
    expect(shows(page('gate'))).toMatch(/─ failing ─.*\n ✗ finds maps.*\n─ worth a look ─+\n ! package\.json/);
  });

  it('shows the gate on the merged tree as the newest one, and ← goes to the iterations', async () => {
    ends('23:10', 2);
    tell('23:11', green);
    tell('23:12', { kind: 'idea', idea: 'a-1', title: 'Add a login page', status: 'landing' });
    tell('23:13', { kind: 'gate-start', idea: 'a-1', command: 'npm test', number: 1, of: 1, merged: true });
    await output(2, 'of the second\n');
    await output('landing', 'of the merged tree\n');
    const ui = page('gate');
    await read(ui);
    expect(shows(ui)).toMatch(/on the merged tree, runs[\s\S]*npm test[\s\S]*of the merged tree/);
    tell('23:14', { ...red, merged: true });
    await read(ui);
    expect(shows(ui)).toMatch(/on the merged tree, 23:14[\s\S]*npm test[\s\S]*of the merged tree/);
    const before = keys(ui, 80, 'left');
    await read(before);
    expect(shows(before)).toMatch(/iteration 2, 23:11[\s\S]*of the second/);
    expect(keys(before, 80, 'right')).toEqual(ui);
    expect(keys(before, 80, 'left').serial).toBe(1);
  });

  it('grows with the output of the gate that runs, and stays with the newest lines', async () => {
    ends('23:10', 2);
    tell('23:10', { kind: 'gate-start', idea: 'a-1', command: 'npm test', number: 1, of: 1 });
    await output(2, 'ok 1 - the first\n');
    await read(page('gate'));
    expect(shows(page('gate'))).toMatch(/output, last of 1 line\b[\s\S]*ok 1 - the first/);
    await output(2, `ok 1 - the first\n${'ok - one more\n'.repeat(500)}ok 502 - the newest\n`);
    await read(page('gate'));
    const grown = shows(page('gate'));
    expect(grown).toMatch(/output, last of 502 lines[\s\S]*ok 502 - the newest/);
    expect(grown).not.toContain('ok 1 - the first');
  });

  it('lists a command that did not run after a red one, and none of a gate that is green or runs', () => {
    const all = ['npm run lint', 'npm test', 'npm run build'];
    const told = (gateCommands: string[]): void => {
      details = {
        ...details,
        idea: { id: 'a-1', ahead: 0, files: [], ...details.idea, gateCommands } as Details['idea'],
      };
    };
    told(all);
    expect(shows(page('gate'))).toMatch(/npm test +48s[^\n]*\n · npm run build +not run\n/);
    expect(shows(page('gate')).match(/not run/g)).toHaveLength(1);
    // Commands of another configuration say nothing about this gate.
    told(['make']);
    expect(shows(page('gate'))).not.toContain('not run');
    told(all);
    ends('23:10', 2);
    tell('23:10', { kind: 'gate-start', idea: 'a-1', command: 'npm run lint', number: 1, of: 3 });
    expect(shows(page('gate'))).not.toContain('not run');
  });

  it('says what the second run of a failed command gave', async () => {
    expect(shows(page('gate'))).toMatch(/npm test +48s +exit code 1 +4\/6 passing +again: 5\/6/);
  });

  it('finds lines of the output by word, on the page', async () => {
    await read(page('gate'));
    const typed = keys(page('gate'), 80, '/', ...'maps');
    expect(typed).toMatchObject({ screen: 'idea', tab: 'gate', search: 'maps', filter: '' });
    const text = shows(typed);
    expect(text).toContain('output, 2 of 4 lines have /maps');
    expect(text).toMatch(/not ok 5 - finds maps\n +maps are missing/);
    expect(text).not.toMatch(/^ +last$/m);
    const all = keys(typed, 80, 'enter', 'esc');
    expect(all).toMatchObject({ screen: 'idea', search: '' });
    expect(shows(all)).toMatch(/^ +last$/m);
    expect(keys(all, 80, 'esc').screen).toBe('run');
  });
});

describe('an agent run that the timeline opens', () => {
  beforeEach(async () => {
    begins('23:00', 1);
    ends('23:05', 1);
    begins('23:07', 2);
    for (const n of [1, 2])
      await put(iterationDir(root, 'p', 'r', 'a-1', n), { 'prompt.md': `# Prompt ${n}\n\nDo it well.\n` });
  });

  it.each([80, 120])('has its prompt on the Task tab, and says so, at %i columns', async (columns) => {
    const opened = keys(page('timeline'), columns, 'up', 'enter');
    expect(opened).toMatchObject({ tab: 'agent', serial: 1 });
    expect(shows(opened, columns)).toContain('iteration 1: its words are on Agent, its prompt on Task');
    const ui: Ui = { ...opened, tab: 'task' };
    await read(ui);
    expect(shows(ui, columns)).toMatch(/prompt of iteration 1[\s\S]*# Prompt 1[\s\S]*Do it well\./);
    // Without a chosen run the tab has the task.
    expect(shows(page('task'), columns)).not.toContain('# Prompt');
  });

  it('without its file says so', async () => {
    await rm(iterationDir(root, 'p', 'r', 'a-1', 1), { recursive: true });
    await read(page('task', { serial: 1 }));
    expect(shows(page('task', { serial: 1 }))).toContain('ralphctl show a-1 --iteration 1');
  });
});

it('Tab changes between the timeline and the tab beside it, which stays', () => {
  begins('23:00', 1);
  ends('23:05', 1);
  begins('23:07', 2);
  const task = page('task');
  expect(shows(task, 120)).toContain('[Task]');
  const timeline = keys(task, 120, 'tab');
  const text = shows(timeline, 120);
  expect(text).toContain('[Timeline]');
  expect(text).toMatch(/Agent {2}Gate {2}Diff {2}Task {2}Said/);
  // The right side still shows the task, and the arrow keys choose on the left side.
  expect(text).toMatch(/│ Add a login page/);
  expect(text).not.toContain('nothing was said yet');
  expect(keys(timeline, 120, 'up').selected.idea?.id).toBe('1');
  expect(keys(timeline, 120, 'tab')).toMatchObject({ tab: 'task' });
});
