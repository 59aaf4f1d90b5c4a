/** The page of an idea that this run has not begun tells what an earlier run knows of it. Features: G1 G2. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DetailReader } from '../../../src/client/screen/details.js';
import { newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { put } from '../git/repo.js';
import { clockAt, idea, NOW } from './shop.js';

const THEN = '20261120-220000-aaaa';
const CURRENT = '20261121-220000-bbbb';
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-worked-before-'));
  const told: RunEvent[] = [1, 2].flatMap((serial): RunEvent[] => [
    { kind: 'iteration', idea: 'a-1', serial, iteration: serial, max: 5, agentName: 'ed-001', agent: 'claude' },
    {
      ...{ kind: 'iteration-end', idea: 'a-1', serial, iteration: serial, signal: { kind: 'none' }, outcome: 'ok' },
      ...{ durationMs: 120_000, commits: 1 },
    },
  ]);
  told.push({ kind: 'idea', idea: 'a-1', title: 'A', status: 'timeout', reason: '2 of 2 iterations used' });
  const lines = told.map((event, at) => JSON.stringify({ at: new Date(clockAt('22:00', at)).toISOString(), ...event }));
  await put(root, { [`projects/p/runs/${THEN}/events.jsonl`]: `${lines.join('\n')}\n` });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function page(id: string, tab: Ui['tab'], landed: readonly string[] = []): Promise<string> {
  const ideas = [idea('a-1', 'A'), idea('b-1', 'B')];
  const model = newModel({ project: 'p', runId: CURRENT, name: 'shop', target: 'main' }, ideas, new Set(landed));
  const ui: Ui = { ...initialUi(), screen: 'idea', back: ['run'], idea: id, tab };
  const reader = new DetailReader(root, root, () => undefined);
  const details = { ...noDetails(), ...(await reader.read(model, ui, undefined)) };
  const { lines } = compose(model, ui, details, { columns: 80, rows: 40 }, { colour: true, ascii: false }, NOW);
  return lines.map(plainLine).join('\n');
}

it.each(['agent', 'timeline'] as const)(
  'G1 G2: how it ended there, and the command that shows it, on %s',
  async (tab) => {
    const text = await page('a-1', tab);
    expect(text).toContain('it has not started in this run');
    expect(text).toMatch(/◔ .*22:00 {2}timed out after 2 iterations, 4m/);
    expect(text).toContain('2 of 2 iterations used');
    expect(text).toContain(`ralphctl show a-1 --run ${THEN}`);
    const other = await page('b-1', tab);
    expect(other).toContain('it has not started');
    expect(other).not.toMatch(/in this run|--run/);
  },
);

it('G1: also of one that a person landed before this run', async () => {
  const text = await page('a-1', 'timeline', ['a-1']);
  expect(text).toContain('it landed before this run\n');
  expect(text).toContain(`ralphctl show a-1 --run ${THEN}`);
});
