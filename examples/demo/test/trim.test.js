import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trim } from '../src/trim.js';

test('trim', () => {
  assert.equal(trim('  a '), 'a');
});
