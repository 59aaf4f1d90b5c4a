/** The header of a run that nobody keeps up to date counts all its ideas and says of when it is. Features: G1 G5. */
import { expect, it } from 'vitest';
import { fold } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { noDetails, type Standstill } from '../../../src/screen/details.js';
import { top } from '../../../src/screen/run/top.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { clockAt, NOW, shop } from './shop.js';

const STILL: Standstill = { kind: 'no-worker', since: clockAt('23:14') };
const header = (model: RunModel, columns: number, standstill: Standstill = STILL): string[] =>
  top(model, { ...noDetails(), standstill }, NOW, columns).map(plainLine);

function withSkipped(): RunModel {
  const model = shop();
  const [free] = [...model.ideas.values()].filter(({ group, status }) => !group && status === 'pending');
  const { id, title } = free ?? expect.fail('no idea is pending');
  fold(model, { at: new Date(clockAt('23:41')).toISOString(), kind: 'idea', idea: id, title, status: 'skipped' });
  return model;
}

it('counts skipped ideas: the numbers add up to all', () => {
  const [, , counts = ''] = header(withSkipped(), 80);
  expect(counts).toBe(' 11 landed   4 worked then   3 need you   5 to do   1 left out   of 24');
  const [total, ...parts] = [...counts.matchAll(/\d+/g)].map(([n]) => Number(n)).reverse();
  expect(parts.reduce((sum, one) => sum + one, 0)).toBe(total);
});

it('says of when it is, in the line that has room, and on a wide terminal the time of now, too', () => {
  expect(header(shop(), 80)[0]).toMatch(/ as of 23:41$/);
  const gone = header(withSkipped(), 86, { kind: 'gone', since: clockAt('23:14') });
  expect(gone[0]).not.toContain('as of');
  expect(gone[2]).toMatch(/ of 24 +as of 23:41$/);
  expect(header(shop(), 120)[0]).toMatch(/ as of 23:41 {3}23:42$/);
  for (const line of [80, 86, 100, 120].flatMap((columns) =>
    header(withSkipped(), columns).map((one) => one.length - columns),
  ))
    expect(line).toBeLessThanOrEqual(0);
});
