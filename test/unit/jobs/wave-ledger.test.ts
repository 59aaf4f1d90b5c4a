/** What the plan of a wave gives to the ledger. Pure. Features: E1 E3 E5. */
import { expect, it } from 'vitest';
import { operationText } from '../../../src/client/views/ledger-lines.js';
import { endedWaves, waveDrafts } from '../../../src/jobs/ledger/waves.js';
import { chainsOf } from '../../../src/model/ledger.js';
import type { Draft, LedgerRow } from '../../../src/protocol/ledger.js';
import type { PlanWaveResult } from '../../../src/protocol/waves.js';

const INPUT = { project: 'p', runId: '20260101-000000-aaaa', wave: 2, most: 5, known: [] };
const PLANNED: PlanWaveResult = {
  ...{ kind: 'planned', cards: [], taken: [], open: 3, left: 0, rejected: 1, fresh: [], leftOut: 0 },
};
const row = (draft: Draft): LedgerRow => {
  const { key: _, ...rest } = draft;
  return { v: 1, n: 1, id: 'a'.repeat(20), ...rest, refs: [], prev: '' };
};

it('a verdict of a person has a person as its actor: the one that rejects, and the one that accepts', () => {
  const rejected = (gate: 'person' | 'symptom') => ({
    ...{ report: '7', as: 'issue-7', title: 'Save', gate, reason: 'not now', quote: '', wave: 2, plan: 0 },
  });
  const told = (gate: 'person' | 'symptom') =>
    waveDrafts(INPUT, PLANNED, { fresh: [rejected(gate)], readings: [], accepted: [] })[1];
  expect(told('person')).toMatchObject({ kind: 'triage', pass: false, actor: { kind: 'person' } });
  expect(told('symptom')).toMatchObject({ kind: 'triage', pass: false, actor: { kind: 'ralphctl' } });

  const accepted = [{ report: '8', as: 'issue-8', title: 'Print', reason: 'I know it' }];
  const [, draft] = waveDrafts(INPUT, PLANNED, { fresh: [], readings: [], accepted });
  expect(draft).toMatchObject({
    ...{ op: 'evidence', kind: 'triage', idea: 'issue-8', pass: true, actor: { kind: 'person' } },
    data: { report: '8', title: 'Print', wave: 2, why: 'I know it' },
  });
  if (!draft) throw new Error('no draft');
  expect(operationText(row(draft))).toBe('accepted by a person: I know it');
  // It is no end: nobody has worked on it yet.
  expect(chainsOf([row(draft)])[0]?.outcome).toBe('open');
  // The same verdict in a later plan is no further line.
  const later = waveDrafts({ ...INPUT, wave: 3 }, PLANNED, { fresh: [], readings: [], accepted })[1];
  expect(later?.key).toBe(draft.key);
});

it('the end of a wave says how many ideas somebody else has', () => {
  const summary = {
    wave: 1,
    attempted: 1,
    passed: 1,
    failed: 0,
    skipped: 3,
    elsewhere: 2,
    waiting: 0,
    ms: 5,
    dollars: 0,
  };
  const [ended] = endedWaves('r', [{ wave: 1, of: 5, taken: [], endedAt: 1, summary }]);
  expect(ended?.data).toMatchObject({ skipped: 3, elsewhere: 2 });
  expect(ended && operationText(row(ended))).toBe('1 of 1 passed, 0 failed, 3 skipped (2 claimed elsewhere)');
});
