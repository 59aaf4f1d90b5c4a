import { describe, expect, test, vi } from 'vitest';
import { lastRunLine } from '../../../src/client/views/last-run-lines.js';
import { nextSteps, withStart } from '../../../src/client/views/status-lines.js';
import { describeList, listIdeas, listProblem, noLines } from '../../../src/client/views/status-list.js';
import { Graph } from '../../../src/decide/scheduler/graph.js';
import { ideaPage } from '../../../src/decide/views/pages.js';
import type { SummaryFile } from '../../../src/model/facts.js';
import type { RunModel } from '../../../src/model/model.js';
import { card, entryOf } from '../decide/support.js';

const entries = Array.from({ length: 1234 }, (_, at) =>
  entryOf(card(`i${at}`), { status: at % 2 === 0 ? 'pending' : 'failed' }),
);
const graph = new Graph(entries);
const run = { ideas: async (asked: Parameters<typeof ideaPage>[2]) => ideaPage(entries, graph, asked) };
const listed = async (options: Parameters<typeof listIdeas>[1]) =>
  (await listIdeas(run, options))?.lines.map(({ id }) => id);

test('A4: epics are lines of the list, and no ideas', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const one = { id: 'a', title: 'A', status: 'pending', score: 0 } as const;
  const epic = { ...one, id: 'e', group: { done: 0, total: 1 } };
  try {
    describeList({ from: 0, total: 2, lines: [epic, one] }, { all: true });
    describeList({ from: 0, total: 1, lines: [one] }, { all: true });
  } finally {
    write.mockRestore();
  }
  expect(lines.join('')).toMatch(/ideas and epics 1 to 2 of 2\n[\s\S]*\nideas 1 to 1 of 1\n/);
});

describe('G9 status of every idea', () => {
  test('is asked for only when it is wanted', async () => {
    expect(await listIdeas(run, {})).toBeUndefined();
  });

  test('all of them come, however many pages that takes', async () => {
    expect(await listed({ all: true })).toEqual(entries.map((entry) => entry.card.id));
    expect(await listed({ only: ['failed'] })).toHaveLength(617);
  });

  test('a page has a hundred; the last one what is left; one after it none', async () => {
    expect(await listed({ page: 2 })).toEqual(entries.slice(100, 200).map((entry) => entry.card.id));
    expect(await listed({ page: 13 })).toHaveLength(34);
    expect(await listIdeas(run, { page: 14 })).toEqual({ from: 1300, total: 1234, lines: [] });
    expect((await listed({ page: 1, only: ['failed'] }))?.[1]).toBe('i3');
  });

  test('a page after the last one names the number of pages', () => {
    expect(noLines(3, 2)).toBe('there is no page 2: the list has 1 page');
    expect(noLines(1234, 14)).toBe('there is no page 14: the list has 13 pages');
    expect(noLines(0, 1)).toBe('no idea has this status');
  });

  test('nobody answers: nothing is listed', async () => {
    expect(await listIdeas({ ideas: async () => undefined }, { all: true })).toBeUndefined();
  });

  test('a status that does not exist is refused with those that do', () => {
    expect(listProblem({ only: ['landed', 'done'] })).toMatch(/--only done: there are pending, running, .*landed/);
    expect(listProblem({ only: ['landed', 'timed-out', 'asks', 'timeout'] })).toBeUndefined();
    expect(listProblem({ all: true, page: 2 })).toMatch(/leave out --page/);
  });
});

test('E1: the next step after a run of another source is a run of that source', () => {
  const start = { args: ['run', 'reports.jsonl'] };
  expect(nextSteps([{ idea: 'a' }], new Set(), start)).toEqual([
    expect.stringMatching(/^try them again with: ralphctl run reports\.jsonl {3}/),
  ]);
  const reason = 'asks; answer it, then: ralphctl start. Landed before: ralphctl start --again a';
  expect(withStart(reason, start)).toBe(
    'asks; answer it, then: ralphctl run reports.jsonl. Landed before: ralphctl start --again a',
  );
});

test('C2 C3: what was abandoned, rolled back or skipped is not said to be tried again by a start', () => {
  const notLanded = [{ idea: 'a' }, { idea: 'b' }];
  const retry = 'a start leaves out a, until: ralphctl retry a';
  expect(nextSteps([], new Set(['a']))).toEqual([]);
  expect(nextSteps(notLanded, new Set())).toEqual([expect.stringMatching(/^try them again with: ralphctl start/)]);
  expect(nextSteps(notLanded, new Set(['a']))).toEqual([expect.stringMatching(/^try the others again/), retry]);
  expect(nextSteps(notLanded, new Set(['a', 'b']))).toEqual(['a start leaves out a, b, until: ralphctl retry IDEA']);
});

test('C2 C3: what waits for a left out idea is not said to be tried again by a start either', () => {
  const notLanded = [{ idea: 'blk-001' }, { idea: 'dep-001' }];
  const retry = 'a start leaves out blk-001, until: ralphctl retry blk-001';
  expect(nextSteps(notLanded, new Set(['blk-001']), undefined, new Set(['dep-001']))).toEqual([retry]);
  expect(nextSteps([...notLanded, { idea: 'c' }], new Set(['blk-001']), undefined, new Set(['dep-001']))).toEqual([
    expect.stringMatching(/^try the others again with: ralphctl start/),
    retry,
  ]);
});

test('C2: without a server the files tell how the last run ended', () => {
  const model = { runId: 'r', startedAt: 1_000_000, endedAt: 1_060_000 } as RunModel;
  const last = { outcome: 'completed', status: { runId: 'r' } } as SummaryFile;
  expect(lastRunLine(undefined, last, model)).toMatch(/^last run: completed .*\d:\d\d:\d\d, took 1m/);
  expect(lastRunLine(undefined, last, undefined)).toBe('last run: completed');
});
