/** The page of an idea that landed in an earlier run and was taken off since: it shows the work of that run. Features: G1 C1. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DetailReader } from '../../../src/client/screen/details.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { takeVerdicts } from '../../../src/model/stands.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { showText } from '../../../src/report/show.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { put } from '../git/repo.js';
import { clockAt, idea, NOW } from './shop.js';

const THEN = '20261120-220000-aaaa';
const CURRENT = '20261121-220000-bbbb';
let root: string;
let model: RunModel;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-taken-off-'));
  const about = { idea: 'a-1', title: 'Add a login page' };
  const run = { serial: 1, iteration: 1, agent: 'claude', agentName: 'ed-001' };
  const told: RunEvent[] = [
    { kind: 'idea', ...about, status: 'running', agentName: 'ed-001' },
    { kind: 'iteration', idea: 'a-1', ...run, max: 5 },
    {
      ...{ kind: 'iteration-end', idea: 'a-1', serial: 1, iteration: 1, signal: { kind: 'complete' }, outcome: 'ok' },
      ...{ durationMs: 60_000, commits: 1, words: 'the page is made' },
    },
    {
      kind: 'gate',
      idea: 'a-1',
      pass: true,
      durationMs: 1000,
      commands: [{ command: 'npm test', exitCode: 0, durationMs: 900 }],
    },
    { kind: 'command', idea: 'a-1', verb: 'hint', text: 'mind the colours', done: 'kept' },
    { kind: 'idea', ...about, status: 'landed', commit: 'c0ffee01' },
  ];
  const lines = told.map((event, at) => JSON.stringify({ at: new Date(clockAt('22:00', at)).toISOString(), ...event }));
  await put(root, {
    [`projects/p/runs/${THEN}/events.jsonl`]: `${lines.join('\n')}\n`,
  });
  model = newModel({ project: 'p', runId: CURRENT, name: 'shop', target: 'main' }, [idea('a-1', 'Add a login page')]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const page = async (tab: Ui['tab']): Promise<string> => {
  const ui: Ui = { ...initialUi(), screen: 'idea', back: ['run'], idea: 'a-1', tab };
  const reader = new DetailReader(root, root, () => undefined);
  const details = { ...noDetails(), ...(await reader.read(model, ui, undefined)) };
  const { lines } = compose(model, ui, details, { columns: 80, rows: 40 }, { colour: true, ascii: false }, NOW);
  return lines.map(plainLine).join('\n');
};

it('G1: each tab has the earlier run, and its state is that of now', async () => {
  const gone = { text: 'beef0001 (undo it) took it off main', landed: 'c0ffee01', command: 'ralphctl retry a-1' };
  takeVerdicts(model, new Map([['a-1', { is: 'off', gone }]]));
  expect(await page('agent')).toContain('the page is made');
  expect(await page('agent')).toContain('took it off main');
  expect(await page('agent')).not.toContain('it has not started');
  expect(await page('timeline')).toMatch(/#1 .*COMPLETE/);
  expect(await page('gate')).toContain('npm test');
  expect(await page('said')).toContain('mind the colours');
});

it('G1: once it works again, the page has the work of now', async () => {
  const tell = (event: RunEvent): void => fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
  tell({ kind: 'idea', idea: 'a-1', title: 'Add a login page', status: 'running', agentName: 'ed-001' });
  tell({ kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001', agent: 'claude' });
  expect(await page('agent')).not.toContain('the page is made');
});

it('G1: show of a run that only rolled it back does not give the time of the rollback as that of its landing', () => {
  const at = new Date(clockAt('23:40', 0)).toISOString();
  const done = 'a-1 was taken off main by beef0001';
  fold(model, { at, kind: 'command', idea: 'a-1', verb: 'rollback', done });
  fold(model, { at, kind: 'idea', idea: 'a-1', title: 'Add a login page', status: 'pending', reason: done });
  const gone = { text: 'beef0001 (undo it) took it off main', landed: 'c0ffee01', command: 'ralphctl retry a-1' };
  takeVerdicts(model, new Map([['a-1', { is: 'off', gone }]]));
  const one = model.ideas.get('a-1');
  if (!one) throw new Error('the model has lost a-1');
  const text = showText({ model, idea: one, now: NOW, gone, commands: [], others: [] }).join('\n');
  expect(text).toMatch(/taken off the target ─+┐/);
  expect(text).not.toContain('landed');
});
