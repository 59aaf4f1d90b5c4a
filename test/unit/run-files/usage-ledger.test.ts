/** What agents used, over runs and restarts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectDir } from '../../../src/config/paths.js';
import { dayTotal, type UsageRow, writeUsage } from '../../../src/run-files/usage.js';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-usage-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const NOON = new Date(2026, 10, 21, 12);
const row = (serial: number, more: Partial<UsageRow> = {}): UsageRow => ({
  ...{ at: NOON.toISOString(), run: 'r', idea: 'a', serial, agent: 'claude', account: 'claude:1' },
  ...{ outcome: 'ok', durationMs: 1000, turns: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.25 },
  ...more,
});

it('adds up the day of this host over all runs, each agent run once', async () => {
  const yesterday = new Date(2026, 10, 20, 23, 59, 59);
  for (const one of [row(1), row(1), row(2), row(1, { run: 'other' }), row(3, { at: yesterday.toISOString() })]) {
    await writeUsage(root, 'p', one);
  }
  const { spent, endsAt } = await dayTotal(root, 'p', NOON);
  expect(spent).toEqual({ iterations: 3, ms: 3000, tokens: 45, dollars: 0.75, unknownTokens: 0, unknownDollars: 0 });
  expect(endsAt).toBe(new Date(2026, 10, 22).getTime());
});

it('does not take what is unknown for nothing, nor a run without a turn for unknown', async () => {
  const { inputTokens: _i, outputTokens: _o, costUsd: _c, ...unknown } = row(1);
  await writeUsage(root, 'p', unknown);
  await writeUsage(root, 'p', { ...unknown, serial: 2, turns: 0, outcome: 'launch' });
  const { spent } = await dayTotal(root, 'p', NOON);
  expect(spent).toMatchObject({ iterations: 1, tokens: 0, unknownTokens: 1, unknownDollars: 1 });
});

it('reads on over a line that was cut off, and without any file', async () => {
  expect((await dayTotal(root, 'p', NOON)).spent.iterations).toBe(0);
  await writeUsage(root, 'p', row(1));
  const file = join(projectDir(root, 'p'), 'usage', `${NOON.toISOString().slice(0, 7)}.jsonl`);
  await writeFile(file, `{"at":"2026-11\n${JSON.stringify(row(2))}\n{"cut`);
  expect((await dayTotal(root, 'p', NOON)).spent.iterations).toBe(1);
});
