/** Ideas that a person adds to an open run stand in the order of their backlog, on every page. Features: A4 B3. */
import { expect, it } from 'vitest';
import { orderAdded } from '../../../src/model/added-order.js';
import { addIdeas, fold, newModel } from '../../../src/model/fold.js';
import { idea } from '../screen/shop.js';

it('whatever the order of their events and of their files', () => {
  const epic = idea('epic', 'Epic', { blue: true });
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [epic, idea('a-1', 'A')]);
  // They start by their score, and a folder lists their files by name.
  for (const id of ['y-2', 'v-5'])
    fold(model, { at: new Date(0).toISOString(), kind: 'idea', idea: id, title: id, status: 'running' });
  const line = (id: string, at: number) => idea(id, id, { parent: 'epic', source: { file: 'more.md', line: at } });
  const first = [line('v-5', 9), line('y-2', 5), line('z-1', 3)];
  addIdeas(model, first);
  orderAdded(model, first);
  expect(model.order).toEqual(['epic', 'a-1', 'z-1', 'y-2', 'v-5']);
  expect(model.ideas.get('epic')?.children).toEqual(['z-1', 'y-2', 'v-5']);

  // Further ones, of the same file and of another.
  const more = [line('b-3', 7), idea('c-1', 'C', { source: { file: 'other.md', line: 1 } })];
  addIdeas(model, more);
  orderAdded(model, more);
  expect(model.order).toEqual(['epic', 'a-1', 'z-1', 'y-2', 'b-3', 'v-5', 'c-1']);
});
