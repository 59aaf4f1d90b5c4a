/**
 * Precision and recall over the labelled reports, so that a change of the rules that makes them worse is seen. The floors
 * are below what bench/triage.mjs printed when they were set (docs/decisions/030). Features: E3.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BIAS, WEIGHTS } from '../../../../src/decide/triage/cue-weights.js';
import { triage } from '../../../../src/decide/triage/triage.js';
import { crossed, examplesOf, weigh } from '../../../support/triage-fit.js';
import { intervalOf, measure, partsOf } from '../../../support/triage-labels.js';

const text = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../fixtures/triage/${name}`, import.meta.url)), 'utf8');
const parts = partsOf(await text('own.jsonl'), await text('public.jsonl'));

it('has at least 120 labelled reports to tune on and as many that are held back', () => {
  for (const labelled of Object.values(parts)) expect(labelled.length).toBeGreaterThanOrEqual(120);
});

it.each(Object.entries(parts))('knows what each duplicate %s repeats, in the same part', (_, labelled) => {
  const ids = new Set(labelled.map(({ report }) => report.id));
  expect(ids.size).toBe(labelled.length);
  for (const { expect: label, of } of labelled) expect(label === 'duplicate').toBe(of !== undefined && ids.has(of));
});

it('E3 gate 2 has the weights that scripts/fit-triage.mjs makes of the reports to tune on', () => {
  const { bias, weights } = weigh(examplesOf(parts['to tune on']));
  expect(bias).toBeCloseTo(BIAS, 2);
  expect(Object.keys(weights)).toEqual(Object.keys(WEIGHTS));
  for (const [name, weight] of Object.entries(weights))
    expect(weight).toBeCloseTo(WEIGHTS[name as keyof typeof weights] ?? Number.NaN, 2);
});

it('E3 gate 2 holds for reports that the weights were not fitted to', () => {
  const { right, said, expected } = crossed(examplesOf(parts['to tune on']));
  expect(right / said).toBeGreaterThanOrEqual(0.88);
  expect(right / expected).toBeGreaterThanOrEqual(0.85);
});

it('counts a duplicate of any report of its group, and gives the interval of a share', () => {
  const one = (id: string, label: string, of?: string) => ({
    report: { id, title: id, body: id, labels: [], state: 'open' as const },
    expect: label,
    ...(of === undefined ? {} : { of }),
  });
  const said = (id: string, duplicateOf: string) => ({
    ...{ id, title: id, gate: 'duplicate' as const, reason: 'r', quote: id, duplicateOf },
  });
  const labelled = [one('a', 'keep'), one('b', 'duplicate', 'a'), one('c', 'duplicate', 'b')];
  const survivor = {
    ...{ id: 'b', title: 'b', score: 0, scoreParts: [], tier: 'T1' as const },
    ...{ estimateMs: 1, learntFrom: 0, duplicates: [] },
  };
  const { rows, wrong } = measure(labelled, () => ({
    survivors: [survivor],
    rejected: [said('a', 'b'), said('c', 'b')],
    closed: [],
  }));
  expect(rows[1]).toMatchObject({ precision: 1, recall: 1, rejected: 2, expected: 2 });
  expect(wrong).toEqual([]);
  expect(intervalOf(19, 20).map((end) => end.toFixed(3))).toEqual(['0.764', '0.991']);
});

it.each([
  ['to tune on', 0.91, 0.79],
  ['held back', 0.86, 0.79],
] as const)('E3 gates 1, 2 and 4 over the reports %s: precision %f, recall %f at least', (part, precision, recall) => {
  const row = measure(parts[part], triage).rows.find(({ name }) => name === 'gates 1, 2 and 4');
  expect(row?.precision).toBeGreaterThanOrEqual(precision);
  expect(row?.recall).toBeGreaterThanOrEqual(recall);
});
