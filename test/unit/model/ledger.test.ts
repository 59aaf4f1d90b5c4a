/** E5: a chain tells how an idea ended and where it broke. */
import { describe, expect, it } from 'vitest';
import { chainLines, operationText } from '../../../src/client/views/ledger-lines.js';
import { chainMs, chainsOf } from '../../../src/model/ledger.js';
import type { LedgerRow } from '../../../src/protocol/ledger.js';

let n = 0;
const row = (op: LedgerRow['op'], more: Partial<LedgerRow> = {}): LedgerRow => {
  n += 1;
  return {
    ...{ v: 1, n, id: String(n).padStart(20, '0'), at: new Date(n * 1000).toISOString(), op, idea: 'a-1', run: 'r-1' },
    ...{ actor: { kind: 'ralphctl' }, refs: [], data: {}, prev: '' },
    ...more,
  } as LedgerRow;
};
const plan = (): LedgerRow => {
  const { run: _, ...rest } = row('commit');
  return rest;
};
const gate = (pass: boolean) => row('evidence', { kind: 'build', pass });

it('E5: the plan of a wave names what it takes, and a rejection who judged', () => {
  const taken = [{ idea: 'report-1' }, { idea: 'report-2' }];
  const wave = row('commit', { data: { title: 'wave 1', taken, open: 20, left: 7, rejected: 11 } });
  expect(operationText(wave)).toBe('planned: wave 1: report-1, report-2; 20 open reports, 11 rejected, 7 for later');
  const told = (gate: string) =>
    operationText(row('evidence', { kind: 'triage', data: { gate, why: 'next week', quote: 'x' } }));
  expect(told('person')).toBe('rejected by a person: next week: "x"');
  expect(told('coherence')).toBe('rejected by gate 1, body coherence: next week: "x"');
});

describe('chains', () => {
  it('landed: the reds on the way are no break', () => {
    const [chain] = chainsOf([plan(), row('claim'), gate(false), gate(true), row('submit', { pass: true })]);
    expect(chain).toMatchObject({ outcome: 'landed', run: 'r-1' });
    expect(chain?.broke).toBeUndefined();
    expect(chain?.rows).toHaveLength(5);
    expect(chain && chainMs(chain)).toBe(3000);
  });

  it('failed: it broke at the last judgement that was bad', () => {
    const bad = gate(false);
    const [chain] = chainsOf([row('claim'), gate(true), bad, row('submit', { pass: false })]);
    expect(chain).toMatchObject({ outcome: 'failed', broke: bad });
  });

  it('ended in another way than by a failure: its line says how', () => {
    for (const [status, word] of [
      ['blocked', 'blocked'],
      ['timeout', 'timed out'],
      ['abandoned', 'abandoned'],
      ['failed', 'failed'],
    ]) {
      const [chain] = chainsOf([row('claim'), row('submit', { pass: false, data: { status } })]);
      expect(chain && chainLines(chain, new Map())[0]).toBe(`a-1 in run r-1: ${word} (1.0s)`);
    }
  });

  it('failed with a green gate: it broke at its end', () => {
    const end = row('submit', { pass: false });
    expect(chainsOf([row('claim'), gate(true), end])).toMatchObject([{ outcome: 'failed', broke: end }]);
  });

  it('landed and taken back, and landed again after that', () => {
    const rows = [row('claim'), row('submit', { pass: true }), row('submit', { pass: false })];
    expect(chainsOf(rows)).toMatchObject([{ outcome: 'undone' }]);
    expect(chainsOf([...rows, row('submit', { pass: true })])).toMatchObject([{ outcome: 'landed' }]);
  });

  it('taken off by a later run, or after it: no failure of that run', () => {
    const off = row('submit', { run: 'r-2', pass: false, data: { why: 'taken off the target again', commit: 'c' } });
    expect(chainsOf([row('claim'), row('submit', { pass: true }), off])).toMatchObject([
      { run: 'r-1', outcome: 'landed' },
      { run: 'r-2', outcome: 'undone', broke: off },
    ]);
  });

  it('a plan belongs to the next run that takes the idea; alone it is planned', () => {
    const other = row('claim', { run: 'r-2' });
    const chains = chainsOf([
      plan(),
      row('claim'),
      { ...plan(), id: 'f'.repeat(20) },
      other,
      { ...plan(), idea: 'b-1' },
    ]);
    expect(chains.map(({ idea, run, outcome, rows }) => [idea, run, outcome, rows.length])).toEqual([
      ['a-1', 'r-1', 'open', 2],
      ['a-1', 'r-2', 'open', 2],
      ['b-1', undefined, 'planned', 1],
    ]);
  });
});
