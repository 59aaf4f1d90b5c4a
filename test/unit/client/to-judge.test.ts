/** What triage judges of a tracker is what waves judge. Pure. Features: E3 F3. */
import { expect, it } from 'vitest';
import { toJudge } from '../../../src/client/plan/to-judge.js';
import { tracker } from '../../../src/config/schema/tracker.js';
import { heldOf, ideasOf } from '../../../src/trackers/ideas.js';
import { reportOf } from '../../../src/trackers/report.js';
import type { Item } from '../../../src/trackers/tracker.js';

const item = (ref: string, more: Partial<Item> = {}): Item => ({
  ...{ ref, title: `Title ${ref}`, body: 'Body.', labels: [], author: 'acme', member: true },
  ...more,
});
const known = (id: string, state: 'open' | 'closed') => ({ id, title: id, text: 'Text', state });

it('new issues; what runs, has landed, comes from a stranger or is kept back is left out with its cause', () => {
  const items = [
    ...[item('1'), item('2'), item('3')],
    ...[item('4', { member: false, author: 'mallory' }), item('5', { labels: ['blocked'] })],
  ];
  const config = tracker.parse({ tracker: 'github' });
  const reports = [...items.map(reportOf), { ...reportOf(item('9')), state: 'closed' as const }];
  const work = [known('issue-2', 'open'), known('issue-3', 'closed'), known('a-1', 'closed')];
  const judged = toJudge(reports, { ...ideasOf(items, config, 'GitHub'), held: heldOf(items) }, work);
  expect(judged.reports.map(({ id }) => id)).toEqual(['1', '9']);
  expect(judged.leftOut.map(({ id, why }) => [id, why])).toEqual([
    ['4', expect.stringContaining('mallory may not write')],
    ['5', 'it has the label blocked'],
    ['2', 'it is under way as issue-2'],
    ['3', 'it has landed as issue-3'],
  ]);
  // What repeats these is rejected all the same.
  expect(judged.known.map(({ id, state }) => [id, state])).toEqual([
    ['issue-2', 'open'],
    ['issue-3', 'closed'],
    ['a-1', 'closed'],
    ['5', 'held'],
  ]);
});
