/** The labelled reports of test/fixtures/triage, and how well verdicts agree with them. */
import type { TriageInput } from '../../src/decide/triage/triage.js';
import type { BugReport, Triage } from '../../src/protocol/triage.js';

export interface Labelled {
  report: BugReport;
  /** `keep`, or the gate that rejects it. */
  expect: string;
  /** The report that it repeats. */
  of?: string;
}

interface Line {
  id: string;
  title: string;
  body: string;
  expect: string;
  of?: string;
}

/** Even numbers are there to tune on, odd ones are held back. */
export function partsOf(...texts: readonly string[]): Record<'to tune on' | 'held back', Labelled[]> {
  const all = texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line) as Line);
  const part = (odd: number): Labelled[] =>
    all
      .filter(({ id }) => Number(/\d+/.exec(id)?.[0]) % 2 === odd)
      .map(({ id, title, body, expect, of }) => ({
        report: { id, title, body, labels: [], state: 'open' },
        expect,
        ...(of === undefined ? {} : { of }),
      }));
  return { 'to tune on': part(0), 'held back': part(1) };
}

interface Row {
  name: string;
  precision?: number;
  recall?: number;
  precisionInterval?: [number, number];
  recallInterval?: [number, number];
  rejected: number;
  expected: number;
}

/** The reports that repeat each other, by each of their ids: whoever repeats a repetition repeats the first one, too. */
function groupsOf(labelled: readonly Labelled[]): Map<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { report, of } of labelled) {
    if (of === undefined) continue;
    const whole = new Set([report.id, of, ...(groups.get(report.id) ?? []), ...(groups.get(of) ?? [])]);
    for (const id of whole) groups.set(id, whole);
  }
  return groups;
}

/** Of those that repeat each other any may stay, so one that stayed counts as the one to keep. */
function settled(labelled: readonly Labelled[], kept: ReadonlySet<string>): Map<string, string> {
  const expected = new Map(labelled.map(({ report, expect }) => [report.id, expect]));
  for (const group of new Set(groupsOf(labelled).values())) {
    const stayed = [...group].filter((id) => kept.has(id));
    const first = stayed.find((id) => expected.get(id) === 'keep') ?? stayed[0];
    if (first === undefined) continue;
    for (const id of group) expected.set(id, id === first ? 'keep' : 'duplicate');
  }
  return expected;
}

/** The 95 % interval of a share (Wilson): how far chance alone may move it. */
export function intervalOf(hits: number, of: number): [number, number] {
  const z = 1.96;
  const share = hits / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

export function measure(labelled: readonly Labelled[], triage: (input: TriageInput) => Triage) {
  const reports = labelled.map(({ report }) => report);
  const now = '2026-06-01T00:00:00Z';
  const { survivors, rejected } = triage({ reports, overrules: new Map(), known: [], past: [], files: [], now });
  const expected = settled(labelled, new Set(survivors.map(({ id }) => id)));
  const groups = groupsOf(labelled);
  const verdicts = new Map(
    rejected.map(({ id, gate, duplicateOf }) => [
      id,
      gate === 'duplicate' && !groups.get(id)?.has(duplicateOf ?? '') ? 'another duplicate' : gate,
    ]),
  );
  const row = (name: string, counts: (gate: string) => boolean, hit: (id: string) => boolean): Row => {
    const said = rejected.filter(({ gate }) => counts(gate)).map(({ id }) => id);
    const should = [...expected].filter(([, gate]) => counts(gate)).map(([id]) => id);
    const right = said.filter(hit).length;
    const found = should.filter((id) => verdicts.has(id) && hit(id)).length;
    return {
      name,
      ...(said.length > 0 ? { precision: right / said.length, precisionInterval: intervalOf(right, said.length) } : {}),
      ...(should.length > 0 ? { recall: found / should.length, recallInterval: intervalOf(found, should.length) } : {}),
      ...{ rejected: said.length, expected: should.length },
    };
  };
  const exact = (id: string): boolean => verdicts.get(id) === expected.get(id);
  const pure = new Set(['coherence', 'symptom', 'duplicate']);
  const rows = [
    row(
      'rejected, by any gate',
      (gate) => gate !== 'keep',
      (id) => expected.get(id) !== 'keep' && verdicts.get(id) !== 'another duplicate',
    ),
    row(
      'gates 1, 2 and 4',
      (gate) => pure.has(gate),
      (id) => pure.has(expected.get(id) ?? '') && pure.has(verdicts.get(id) ?? ''),
    ),
    ...['coherence', 'symptom', 'project', 'duplicate', 'actionable'].map((name, at) =>
      row(`gate ${at + 1}, ${name}`, (gate) => gate === name, exact),
    ),
  ];
  const titles = new Map(reports.map(({ id, title }) => [id, title]));
  const wrong = [...expected]
    .filter(([id, gate]) => (verdicts.get(id) ?? 'keep') !== gate)
    .map(([id, gate]) => {
      const verdict = rejected.find((one) => one.id === id);
      return `${id} ${titles.get(id)}: expected ${gate}, got ${verdict ? `${verdict.gate} (${verdict.reason})` : 'keep'}`;
    });
  return { rows, wrong };
}
