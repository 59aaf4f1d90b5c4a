/**
 * Fits the weights of the cues of gate 2 (src/decide/triage/cue-weights.ts) to labelled reports: logistic regression with
 * a penalty, by gradient descent. Pure and deterministic. scripts/fit-triage.mjs writes the file.
 */
import { incoherent } from '../../src/decide/triage/coherence.js';
import { type Cues, cuesOf } from '../../src/decide/triage/cues.js';
import { readable } from '../../src/decide/triage/readable.js';
import { shownIn } from '../../src/decide/triage/shown.js';
import type { Labelled } from './triage-labels.js';

export interface Example {
  id: string;
  cues: Cues;
  /** It has no symptom. */
  none: boolean;
}

/** The reports that gate 2 judges by cues: English, without an error message. */
export function examplesOf(labelled: readonly Labelled[]): Example[] {
  return labelled.flatMap(({ report, expect }) => {
    const read = readable(report);
    const shown = shownIn(read);
    if (expect === 'coherence' || incoherent(read, report.body) || shown.error !== undefined || shown.language !== 'en')
      return [];
    return [{ id: report.id, cues: cuesOf(read, shown), none: expect === 'symptom' }];
  });
}

export interface Fitted {
  bias: number;
  weights: Partial<Record<keyof Cues, number>>;
}

const ROUNDS = 600;
const STEP = 0.3;
const PENALTY = 0.02;

export function weigh(examples: readonly Example[]): Fitted {
  const names = Object.keys(examples[0]?.cues ?? {}) as (keyof Cues)[];
  const size = examples.length;
  const scales = names.map((name) => {
    const mean = examples.reduce((sum, { cues }) => sum + cues[name], 0) / size;
    const deviation = Math.sqrt(examples.reduce((sum, { cues }) => sum + (cues[name] - mean) ** 2, 0) / size);
    return { mean, deviation: deviation || 1 };
  });
  // The last column stands for the bias.
  const rows = examples.map(({ cues }) => [
    ...names.map((name, at) => (cues[name] - (scales[at]?.mean ?? 0)) / (scales[at]?.deviation ?? 1)),
    1,
  ]);
  const weights = new Array<number>(names.length + 1).fill(0);
  const seen = new Array<number>(names.length + 1).fill(1e-8);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = new Array<number>(weights.length).fill(0);
    for (const [at, row] of rows.entries()) {
      let sum = 0;
      for (let n = 0; n < row.length; n++) sum += (row[n] ?? 0) * (weights[n] ?? 0);
      const wrong = 1 / (1 + Math.exp(-sum)) - Number(examples[at]?.none);
      for (let n = 0; n < row.length; n++) slope[n] = (slope[n] ?? 0) + (wrong * (row[n] ?? 0)) / size;
    }
    for (const [n, weight] of weights.entries()) {
      const by = (slope[n] ?? 0) + (n < names.length ? PENALTY * weight : 0);
      seen[n] = (seen[n] ?? 0) + by * by;
      weights[n] = weight - (STEP * by) / Math.sqrt(seen[n] ?? 1);
    }
  }
  let bias = weights[names.length] ?? 0;
  const raw = names.map((name, at) => {
    const weight = Number(((weights[at] ?? 0) / (scales[at]?.deviation ?? 1)).toFixed(3));
    bias -= weight * (scales[at]?.mean ?? 0);
    return [name, weight] as const;
  });
  return { bias: Number(bias.toFixed(3)), weights: Object.fromEntries(raw) as Fitted['weights'] };
}

export const judged = ({ bias, weights }: Fitted, cues: Cues): boolean =>
  Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * cues[name as keyof Cues], bias) > 0;

/** How well weights do on reports that they were not fitted to: each tenth is judged by weights of the others. */
export function crossed(examples: readonly Example[], parts = 10) {
  const partOf = (id: string): number => (Number(/\d+/.exec(id)?.[0]) / 2) % parts;
  const counts = { right: 0, said: 0, expected: 0 };
  const wrong: string[] = [];
  for (let part = 0; part < parts; part++) {
    const fitted = weigh(examples.filter(({ id }) => partOf(id) !== part));
    for (const { id, cues, none } of examples.filter((one) => partOf(one.id) === part)) {
      const says = judged(fitted, cues);
      counts.right += Number(says && none);
      counts.said += Number(says);
      counts.expected += Number(none);
      if (says !== none) wrong.push(id);
    }
  }
  return { ...counts, wrong };
}
