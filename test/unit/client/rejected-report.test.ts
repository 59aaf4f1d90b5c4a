/** why and show of a report that triage rejected: the verdict, and what a person can do. Features: A8 E3. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { show } from '../../../src/client/commands/inspect/show.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { findProject } from '../../../src/client/context.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import type { TestRepo } from '../git/repo.js';
import { plannedRepo } from './planned-repo.js';

const runId = '20260101-000000-aaaa';
let repo: TestRepo;
const context = (json = false) => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json },
});

beforeEach(async () => {
  repo = await plannedRepo();
  const project = (await findProject(context())).id;
  const plan = await planRun(context(), {});
  const { root } = context();
  const waves = { maxWaves: 2, batchSize: 5 };
  await writeRun(root, { ...runFile(plan, runId), waves }, []);
  const told: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 0 },
    {
      ...{ kind: 'rejected', wave: 1, report: '17', as: 'report-17', title: 'Please add dark mode', gate: 'symptom' },
      ...{ reason: 'it asks for something new', quote: 'add dark mode' },
    },
    { kind: 'run', state: 'completed', landed: 0, total: 0 },
  ];
  const events = eventsPath(root, { project, runId });
  await mkdir(dirname(events), { recursive: true });
  const at = new Date(1000).toISOString();
  await writeFile(events, told.map((event) => `${JSON.stringify({ at, ...event })}\n`).join(''));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await repo.remove();
});

async function said(command: () => Promise<number>): Promise<string> {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  expect(await command()).toBe(0);
  return lines.join('');
}

it.each(['17', 'report-17'])('%s: both say that triage rejected it, why, and how to overrule that', async (id) => {
  for (const command of [() => why(context(), id), () => show(context(), id, {})]) {
    const text = await said(command);
    expect(text).toContain('17  Please add dark mode\ntriage rejected this report in run 20260101-000000-aaaa');
    expect(text).toContain('gate 2, symptom: it asks for something new\n      "add dark mode"');
    expect(text).toContain('ralphctl triage accept 17 --reason "…"');
  }
  expect(JSON.parse(await said(() => why(context(true), id)))).toMatchObject({
    ...{ kind: 'rejected', report: '17', gate: { number: 2, name: 'symptom' } },
  });
});

it('what triage has not judged is told as before', async () => {
  await expect(show(context(), '18', {})).rejects.toThrow('no run of this project has an idea 18');
});
