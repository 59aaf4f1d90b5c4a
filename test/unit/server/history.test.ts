/** How long the embedded server keeps closed workflows, over all projects. Features: G9. */
import { expect, it } from 'vitest';
import { daysFor } from '../../../src/server/history.js';

it('the largest value that a project states counts, and the default where one states none', () => {
  expect(daysFor({ a: 7 }, false)).toBe(7);
  expect(daysFor({ a: 7, b: 14 }, false)).toBe(14);
  expect(daysFor({ a: 7 }, true)).toBe(30);
  expect(daysFor({ a: 90 }, true)).toBe(90);
});
