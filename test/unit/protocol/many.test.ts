/** One noun with its number, in every message: no `1 ideas`, no `3 trys`. Feature: A8. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { many, triedAgain } from '../../../src/protocol/many.js';

it.each([
  [1, 'idea', '1 idea'],
  [0, 'idea', '0 ideas'],
  [2, 'agent run', '2 agent runs'],
  [1, 'more line', '1 more line'],
  [1, 'retry', '1 retry'],
  [3, 'retry', '3 retries'],
  [2, 'try', '2 tries'],
  [2, 'day', '2 days'],
  [2, 'branch', '2 branches'],
  [2, 'process', '2 processes'],
])('%i %s', (count, what, text) => expect(many(count, what)).toBe(text));

it('A2: says how often an idea was tried again, by a person or by a start', () => {
  expect([1, 2].map((count) => triedAgain(count))).toEqual(['tried again once', 'tried again 2 times']);
});

it('is the only place that makes plurals', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.ts'));
  const own = files.filter((file) => /=== 1 \? '' : '(?:e?s|ies)'/.test(readFileSync(join('src', file), 'utf8')));
  expect(own).toEqual([]);
});
