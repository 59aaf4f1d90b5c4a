import { describe, expect, test } from 'vitest';
import { Graph } from '../../../../src/decide/scheduler/graph.js';
import { ideaPage, MOST_A_PAGE } from '../../../../src/decide/views/pages.js';
import type { IdeaPageRequest } from '../../../../src/protocol/views.js';
import { card, entryOf } from '../support.js';

const entries = [
  entryOf(card('group', { blue: true })),
  ...Array.from({ length: 1200 }, (_, at) => entryOf(card(`i${at}`), { status: at % 3 === 0 ? 'landed' : 'pending' })),
];
const graph = new Graph(entries);
const ids = (asked?: IdeaPageRequest | null): string[] => ideaPage(entries, graph, asked).lines.map((line) => line.id);

describe('G9 all ideas, page by page', () => {
  test('in backlog order with Blues; pages put together are all of them', () => {
    const all: string[] = [];
    for (let from = 0; ; from = all.length) {
      const page = ideaPage(entries, graph, { from, count: 100 });
      expect(page.total).toBe(1201);
      if (page.lines.length === 0) break;
      all.push(...page.lines.map((line) => line.id));
    }
    expect(all).toEqual(['group', ...Array.from({ length: 1200 }, (_, at) => `i${at}`)]);
  });

  test('only some statuses, counted among themselves', () => {
    const page = ideaPage(entries, graph, { from: 3, count: 2, only: ['landed'] });
    expect(page).toMatchObject({ from: 3, total: 401 });
    expect(page.lines.map((line) => line.id)).toEqual(['i6', 'i9']);
    expect(ideaPage(entries, graph, { only: ['failed'] })).toEqual({ from: 0, total: 0, lines: [] });
  });

  test('whatever is asked for, from the Web UI for one, a page is bounded', () => {
    expect(ids(undefined)).toHaveLength(MOST_A_PAGE);
    expect(ids(null)).toHaveLength(MOST_A_PAGE);
    expect(ids({ count: 1e9 })).toHaveLength(MOST_A_PAGE);
    expect(ids({ count: -1, from: -5 })).toHaveLength(MOST_A_PAGE);
    expect(ids({ from: 5000 })).toEqual([]);
    expect(ids({ only: 'landed' } as never)).toHaveLength(MOST_A_PAGE);
    expect(ids({ from: 'x', count: {} } as never)).toHaveLength(MOST_A_PAGE);
  });
});
