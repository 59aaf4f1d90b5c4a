/** The warning before a run about edits that keep landed work from arriving in the checkout (D1). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkoutEdited } from '../../../src/git/checkout-base.js';
import { makeRepo, put, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'roadmap.md': '- [ ] a\n', 'b.txt': 'b\n' });
});
afterEach(() => repo.remove());

it('names the file, and how many more', async () => {
  await put(repo.root, { 'roadmap.md': '- [ ] b\n' });
  expect(await checkoutEdited(repo.root, 'main', 'main')).toMatch(/^roadmap\.md has edits that are not committed/);
  await put(repo.root, { 'b.txt': 'c\n' });
  expect(await checkoutEdited(repo.root, 'main', 'main')).toMatch(/ and 1 more have edits/);
});

it('is silent about a clean checkout, new files, and another branch', async () => {
  expect(await checkoutEdited(repo.root, 'main', 'main')).toBeUndefined();
  await put(repo.root, { 'new.txt': 'x\n' });
  expect(await checkoutEdited(repo.root, 'main', 'main')).toBeUndefined();
  await put(repo.root, { 'b.txt': 'c\n' });
  expect(await checkoutEdited(repo.root, 'release', 'main')).toBeUndefined();
});
