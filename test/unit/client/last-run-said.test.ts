/** A start that begins a run names the one before it, and how to look at that. Features: A5 C5. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lastRunText } from '../../../src/client/open-run/last-run.js';
import { runDir } from '../../../src/config/paths.js';
import { emptyTally } from '../../../src/model/tally.js';
import { put } from '../git/repo.js';

const OLD = '20260101-000000-aaaa';
const NOW = '20260102-000000-bbbb';
const AT = new Date(2026, 0, 1, 23, 14).getTime();
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-last-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const said = () => lastRunText(root, { project: 'p', runId: NOW });
const summary = (text: string) => put(runDir(root, 'p', OLD), { 'summary.json': text });

it('A5: with its outcome and the command', async () => {
  await put(runDir(root, 'p', NOW), { 'run.json': '{}' });
  expect(await said()).toBeUndefined();
  await summary(
    JSON.stringify({
      ...{ outcome: 'stopped', landed: 0, notLanded: [] },
      status: { runId: OLD, statistics: { iterations: { total: 0 } } },
      run: { since: AT, mode: 'autopilot', spent: emptyTally(), conflicts: 0, limits: [] },
    }),
  );
  expect(await said()).toBe(
    `run ${OLD} has ended (stopped); this begins another one. To see the last one: ralphctl report --run ${OLD}`,
  );
});

it('A5: a damaged summary says nothing, and fails nothing', async () => {
  await put(runDir(root, 'p', NOW), { 'run.json': '{}' });
  await summary('{');
  expect(await said()).toBeUndefined();
});
