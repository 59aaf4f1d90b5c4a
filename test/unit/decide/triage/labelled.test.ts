/**
 * Precision and recall over the labelled reports, so that a change of the rules that makes them worse is seen. The floors
 * are below what bench/triage.mjs printed when they were set (docs/decisions/030). Features: E3.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { triage } from '../../../../src/decide/triage/triage.js';
import { measure, partsOf } from '../../../support/triage-labels.js';

const text = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../fixtures/triage/${name}`, import.meta.url)), 'utf8');
const parts = partsOf(await text('own.jsonl'), await text('public.jsonl'));

it('has at least 120 labelled reports, of which a third and more is held back', () => {
  const [tune, held] = [parts['to tune on'].length, parts['held back'].length];
  expect(tune + held).toBeGreaterThanOrEqual(120);
  expect(held).toBeGreaterThanOrEqual((tune + held) / 3);
});

it.each([
  ['to tune on', 0.95, 0.92],
  ['held back', 0.87, 0.87],
] as const)('E3 gates 1, 2 and 4 over the reports %s: precision %f, recall %f at least', (part, precision, recall) => {
  const row = measure(parts[part], triage).rows.find(({ name }) => name === 'gates 1, 2 and 4');
  expect(row?.precision).toBeGreaterThanOrEqual(precision);
  expect(row?.recall).toBeGreaterThanOrEqual(recall);
});
